// Format of the files of a provider or a bank, as a form.
import { path } from "../kit/api.js";
import { t } from "../kit/i18n.js";

const FIELDS = [
  "date",
  "time",
  "zone",
  "reference",
  "description",
  "amount",
  "sign",
  "gross",
  "fee",
  "net",
  "debit",
  "credit",
  "gross_debit",
  "gross_credit",
  "net_debit",
  "net_credit",
  "type",
  "status",
  "batch",
  "store_ref",
  "currency",
  "account",
];

/** Formats of amounts, for files that do not show it. */
export const MARKS = () => [
  ["none", t("no decimals")],
  [",", "1.234,50"],
  [".", "1,234.50"],
];

/** Identity of a source's files. Empty fields are not checked. */
export const identity = (one) => [
  {
    name: "account_no",
    label: t("Account number or IBAN in its files"),
    value: one.account_no ?? "",
    clears: one.source_id ? true : undefined,
    hint: t("Files of other accounts are rejected"),
  },
  {
    name: "currency",
    label: t("Currency"),
    value: one.currency ?? "",
    clears: one.source_id ? true : undefined,
    hint: t("For example IDR; rows of another currency are set aside"),
  },
  {
    name: "timezone",
    label: t("Time zone of the times in its files"),
    value: one.timezone ?? "",
    clears: one.source_id ? true : undefined,
    hint: t("For example UTC or Asia/Jakarta; blank: dates are not shifted"),
  },
];

const listed = (words) => (words ?? []).join(", ");
const wordsOf = (text) =>
  (text ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean);
/** Returns columns as typed: names or numbers, several joined by `+`. */
const shownColumn = (column) => (column === undefined ? "" : [column].flat().join(" + "));
const oneColumn = (text) => (/^\d+$/.test(text) ? Number(text) : text);
const columnOf = (text) => {
  const all = text
    .split(" + ")
    .map((part) => oneColumn(part.trim()))
    .filter((part) => part !== "");
  return all.length > 1 ? all : all[0];
};
const column = (name) => `column_${name}`;
/** `text = type` lines, as they are written and read. */
const written = (types) =>
  Object.entries(types)
    .map(([text, type]) => `${text} = ${type}`)
    .join("\n");
const typesOf = (text) =>
  Object.fromEntries(
    (text ?? "")
      .split("\n")
      .map((line) => line.split("=").map((part) => part.trim()))
      .filter(([name, type]) => name && type),
  );

const list = ({ csv }) => [
  {
    name: "delimiter",
    label: t("Delimiter"),
    kind: "choice",
    value: csv.delimiter,
    choices: [
      ["auto", t("detected")],
      [",", ","],
      [";", ";"],
      ["tab", t("a tab")],
      ["|", "|"],
    ],
  },
  {
    name: "decimal",
    label: t("Decimal separator"),
    kind: "choice",
    value: csv.decimal,
    choices: [["auto", t("detected")], ...MARKS()],
  },
  {
    name: "fraction",
    label: t("Amounts with decimals"),
    kind: "choice",
    value: csv.fraction ?? "set_aside",
    choices: [
      ["set_aside", t("set the row aside")],
      ["round", t("round and post the remainder")],
    ],
  },
  { name: "date_format", label: t("Days"), value: csv.date_format, required: true, hint: t("%d/%m/%Y is 31/12/2026") },
  {
    name: "encoding",
    label: t("Encoding"),
    kind: "choice",
    value: csv.encoding,
    choices: [
      ["utf-8", "UTF-8"],
      ["utf-16", "UTF-16"],
      ["windows-1252", "Windows-1252"],
      ["iso-8859-1", "ISO-8859-1"],
    ],
  },
  { name: "skip_rows", label: t("Header rows to skip"), kind: "count", value: csv.skip_rows },
  { name: "skip_footer", label: t("Footer rows to skip"), kind: "count", value: csv.skip_footer },
  { name: "negate", label: t("Incoming money is negative"), kind: "check", value: csv.negate },
  ...FIELDS.map((name) => ({
    name: column(name),
    label: t("Heading or number of the column: {field}", { field: t(`line.${name}`) }),
    value: shownColumn(csv.columns[name]),
  })),
  {
    name: "words_in",
    label: t("Words for money in (comma-separated)"),
    value: listed(csv.sign_words?.in),
    hint: "CR, K",
  },
  {
    name: "words_out",
    label: t("Words for money out (comma-separated)"),
    value: listed(csv.sign_words?.out),
    hint: "DB, D",
  },
  {
    name: "status_words",
    label: t("Status words to include (comma-separated)"),
    value: listed(csv.status_words),
    hint: t("Leave blank for the common words for success"),
  },
  {
    name: "types",
    label: t("Meaning of the texts in the type column, one per line"),
    kind: "area",
    value: written(csv.types),
    hint: "Refund = refund",
  },
];

/** Returns the body of a form about `csv`; other fields keep their values. */
const body =
  ({ csv }) =>
  (given) => {
    const asked = FIELDS.map((name) => [name, given[column(name)]]).filter(([, value]) => value);
    const unasked = Object.entries(csv.columns).filter(([name]) => !FIELDS.includes(name));
    const same = (/** @type {any[]} */ [name, value]) => [
      name,
      value === shownColumn(csv.columns[name]) ? csv.columns[name] : columnOf(value),
    ];
    const {
      delimiter,
      decimal,
      fraction,
      date_format: days,
      encoding,
      skip_rows: before = 0,
      skip_footer: after = 0,
      negate,
    } = given;
    const [into, out, statuses] = [given.words_in, given.words_out, given.status_words].map(wordsOf);
    const signs =
      into.length || out.length
        ? { sign_words: { ...(into.length ? { in: into } : {}), ...(out.length ? { out } : {}) } }
        : {};
    const words = { ...signs, ...(statuses.length || csv.status_words?.length ? { status_words: statuses } : {}) };
    // A rule that was never set keeps the program's default.
    const rest = fraction === "round" || csv.fraction ? { fraction } : {};
    const kept = Object.fromEntries(Object.entries(csv).filter(([name]) => name !== "sign_words"));
    return {
      csv: {
        ...kept,
        ...rest,
        ...words,
        delimiter,
        decimal,
        date_format: days,
        encoding,
        skip_rows: before,
        skip_footer: after,
        negate,
        columns: Object.fromEntries([...unasked, ...asked.map(same)]),
        types: typesOf(given.types),
      },
    };
  };

/** The step for the file format of a source. */
export const formatStep = (page, one) =>
  page.step({
    label: t("Save"),
    method: "PATCH",
    money: false,
    message: t("Saved"),
    url: path("/api/statement-sources/:id", { id: one.source_id }),
    question: {
      title: t("File format"),
      text: t("Leave blank if the column has the field's name"),
      list: list(one),
      body: body(one),
    },
  });
