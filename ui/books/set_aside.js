// Rows of a statement file that were set aside: the reasons, and the user's decision on each.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { decimal, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { col, days, inMoney } from "../records/cells.js";
import { pasted } from "../records/pasted.js";
import { table } from "../records/record.js";
import "./texts.js";

/** Line types to choose from when a row is added as a line. */
const KINDS = [
  "sale",
  "refund",
  "chargeback",
  "chargeback_reversal",
  "fee",
  "payout",
  "reserve",
  "adjustment",
  "deposit",
  "transfer",
  "other",
];
/** Most rows that a preview shows. */
const SHOWN_MAX = 50;
/** States in which a user can decide on a row. */
const DECIDABLE = ["open", "noted"];

const reasonCell = (row) =>
  html`<div class="statement of-file">
    <b>${t(`aside.${row.reason}`)}</b>${
      row.problem
        ? html`<p class="muted">${row.field ? html`<code>${row.field}</code> ` : nothing}${row.problem}</p>`
        : nothing
    }${
      row.text
        ? html`<p class="noted">
            <code><bdi>${row.text}</bdi></code>
          </p>`
        : nothing
    }
  </div>`;
const columns = [
  col(t("Row"), (row) => number(row.row_no), "num"),
  col(t("Reason"), reasonCell, "wide-cell"),
  col(t("Day"), (row) => days(row.date)),
  col(t("Reference"), (row) => html`<bdi>${row.reference}</bdi>`, "d"),
  col(t("Amount"), (row) => inMoney(row.amount), "num"),
];

/** Returns the number of rows for each reason, as text. */
export const countsText = (one) => {
  const all = Object.entries(one.set_aside ?? {});
  return all.map(([reason, n]) => `${t(`aside.${reason}`)}: ${number(n)}`).join(" \u00b7 ");
};

/** The rows that an import would set aside, in the preview of a file. */
export const previewed = (preview) => {
  const rows = preview.rows_set_aside ?? [];
  if (!rows.length) return nothing;
  return html`<div id="set-aside">
    ${table(t("Set aside: {n}", { n: number(rows.length) }), columns, rows.slice(0, SHOWN_MAX), t("No rows set aside"))}
    <p class="muted">
      ${countsText(preview)}${
        rows.length > SHOWN_MAX
          ? ` \u00b7 ${t("The first {n} are shown. The statement lists all", { n: number(SHOWN_MAX) })}`
          : nothing
      }
    </p>
  </div>`;
};

/** Returns a typed amount with its sign. Invalid text gives 0, which the server refuses. */
const amountOf = (text) => (/[-\u2212(]/.test(text) ? -1 : 1) * (pasted(text.replace(/[-\u2212()]/g, "")) ?? 0);

const take = (page, one, row) =>
  page.step({
    label: t("Add as line"),
    url: path("/api/statements/:id/set-aside/:row_id/take", { id: one.statement_id, row_id: row.row_id }),
    message: t("Added as a line"),
    question: {
      title: t("Add row {n} as a line?", { n: number(row.row_no) }),
      text: row.text,
      list: [
        { name: "date", label: t("Day"), kind: "date", value: row.date ?? "", required: true },
        {
          name: "amount",
          label: t("Amount (negative for money out)"),
          value: row.amount === null ? "" : decimal(row.amount),
          required: true,
          focus: true,
        },
        {
          name: "type",
          label: t("Type"),
          kind: "choice",
          choices: [["", t("by its sign")], ...KINDS.map((kind) => [kind, t(`line.${kind}`)])],
        },
        { name: "reference", label: t("Reference"), value: row.reference },
        { name: "description", label: t("line.description"), value: row.description },
        { name: "reason", label: t("Reason"), kind: "area", required: true },
      ],
      // An unchanged amount is not sent, so that the server keeps the row's gross, fee and net.
      body: ({ amount, ...given }) => {
        const typed = amountOf(amount);
        return { ...given, ...(typed === row.amount ? {} : { amount: typed }) };
      },
    },
  });

const dismiss = (page, one, row) =>
  page.step({
    label: t("Dismiss"),
    url: path("/api/statements/:id/set-aside/:row_id/dismiss", { id: one.statement_id, row_id: row.row_id }),
    message: t("Dismissed"),
    question: {
      title: t("Dismiss row {n}?", { n: number(row.row_no) }),
      text: t("Neither a payment nor a fee. It stays in this list with your reason"),
      list: [{ name: "reason", label: t("Reason"), kind: "area", required: true, focus: true }],
    },
  });

const decisionCell = (page, one) => (row) => {
  if (!DECIDABLE.includes(row.state))
    return html`<span>${t(`aside_state.${row.state}`)}</span
      >${row.decision ? html` <span class="muted"><bdi>${row.decision}</bdi></span>` : nothing}`;
  return html`<button class="btn small" ?disabled=${page.busy} @click=${take(page, one, row)}>
      ${t("Add as line")}
    </button>
    ${
      row.state === "open"
        ? html`<button class="btn small" ?disabled=${page.busy} @click=${dismiss(page, one, row)}>
            ${t("Dismiss")}
          </button>`
        : nothing
    }`;
};

/** The table of rows set aside on a statement's page, with buttons to decide on each. */
export const setAside = (page, one) => {
  if (!one.aside?.length) return nothing;
  return table(
    t("Set aside: {n}, to decide on: {open}", { n: number(one.aside.length), open: number(one.set_aside_open ?? 0) }),
    [...columns, col("", decisionCell(page, one), "acts")],
    one.aside,
    t("No rows set aside"),
  );
};
