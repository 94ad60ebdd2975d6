// Pages of the portal: their groups in the menu, the roles that may open them, and the file of each.
import { t } from "../kit/i18n.js";

/** Roles that may open a page: administrators, and the people of finance (F) or of purchasing (P). */
export const A = ["admin"];
export const F = ["admin", "ho_finance"];
export const P = ["admin", "ho_purchasing"];
export const ALL = ["admin", "ho_finance", "ho_purchasing"];
/** A gap in the menu above the group. */
const GAP = true;

/** @typedef {[address: string, label: () => string, roles: string[]]} Listed */
/**
 * Groups of pages. Each has the letter that opens it after `g`. A label of `null` stands for that of the first page.
 * @type {[icon: string, letter: string, label: (() => string) | null, pages: Listed[], gap?: boolean][]}
 */
export const FAMILIES = [
  ["layout-dashboard", "h", null, [["overview", () => t("Overview"), ALL]]],
  ["store", "s", null, [["stores", () => t("Stores"), A]]],
  [
    "triangle-alert",
    "e",
    null,
    [
      ["exceptions", () => t("Exceptions"), ALL],
      ["conflicts", () => t("Conflicts"), A],
      ["parked", () => t("On hold"), A],
    ],
  ],
  ["chart-column", "r", null, [["reports", () => t("Reports"), ALL]], GAP],
  [
    "receipt",
    "a",
    null,
    [
      ["sales", () => t("Sales"), F],
      ["returns", () => t("Returns"), F],
      ["shifts", () => t("Shifts"), F],
      ["deposits", () => t("Deposits"), F],
    ],
  ],
  [
    "scale",
    "t",
    null,
    [
      ["settlements", () => t("Settlement"), F],
      ["items", () => t("Pending payouts"), F],
      ["statements", () => t("Statements"), F],
      ["sources", () => t("Payment providers and banks"), F],
    ],
    GAP,
  ],
  [
    "book-open-text",
    "b",
    () => t("Books"),
    [
      ["balance", () => t("Trial balance"), F],
      ["journal", () => t("Journal"), F],
      ["accounts", () => t("Accounts"), F],
      ["mappings", () => t("Account mapping"), F],
      ["tax", () => t("Tax"), F],
      ["proofs", () => t("Checks"), F],
      ["exports", () => t("Exports"), F],
    ],
  ],
  [
    "lock",
    "d",
    () => t("Days and months"),
    [
      ["days", () => t("Days"), F],
      ["periods", () => t("Months"), F],
    ],
  ],
  [
    "ticket",
    "i",
    null,
    [
      ["invoices", () => t("Invoices"), F],
      ["uninvoiced", () => t("Not invoiced"), F],
      ["credit-notes", () => t("Credit notes"), F],
      ["payments", () => t("Payments"), F],
      ["payables", () => t("Payables"), F],
    ],
  ],
  [
    "clipboard-list",
    "o",
    null,
    [
      ["orders", () => t("Orders"), ALL],
      ["suggestions", () => t("Suggestions"), P],
      ["receipts", () => t("Deliveries"), ALL],
      ["discrepancies", () => t("Differences"), ALL],
      ["supplier-returns", () => t("Returned"), ALL],
    ],
    GAP,
  ],
  ["truck", "p", null, [["suppliers", () => t("Suppliers"), ALL]]],
  [
    "package-check",
    "k",
    null,
    [
      ["stock", () => t("Stock of stores"), ALL],
      ["transfers", () => t("Transfers"), ALL],
      ["adjustments", () => t("Adjustments"), ALL],
      ["counts", () => t("Counts"), ALL],
    ],
  ],
  [
    "tag",
    "c",
    () => t("Catalogue"),
    [
      ["products", () => t("Products"), ALL],
      ["prices", () => t("Prices"), ALL],
      ["promotions", () => t("Promotions"), ALL],
      ["import", () => t("Import"), A],
    ],
    GAP,
  ],
  ["star", "m", null, [["members", () => t("Members"), A]]],
  [
    "users",
    "w",
    null,
    [
      ["people", () => t("People"), A],
      ["audit", () => t("Audit log"), A],
    ],
    GAP,
  ],
  [
    "settings",
    "x",
    null,
    [
      ["settings", () => t("Settings"), A],
      ["categories", () => t("Categories"), A],
      ["tax-codes", () => t("Tax codes"), A],
      ["tiers", () => t("Tiers"), A],
      ["reasons", () => t("Reasons"), A],
      ["methods", () => t("Payment methods"), A],
      ["registers", () => t("Tills"), A],
      ["api-keys", () => t("API keys"), A],
      ["webhooks", () => t("Webhooks"), A],
    ],
  ],
  ["key-round", "y", null, [["devices", () => t("My devices"), ALL]]],
];
/** All pages, as the menu takes them. */
export const SECTIONS = FAMILIES.flatMap(([image, , , pages, gap]) =>
  pages.map(([name, label, roles], index) => [name, image, label, roles, index === 0 && gap]),
);
export const familyOf = (section) => FAMILIES.find(([, , , pages]) => pages.some(([name]) => name === section));

