// Figures, dates and times of the shop, by the device's language.
import { locale } from "./i18n.js";

let currency = "IDR";
/** Decimals of the currency: amounts are in its smallest unit. */
export let places = 0;
export let zone = "UTC";
/** Whether the company has several time zones. */
export let several = false;
/** Prefixes of receipt numbers: of this shop, and of this till. */
let ofShop = "";
let ofTill = "";
/** `till`: the register that this page sells at. */
export const setShop = (shop, till = "") => {
  ofShop = shop.store_id ? `${shop.store_id}-` : "";
  ofTill = till ? `${ofShop}${till}-` : "";
  currency = shop.currency;
  places = shop.currency_exponent ?? 0;
  zone = shop.timezone;
  several = Boolean(shop.several_zones);
};
const made = new Map();
/** A formatter, made once: making one is slow. */
export const by = (Kind, options, language = locale()) => {
  const name = `${Kind.name}${language}${JSON.stringify(options)}`;
  if (!made.has(name)) made.set(name, new Kind(language, options));
  return made.get(name);
};
const written = (value, fraction) =>
  by(Intl.NumberFormat, { minimumFractionDigits: fraction, maximumFractionDigits: fraction })
    .format(value || 0)
    .replace("-", "\u2212");
/** A count, a minus in front. */
export const number = (value) => written(value, 0);
/** An amount in whole units of the currency, for a scale. */
export const units = (value) => value / 10 ** places;
/** An amount of money without its symbol. */
export const decimal = (value) => written(units(value), places);
export const symbol = () => {
  const parts = by(Intl.NumberFormat, { style: "currency", currency, currencyDisplay: "narrowSymbol" }).formatToParts(
    0,
  );
  return parts.find((part) => part.type === "currency").value;
};
export const money = (value) => (value < 0 ? "\u2212" : "") + `${symbol()}\u00a0${decimal(Math.abs(value))}`;
/** Basis points as per cent. */
export const rate = (points) => `${by(Intl.NumberFormat, { maximumFractionDigits: 2 }).format(points / 100)}\u00a0%`;
/** A time of day. `timeZone`: if it is not the page's, as in a list of all stores. */
export const time = (moment, timeZone = zone) =>
  by(Intl.DateTimeFormat, { hour: "2-digit", minute: "2-digit", hour12: false, timeZone })
    .format(new Date(moment))
    .replace(".", ":");
export const date = (moment, timeZone = zone) =>
  by(Intl.DateTimeFormat, { weekday: "short", day: "numeric", month: "short", year: "numeric", timeZone })
    .format(new Date(moment))
    .replaceAll(",", "");
/** Day and month, with another year's number. */
export const brief = (moment, timeZone = zone) => {
  const at = new Date(moment);
  const year = at.getFullYear() === new Date().getFullYear() ? undefined : "numeric";
  return by(Intl.DateTimeFormat, { day: "numeric", month: "short", year, timeZone }).format(at);
};
/** A business date is the same day everywhere. */
export const day = (text) => date(`${text}T00:00:00Z`, "UTC");
/**
 * Short form of a receipt number: its digits at the till that issued it, and till and digits elsewhere in the shop,
 * since each till has its own numbers.
 */
export const shortReceipt = (no) => {
  if (!no || no.length <= 9) return no ?? "";
  const isOthers = ofShop && no.startsWith(ofShop) && !(ofTill && no.startsWith(ofTill));
  return isOthers ? no.slice(ofShop.length) : `\u2026${no.slice(-8)}`;
};
/** The amount that the decimal key made. Digits after it replace its three zeros, as in a typed 18.500. */
let marked = "";
/** The typed amount in the smallest unit: its digits (1, 2, 5, 0 are 12.50). No digits are not zero. */
export const amount = (text) => {
  const isMarked = !places && /\d[.,]$/.test(text);
  const behind = marked && text.startsWith(marked) ? text.slice(marked.length) : "";
  const typed = isMarked ? `${text}000` : /^\d$/.test(behind) ? marked.slice(0, -4) + behind : text;
  const digits = typed.replace(/\D/g, "");
  if (text !== marked) marked = isMarked ? decimal(Number(digits)) : "";
  // The last digit of 0.00 was deleted.
  const isGone = places && digits.length <= places && !Number(digits) && /\D/.test(text);
  return digits === "" || isGone ? null : Number(digits.slice(0, 13));
};
/** @type {[Intl.RelativeTimeFormatUnit, number, number][]} */
const UNITS = [
  ["day", 172_800, 86_400],
  ["hour", 5400, 3600],
  ["minute", 90, 60],
  ["second", 0, 1],
];
/** Time passed, in its largest unit; show the exact time with it. */
export const ago = (moment) => {
  const seconds = Math.max(0, Math.round((Date.now() - new Date(moment).getTime()) / 1000));
  const [name, , length] = UNITS.find(([, from]) => seconds >= from);
  return by(Intl.RelativeTimeFormat, { style: "short" }).format(-Math.round(seconds / length), name);
};
const unit = (value, name) => by(Intl.NumberFormat, { style: "unit", unit: name, unitDisplay: "narrow" }).format(value);
/** A length of time in its two largest units. */
export const span = (ms) => {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return unit(Math.round(ms / 100) / 10, "second");
  if (minutes < 60) return unit(minutes, "minute");
  if (minutes < 2880) return `${unit(Math.floor(minutes / 60), "hour")} ${unit(minutes % 60, "minute")}`;
  return `${unit(Math.floor(minutes / 1440), "day")} ${unit(Math.floor(minutes / 60) % 24, "hour")}`;
};
/** Offset of a clock. */
export const clock = (ms) => (Math.abs(ms) < 50 ? span(0) : `${ms < 0 ? "\u2212" : "+"}${span(Math.abs(ms))}`);
/** The business date `offset` days from today, as `2026-11-28`. */
export const isoDay = (offset = 0, timeZone = zone) => {
  const parts = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  return parts.format(new Date(Date.now() + offset * 86_400_000));
};
