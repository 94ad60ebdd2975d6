// Texts: an English sentence is its own key. The words of codes and all Indonesian texts are in the folders'
// `texts.en.json` and `texts.id.json`.
import sharedEn from "./texts.en.json" with { type: "json" };
import sharedId from "./texts.id.json" with { type: "json" };

const en = { ...sharedEn };
const id = { ...sharedId };

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
/** Adds the texts of a folder; they replace earlier ones with the same key. */
export const addTexts = (texts) => {
  Object.assign(en, texts.en);
  Object.assign(id, texts.id);
};
/** Whether there is an English text of this code. */
export const known = (code) => Object.hasOwn(en, code);
/** Letters that are written from the right, and marks that turn what follows them around. */
const TURNS = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]/;
/** Such a text beside others turns nothing but itself; where an element can be, a `bdi` does that. */
export const apart = (value) => (typeof value === "string" && TURNS.test(value) ? `\u2068${value}\u2069` : value);
/** In English one is no plural: "1 sales are" is "1 sale is". */
const COUNTED = /\{(n|p|rows|days|left)\}(?: ([a-z]{3,}?)(ies|s)\b)?( are\b)?/g;
const one = (found, values) =>
  found.replace(COUNTED, (whole, name, noun, end, are) =>
    String(values[name]) === "1"
      ? `{${name}}${noun ? ` ${noun}${end === "ies" ? "y" : ""}` : ""}${are ? " is" : ""}`
      : whole,
  );
/** A text with its figures put in. */
export const t = (text, values = {}) => {
  const found = language === "id" ? (id[text] ?? text) : one(en[text] ?? text, values);
  return found.replace(/\{(\w+)\}/g, (_, name) => apart(values[name]) ?? "");
};