/** The page of a document, by the page of its list. */
export const DETAILS = {
  stores: "store",
  sales: "sale",
  returns: "return",
  shifts: "shift",
  settlements: "settlement",
  items: "match",
  statements: "statement",
  sources: "source",
  journal: "entry",
  balance: "account",
  accounts: "account",
  invoices: "invoice",
  "credit-notes": "credit-note",
  payments: "payment",
  orders: "order",
  receipts: "delivery",
  "supplier-returns": "supplier-return",
  suppliers: "supplier",
  stock: "stocked",
  transfers: "transfer",
  adjustments: "adjustment",
  counts: "count",
  products: "product",
  promotions: "promotion",
  members: "member",
  people: "person",
  webhooks: "webhook",
};
/** Pages of lists and documents that are described as data, by file. */
export const DESCRIBED = {
  "portal/trade": ["sales", "sale", "returns", "return", "shifts", "shift"],
  "portal/upkeep": ["exceptions", "conflicts", "parked"],
  "catalogue/audit": ["audit"],
  "portal/moved": ["transfers", "transfer", "adjustments", "adjustment", "counts", "count"],
  "books/settlement": ["settlements", "settlement", "statement"],
  "books/clearing": ["items", "sources", "source", "deposits", "match"],
  "books/books": ["balance", "account", "journal", "entry"],
  "books/days": ["days"],
  "books/ledger": ["accounts", "mappings", "proofs", "periods"],
  "books/exports": ["exports"],
  "books/tax": ["tax"],
  "buying/payables": ["invoices", "invoice", "payables"],
  "buying/uninvoiced": ["uninvoiced"],
  "buying/paying": ["credit-notes", "credit-note", "payments", "payment"],
  "buying/orders": ["orders", "order"],
  "buying/deliveries": ["receipts", "delivery", "discrepancies", "supplier-returns", "supplier-return"],
  "buying/goods": ["suppliers", "supplier", "stock", "stocked"],
  "catalogue/catalogue": ["products", "product", "prices", "promotions", "promotion"],
  "catalogue/members": ["members", "member"],
  "catalogue/people": ["people", "person"],
  "catalogue/api_keys": ["api-keys"],
  "catalogue/webhooks": ["webhooks", "webhook"],
  "catalogue/lists": ["categories", "tax-codes", "tiers", "reasons", "methods", "registers"],
};
/** Pages with their own elements, by file. */
export const ELEMENTS = {
  overview: "portal/overview",
  stores: "portal/stores",
  store: "portal/store",
  reports: "portal/report",
  devices: "portal/devices",
  statements: "books/statements",
  suggestions: "buying/suggestions",
  settings: "catalogue/settings",
  import: "catalogue/import",
  order_form: "buying/order_form",
  order_paper: "buying/order_paper",
  revise_form: "buying/revise_form",
  invoice_form: "buying/invoice_form",
  credit_form: "buying/credit_form",
  payment_form: "buying/payment_form",
  entry_form: "books/entry_form",
  opening_form: "books/opening_form",
  match_form: "books/match_form",
  promotion_form: "catalogue/promotion_form",
};
/** Pages for new documents, by the page of the list, with the roles that may open them. */
export const FORMS = {
  orders: ["order_form", P],
  invoices: ["invoice_form", F],
  "credit-notes": ["credit_form", F],
  payments: ["payment_form", F],
  journal: ["entry_form", F],
  balance: ["opening_form", F],
  items: ["match_form", F],
  promotions: ["promotion_form", A],
};
/** Pages of a part of a document. */
export const PARTS = { "orders/revise": ["revise_form", P], "orders/paper": ["order_paper", ALL] };
