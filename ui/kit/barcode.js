// Codes: one article has one code, however a scanner or a supplier spells it. The same rules as the server's
// `domain/src/model/inventory/barcode.rs`, for what a page compares by itself.
import { t } from "./i18n.js";

/** Digits of the longest GTIN. */
const GTIN_DIGITS = 14;
/** FNC1 as scanners send it: it ends a field of variable length. */
export const FNC1 = "\u001d";
/** Marks that nobody sees: zero width, direction, soft hyphen, byte order. */
const UNSEEN = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;
/** Symbology identifiers of codes that hold GS1 element strings. */
const GS1 = /^(?:[CJ]1|e[0-2]|d2|Q3)$/;

const isDigits = (text) => /^\d+$/.test(text);

/** Whether the last digit is the check digit of those before it. */
const checkDigitHolds = (code) => {
  const sum = [...code.slice(0, -1)]
    .reverse()
    .reduce((all, digit, index) => all + Number(digit) * (index % 2 ? 1 : 3), 0);
  return (10 - (sum % 10)) % 10 === Number(code.at(-1));
};

/** Whether digits are as many as a GTIN has. Of a number whose zeros in front were lost, the check digit says so. */
const isGtin = (code) =>
  isDigits(code) && (/^(?:.{8}|.{12,14})$/.test(code) || (/^.{9,11}$/.test(code) && checkDigitHolds(code)));

// ---- GS1 element strings: data fields one after another, each behind its application identifier. The GTIN is field
// 01.

/** Lengths of fields with their identifier, where the standard sets them. */
const FIXED = { "00": 20, "01": 16, "02": 16, "03": 16, "04": 18, 20: 4, 41: 16 };
const VARIABLE = /^(?:10|2[1-5]|30|37|39|4[023]|7[0-2]|8[0-2]|9\d)/;

/** What follows the first field; none where it is not a field: null. */
const afterField = (text) => {
  const identifier = text.slice(0, 2);
  if (!/^\d\d$/.test(identifier)) return null;
  const length = FIXED[identifier] ?? (/^1[1-9]$/.test(identifier) ? 8 : /^3[1-6]$/.test(identifier) ? 10 : null);
  if (length) return text.length < length ? null : text.slice(length).replace(/^\u001d+/, "");
  if (!VARIABLE.test(text)) return null;
  const end = text.indexOf(FNC1);
  const field = end < 0 ? text : text.slice(0, end);
  return field.length > identifier.length ? text.slice(field.length + (end < 0 ? 0 : 1)) : null;
};

const first14 = (text) => /^\d{14}/.exec(text)?.[0] ?? null;

const gtinField = (text) => {
  for (let left = text; left; left = afterField(left)) if (left.startsWith("01")) return first14(left.slice(2));
  return null;
};

const isComplete = (text) => {
  let left = text;
  while (left) left = afterField(left);
  return left === "";
};

/**
 * The GTIN of a GS1 code: as the scanner sent it, as people read it below the bars, or as a web address; null if there
 * is none.
 */
const elementGtin = (text, isGs1) => {
  if (text.startsWith("(")) {
    const read = text.replace(/\s/g, "");
    const at = read.indexOf("(01)");
    return at < 0 ? null : first14(read.slice(at + 4));
  }
  if (/^https?:\/\//.test(text)) {
    const code = text.split("/01/").slice(1).join("/01/").split(/[/?#]/)[0];
    return isGtin(code) ? code : null;
  }
  const fields = text.replace(/^\u001d+/, "");
  if (isGs1 || fields.includes(FNC1)) return gtinField(fields);
  // Without a mark of the scanner only what is a GS1 code from its beginning to its end is one.
  const gtin = fields.startsWith("01") ? first14(fields.slice(2)) : null;
  return gtin && checkDigitHolds(gtin) && isComplete(fields.slice(16)) ? gtin : null;
};

/** Digits that somebody grouped for reading; null where the marks may belong to the code. */
const ungrouped = (code) => {
  const digits = code.replace(/[ \-.,]/g, "");
  if (digits === code || !isDigits(digits) || !/^(?:.{8}|.{12,14})$/.test(digits)) return null;
  return /^[\d ]*$/.test(code) || checkDigitHolds(digits) ? digits : null;
};

/**
 * The code that a scan names: without the scanner's symbology identifier (`]E0`), and of a GS1 code the GTIN alone. Its
 * digits are as many as were read.
 */
export const codeOf = (scan) => {
  const text = scan
    .normalize("NFKC")
    .replace(UNSEEN, "")
    .replace(/^[\s\u0000-\u001c\u001e\u001f]+|[\s\u0000-\u001c\u001e\u001f]+$/g, "");
  const [, symbology = null, rest = text] = /^\]([A-Za-z][A-Za-z\d])(.+)$/s.exec(text) ?? [];
  const code = /^E[03]$/.test(symbology ?? "") ? rest.slice(0, 13) : rest;
  const bare = code.replace(/[\u0000-\u001f]/g, "").trim();
  return elementGtin(code, GS1.test(symbology ?? "")) ?? ungrouped(bare) ?? bare;
};

/** What codes are compared by: a GTIN with 14 digits; any other code as it is. */
export const normal = (scan) => {
  const code = codeOf(scan);
  return isGtin(code) ? code.padStart(GTIN_DIGITS, "0") : code;
};

/** Whether two codes name the same article. */
export const same = (one, other) => one === other || normal(one) === normal(other);

/**
 * A code that may be shown: the digits of a bar code. Anything else may be a password that was typed in the wrong
 * place: null.
 */
export const shown = (scan) => {
  const code = codeOf(scan);
  return isDigits(code) && code.length <= GTIN_DIGITS ? code : null;
};

/** A code in a sentence; what may not be shown is none. */
export const named = (code) => shown(code) ?? t("this code");
