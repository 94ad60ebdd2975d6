// Files that a page makes of its content.
import { locale } from "../kit/i18n.js";

/**
 * Returns a figure in the form that programs read: an ASCII minus, a decimal point, no groups; other text is unchanged.
 */
export const cellText = (cell) => {
  const text = (cell.querySelector("time")?.dateTime || cell.textContent).replace(/\s+/g, " ").trim();
  if (!cell.classList.contains("num")) return text;
  const plain = text.replace("\u2212", "-");
  const isComma = (0.5).toLocaleString(locale()).includes(",");
  const [form, group] = isComma ? [/^-?\d{1,3}(\.?\d{3})*(,\d+)?$/, "."] : [/^-?\d{1,3}(,?\d{3})*(\.\d+)?$/, ","];
  return form.test(plain) ? plain.replaceAll(group, "").replace(",", ".") : text;
};

/** Marks text that a spreadsheet would read as a formula. */
const cell = (text) => {
  const safe = /^[=+@\t\r]|^-(?!\d)/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
export const csvOf = (rows) => rows.map((row) => row.map(cell).join(",")).join("\r\n");

/** Saves a file; `mark` says to spreadsheets that its text is UTF-8. */
export const download = (name, text, mark = "\ufeff") => {
  const way = document.createElement("a");
  way.href = URL.createObjectURL(new Blob([mark, text], { type: "text/csv" }));
  way.download = name;
  way.click();
  URL.revokeObjectURL(way.href);
};
