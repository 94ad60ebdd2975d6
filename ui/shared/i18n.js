// Texts: the English sentence is its own key; id.js has each in Indonesian.
import { en } from "./en.js";
import { id } from "./id.js";

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
/** Such a text in a sentence turns nothing but itself. */
const isolated = (value) => (typeof value === "string" && TURNS.test(value) ? `\u2068${value}\u2069` : value);
/** A text with its figures put in. */
export const t = (text, values = {}) => {
  const said = (language === "id" ? id : en)[text] ?? text;
  return said.replace(/\{(\w+)\}/g, (_, name) => isolated(values[name]) ?? "");
};
