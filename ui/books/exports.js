// Exports of the journal for accounting programs: created from the entries that no export has, and their files.
import { path } from "../kit/api.js";
import { number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { ask } from "../kit/form.js";
import "./texts.js";
import { col, inMoney, moment, person, store } from "../records/cells.js";
import { download } from "../records/files.js";

const FORMATS = [
  ["csv", "CSV"],
  ["quickbooks", "QuickBooks Online"],
  ["xero", "Xero"],
];
const formatName = (format) => FORMATS.find(([name]) => name === format)?.[1] ?? format;

const create = async (page) => {
  const next = await ask(page.app, {
    title: t("Export new entries"),
    yes: t("Export"),
    text: t("Each entry is exported once. Large exports have several files."),
    list: [
      { name: "format", label: t("Accounting program"), kind: "choice", choices: FORMATS, focus: true },
      {
        name: "tax_rate_name",
        label: t("Name of the tax rate"),
        hint: t("Only for Xero, as it is named there, for example Tax Exempt"),
      },
    ],
    act: ({ format, tax_rate_name }) =>
      page.app.change("POST", "/api/finance/exports", format === "xero" ? { format, tax_rate_name } : { format }),
  });
  if (!next) return;
  await page.load();
  if (!next.export) page.app.say("ok", t("All entries are exported already"));
  else if (next.more) page.app.say("ok", t("Exported. More entries are left for the next file"));
  else page.app.say("ok", t("All new entries are exported"));
};

const save = (page, { export_id, export_no }) =>
  page.once(async () => {
    const text = await page.app.get(path("/api/finance/exports/:export_id/file", { export_id }), {}, null, "text/csv");
    download(`journal-${export_no}.csv`, text, "");
  });

const books = ({ books: all }) =>
  all.length === 1 ? store(all[0].store_id) : t("{n} books", { n: number(all.length) });

const exports = {
  path: "/api/finance/exports",
  needs: ["people", "stores"],
  list: (page) => ({
    title: t("Exports"),
    create: { label: t("Export new entries"), image: "download", act: () => create(page) },
    columns: [
      col(t("Number"), (one) => number(one.export_no)),
      col(t("Accounting program"), (one) => formatName(one.format)),
      col(t("Book"), books),
      col(t("Entries"), (one) => number(one.entries_count), "num"),
      col(t("Total"), (one) => inMoney(one.total), "num"),
      col(t("Created"), (one) => [moment(one.created_at), " ", person(one.created_by)], "d"),
    ],
    actions: (one) => [{ label: t("Download"), act: () => save(page, one) }],
    none: t("No exports yet"),
  }),
};

export const pages = { exports };
