// Figures, dates and times of the shop, by the device's language.
import { locale } from "./i18n.js";

let currency = "IDR";
let zone = "UTC";
export const setShop = (shop) => {
  currency = shop.currency;
  zone = shop.timezone;
};
const made = new Map();
const by = (Kind, options) => {
  const name = `${Kind.name}${locale()}${zone}${JSON.stringify(options)}`;
  if (!made.has(name)) made.set(name, new Kind(locale(), options));
  return made.get(name);
};
/** A figure without its symbol, a minus in front. */
export const number = (value) => by(Intl.NumberFormat, { maximumFractionDigits: 0 }).format(value || 0).replace("-", "\u2212");
export const symbol = () => {
  const parts = by(Intl.NumberFormat, { style: "currency", currency, currencyDisplay: "narrowSymbol" }).formatToParts(0);
  return parts.find((part) => part.type === "currency").value;
};
export const money = (value) => (value < 0 ? "\u2212" : "") + `${symbol()}\u00a0${number(Math.abs(value))}`;
/** Basis points as per cent. */
export const rate = (points) => `${by(Intl.NumberFormat, { maximumFractionDigits: 2 }).format(points / 100)}\u00a0%`;
export const time = (moment) => by(Intl.DateTimeFormat, { hour: "2-digit", minute: "2-digit", hour12: false, timeZone: zone })
  .format(new Date(moment)).replace(".", ":");
export const date = (moment) => by(Intl.DateTimeFormat, { weekday: "short", day: "numeric", month: "short", year: "numeric", timeZone: zone })
  .format(new Date(moment)).replaceAll(",", "");
/** A business date is the same day everywhere. */
export const day = (text) => new Intl.DateTimeFormat(locale(), { weekday: "short", day: "numeric", month: "short", year: "numeric", timeZone: "UTC" })
  .format(new Date(`${text}T00:00:00Z`)).replaceAll(",", "");
/** The last digits, by which a receipt is told apart at a glance. */
export const shortReceipt = (no) => (no && no.length > 9 ? `\u2026${no.slice(-8)}` : (no ?? ""));
/** What was typed as an amount: digits only; nothing typed is not zero. */
export const amount = (text) => {
  const digits = text.replace(/[.,]$/, "000").replace(/\D/g, "");
  return digits === "" ? null : Number(digits.slice(0, 13));
};
