// Pasted amounts: loaded on first use.
import { places } from "../kit/format.js";

/**
 * The pasted amount, grouped in any way, with the currency's decimals or zeros. Undefined for other text and for a
 * minus: a part of the text would be another amount.
 */
export const pasted = (text) => {
  const decimals = places ? `(?:[.,](\\d{1,${places}})0{0,2})?` : "(?:[.,](0{1,2}))?";
  // Three digits after a mark are a group, unless they are the decimals of the currency.
  const lazy = places === 3 ? "?" : "";
  const form = `^\\D{0,4}?(\\d{1,3}(?:([.,' \u00a0\u202f])\\d{3}(?:\\2\\d{3})*)?${lazy}|\\d+)${decimals}$`;
  const [whole, digits, , part = ""] = text.trim().match(new RegExp(form)) ?? [];
  if (whole === undefined || /[-\u2212(]/.test(whole)) return undefined;
  return Number((digits.replace(/\D/g, "") + (places ? part.padEnd(places, "0") : "")).slice(0, 13));
};
