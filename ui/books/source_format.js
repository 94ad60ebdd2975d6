// How the files of a provider or a bank look, as a question with fields.
import { path } from "../shared/api.js";
import { t } from "../shared/i18n.js";

const FIELDS = ["date", "reference", "description", "amount", "gross", "fee", "net", "debit", "credit", "type", "batch", "store_ref"];
const column = (name) => `column_${name}`;
/** `text = type` lines, as they are written and read. */
const written = (types) => Object.entries(types).map(([text, type]) => `${text} = ${type}`).join("\n");
const typesOf = (text) => Object.fromEntries((text ?? "").split("\n").map((line) => line.split("=").map((part) => part.trim())).filter(([name, type]) => name && type));

/** A column as a person writes it; several that are added up have commas between them. */
const typed = (columns) => [columns ?? []].flat().join(", ");
const columnOf = (text) => (/^\d+$/.test(text) ? Number(text) : text);
/** Headers may have commas in them: only numbers are a list. */
const columnsOf = (text) => (/^\d+(\s*,\s*\d+)+$/.test(text) ? text.split(",").map(Number) : columnOf(text));

const list = ({ csv }) => [
  { name: "delimiter", label: t("Between cells"), kind: "choice", value: csv.delimiter, choices: [["auto", t("found out by itself")], [",", ","], [";", ";"], ["tab", t("a tab")], ["|", "|"]] },
  { name: "decimal", label: t("Before the fraction of an amount"), kind: "choice", value: csv.decimal, choices: [["auto", t("found out by itself")], ["none", t("nothing: amounts are whole")], [",", ","], [".", "."]] },
  { name: "date_format", label: t("Days"), value: csv.date_format, required: true, hint: t("%d/%m/%Y is 31/12/2026") },
  { name: "encoding", label: t("Letters"), kind: "choice", value: csv.encoding, choices: [["utf-8", "UTF-8"], ["utf-16", "UTF-16"], ["windows-1252", "Windows-1252"], ["iso-8859-1", "ISO 8859-1"]] },
  { name: "skip_rows", label: t("Lines before the headings"), kind: "count", value: csv.skip_rows }, { name: "skip_footer", label: t("Lines after the last one that counts"), kind: "count", value: csv.skip_footer },
  { name: "negate", label: t("Money to us stands below 0"), kind: "check", value: csv.negate },
  ...FIELDS.map((name) => ({ name: column(name), label: t("Heading or number of the column: {field}", { field: t(`line.${name}`) }), value: typed(csv.columns[name]) })),
  { name: "types", label: t("What the texts in the column of types mean, a line each"), kind: "area", value: written(csv.types), hint: "Refund = refund" },
];

/** What the question does not ask about stays as it is. */
const body = ({ csv }) => (given) => {
  const asked = FIELDS.map((name) => [name, given[column(name)]]).filter(([, value]) => value);
  const kept = Object.entries(csv.columns).filter(([name]) => !FIELDS.includes(name));
  const same = ([name, value]) => [name, value === typed(csv.columns[name]) ? csv.columns[name] : columnsOf(value)];
  const { delimiter, decimal, date_format: days, encoding, skip_rows: before = 0, skip_footer: after = 0, negate } = given;
  return { csv: { ...csv, delimiter, decimal, date_format: days, encoding, skip_rows: before, skip_footer: after, negate, columns: Object.fromEntries([...kept, ...asked.map(same)]), types: typesOf(given.types) } };
};

/** The step that says how the files of a source look. */
export const formatStep = (page, one) => page.step({
  label: t("Save"), method: "PATCH", money: false, said: t("Saved"), url: path("/api/statement-sources/:id", { id: one.source_id }),
  question: { title: t("How its files look"), text: t("Empty: the column has the field's own name"), list: list(one), body: body(one) },
});
