// Texts: the English sentence is its own key; id.js has each in Indonesian.
import { id } from "./id.js";

/** Codes of the interface as words; sentences are their own English. */
const en = {
  cash: "Cash", card: "Card", qris: "QRIS", bank_transfer: "Transfer", voucher: "Voucher", points: "Points", exchange: "Exchange",
  pay_in: "Pay in", pay_out: "Pay out", drop: "Drop to the safe", no_sale: "Open drawer",
  open: "open", held: "held", partially_paid: "partly paid", paid: "paid", voided: "voided", closed: "closed",
  restock: "Back to shelf", damaged: "Damaged", vendor: "To the supplier", none: "Thrown away",
  defective: "Defective", wrong_item: "Wrong item", wrong_size: "Wrong size", expired: "Expired", changed_mind: "Changed mind",
  wrong_price: "Wrong price", customer_left: "Customer left", cannot_pay: "Can't pay", training: "Training", test: "Test",
  short_dated: "Short-dated", price_match: "Price match", loyalty: "Loyalty", staff: "Staff", other: "Other",
  sale: "Sale", sale_void: "Sale voided", return: "Return", receiving: "Receiving", transfer_out: "Sent to a store", transfer_in: "Came from a store", adjustment: "Adjustment",
  opname: "Count", opening: "Opening", counting: "counting", review: "In review", posted: "posted", reversed: "taken back", cancelled: "cancelled", draft: "draft",
  approved: "approved", sent: "sent", partially_received: "partly received", received: "received", earn: "Earned", redeem: "Redeemed", reverse: "Taken back",
  give_back: "Given back", adjust: "By hand", expire: "Expired", active: "active", blocked: "blocked", merged: "merged", erased: "erased", admin: "Administrator",
  store_manager: "Store manager", cashier: "Cashier", warehouse_staff: "Warehouse", shelf: "Shelf", back: "Back room", online: "online", offline: "offline",
  backing_off: "trying again", rejected: "refused", not_configured: "not enrolled",
};

const KEPT = "language";
let language = localStorage.getItem(KEPT) ?? (navigator.language.startsWith("id") ? "id" : "en");
document.documentElement.lang = language;

export const lang = () => language;
export const locale = () => (language === "id" ? "id-ID" : "en-GB");
export const setLanguage = (chosen) => {
  language = chosen;
  localStorage.setItem(KEPT, chosen);
  document.documentElement.lang = chosen;
};
/** An app's own texts; one that is there already is said its way. */
export const addTexts = (texts) => {
  Object.assign(en, texts.en);
  Object.assign(id, texts.id);
};
/** Letters that are written from the right, and marks that turn what follows them around. */
const TURNS = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]/;
/** Such a text beside others turns nothing but itself; where an element can be, a `bdi` does that. */
export const apart = (value) => (typeof value === "string" && TURNS.test(value) ? `\u2068${value}\u2069` : value);
/** In English one is no plural: "1 sales are" is "1 sale is". */
const COUNTED = /\{(n|p|rows|days|left)\}(?: ([a-z]{3,}?)(ies|s)\b)?( are\b)?/g;
const one = (said, values) => said.replace(COUNTED, (whole, name, noun, end, are) => (String(values[name]) === "1" ? `{${name}}${noun ? ` ${noun}${end === "ies" ? "y" : ""}` : ""}${are ? " is" : ""}` : whole));
/** A text with its figures put in. */
export const t = (text, values = {}) => {
  const said = language === "id" ? id[text] ?? text : one(en[text] ?? text, values);
  return said.replace(/\{(\w+)\}/g, (_, name) => apart(values[name]) ?? "");
};
