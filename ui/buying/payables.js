// Invoices of suppliers: compared with orders and receipts, approved, and the debt.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { decimal, isoDay, number, rate } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { ask } from "../kit/form.js";
import "./texts.js";
import {
  badge,
  col,
  days,
  differsBy,
  figure,
  ifSome,
  inMoney,
  link,
  moment,
  person,
  steps,
  store,
  supplier,
} from "../records/cells.js";
import { nameOf, needProducts, productName } from "../records/names.js";
import { pickField } from "../records/picks.js";
import { facts, figures, section, table } from "../records/record.js";
import { ofDays, ofState, ofStore } from "../records/records.js";

/** Differences whose values are not amounts. */
const UNITS = { qty_over: number, not_received: number, tax_rate: rate };
const unitOf = ({ type }) => UNITS[type] ?? decimal;
const STATES = ["draft", "matched", "approved", "partially_paid", "paid"];
export const ofSupplier = () => ({
  name: "supplier_id",
  label: t("Supplier"),
  kind: "pick",
  of: "supplier",
});

const invoices = {
  path: "/api/finance/invoices",
  needs: ["suppliers"],
  list: (page) => ({
    title: t("Invoices"),
    create: { label: t("Record an invoice"), act: () => page.app.go("invoices", "new") },
    filters: [
      ofState([...STATES, "disputed", "cancelled"]),
      ofSupplier(),
      { name: "invoice_no", label: t("Invoice number") },
      { name: "due_to", label: t("Due by"), kind: "date" },
      ofStore(),
      ...ofDays(),
    ],
    open: (one) => address(["invoices", one.invoice_id]),
    columns: [
      col(t("Number"), (one) => html`<bdi>${one.invoice_no}</bdi> <span class="muted d">${one.doc_no}</span>`),
      col(t("Supplier"), (one) => supplier(one.supplier_id)),
      col(t("Date"), (one) => days(one.invoice_date), "d"),
      col(t("Due"), (one) => days(one.due_date)),
      col(t("Total"), (one) => inMoney(one.total), "num"),
      col(t("Open"), (one) => inMoney(one.open), "num"),
      col(
        t("Discrepancy"),
        (one) =>
          one.exceptions.length ? html`<span class="differs">${number(one.exceptions.length)}</span>` : nothing,
        "num d2",
      ),
      col(t("Status"), (one) => badge(one.state)),
    ],
    none: t("No invoices yet. Record one from received goods"),
  }),
};

/** Accepts an invoice's differences one by one, each with a reason. */
const accept = (page, one, url) =>
  page.step({
    label: t("Accept differences"),
    url,
    question: {
      title: t("Accept differences?"),
      text: one.exceptions
        .filter(({ stops, accepted_by: by }) => stops && !by)
        .map(({ type, amount }) => `${t(type)} ${decimal(amount)}`)
        .join(", "),
      list: [{ name: "reason", label: t("Reason"), kind: "area", required: true, focus: true }],
      body: ({ reason }) => ({
        accept: one.exceptions
          .filter(({ stops, accepted_by: by }) => stops && !by)
          .map(({ type, line_no: line }) => ({ type, reason, ...(line === null ? {} : { line_no: line }) })),
      }),
    },
  });

/** Returns the result of a match; one with differences is not a success. */
const compared = ({ state, exceptions }) =>
  state === "disputed"
    ? [t("Compared: {n} differences to settle", { n: number(exceptions.filter(({ stops }) => stops).length) }), "warn"]
    : [t("{what}: done", { what: t("Match") })];
const invoice = {
  back: () => ["invoices", t("Invoices")],
  needs: ["suppliers"],
  load: async (app, { id }) => {
    const one = await app.get("/api/finance/invoices/:id", { id });
    await needProducts(
      app,
      one.lines.map(({ sku }) => sku),
    );
    return one;
  },
  view: (one, page) => {
    const url = (step) => path(`/api/finance/invoices/:id/${step}`, { id: one.invoice_id });
    const is = (...states) => states.includes(one.state);
    const stopped = one.exceptions.some(({ stops, accepted_by: by }) => stops && !by);
    const why = (title, yes, step) =>
      page.step({
        label: yes,
        url: url(step),
        question: {
          title,
          danger: step === "cancel",
          list: [{ name: "reason", label: t("Reason"), kind: "area", required: true, focus: true }],
        },
      });
    return {
      name: one.invoice_no,
      badges: badge(one.state),
      actions: [
        is("draft", "matched", "disputed") &&
          one.state !== "disputed" && {
            label: t("Dispute\u2026"),
            act: why(t("Dispute this invoice?"), t("Dispute"), "dispute"),
          },
        is("draft", "disputed") && {
          label: t("Cancel\u2026"),
          act: why(t("Cancel this invoice?"), t("Cancel invoice"), "cancel"),
        },
        is("draft", "disputed") &&
          stopped && { label: t("Accept differences\u2026"), act: accept(page, one, url("match")) },
        is("draft", "disputed") && {
          label: t("Match"),
          image: "scale",
          kind: "primary",
          act: page.step({ label: t("Match"), url: url("match"), message: compared }),
        },
        is("matched") && {
          label: t("Approve"),
          image: "check",
          kind: "primary",
          why: one.rematch ? t("a delivery has changed; match again first") : null,
          act: page.step({
            label: t("Approve"),
            url: url("approve"),
            body: { total: one.total },
            message: t("Approved and posted"),
            question: {
              title: t("Approve {name}?", { name: one.invoice_no }),
              text: t("{amount} owed to {supplier} is posted", {
                amount: decimal(one.total),
                supplier: nameOf("suppliers", one.supplier_id),
              }),
            },
          }),
        },
        is("approved", "partially_paid", "paid") && {
          label: t("Credit note\u2026"),
          act: () => {
            location.hash = address(["credit-notes", "new"], {
              supplier_id: one.supplier_id,
              invoice_id: one.invoice_id,
            });
          },
        },
        is("approved", "partially_paid") && {
          label: t("Pay"),
          image: "banknote",
          kind: "primary",
          act: () => pay(page, one),
        },
      ],
      parts: [
        steps(is("disputed") ? ["draft", "disputed"] : is("cancelled") ? ["draft", "cancelled"] : STATES, one.state),
        figures([
          [t("Total"), decimal(one.total), supplier(one.supplier_id)],
          [t("Net"), decimal(one.net)],
          [t("Tax"), decimal(one.tax)],
          [
            t("Paid"),
            decimal(one.paid),
            one.credited ? t("{amount} credited", { amount: decimal(one.credited) }) : null,
          ],
          [t("Open"), decimal(one.open), html`${t("due")} ${days(one.due_date)}`],
        ]),
        ifSome(one.exceptions, (list) =>
          table(
            t("Discrepancies"),
            [
              col(
                t("Item"),
                (row) =>
                  html`<b>${t(row.type)}</b>${
                      row.stops && !row.accepted_by
                        ? html` <span class="badge bad">${t("blocks approval")}</span>`
                        : nothing
                    }`,
              ),
              col(t("Line"), (row) => row.line_no ?? nothing, "num"),
              col(t("Expected"), (row) => figure(row.expected, unitOf(row)), "num d"),
              col(t("Invoiced"), (row) => figure(row.actual, unitOf(row)), "num d"),
              col(t("Amount"), (row) => differsBy(row.amount), "num"),
              col(
                t("Accepted"),
                (row) =>
                  row.accepted_by ? html`${person(row.accepted_by)} <span class="muted">${row.reason}</span>` : nothing,
                "d",
              ),
            ],
            list,
          ),
        ),
        table(
          t("Lines"),
          [
            col("#", (row) => row.line_no, "no"),
            col(t("Item"), (row) =>
              row.sku
                ? html`<bdi>${productName(row.sku)}</bdi> <span class="muted">${row.sku}</span>`
                : html`${row.description} <span class="muted">${row.account ?? ""}</span>`,
            ),
            col(
              t("Delivery"),
              (row) =>
                row.receiving_id
                  ? link(["receipts", row.receiving_id], t("View"), { store_id: row.store_id })
                  : row.po_id
                    ? link(["orders", row.po_id], t("Order"))
                    : nothing,
              "d",
            ),
            col(t("Store"), (row) => store(row.store_id), "d2"),
            col(t("Qty"), (row) => figure(row.qty), "num"),
            col(
              t("Received"),
              // Before the match nothing is known, and 0 would be a difference.
              (row) =>
                is("draft")
                  ? html`<span class="muted">${t("not compared yet")}</span>`
                  : html`<span class=${row.matched_qty < row.qty ? "differs" : nothing}
                      >${number(row.matched_qty)}</span
                    >`,
              "num",
            ),
            col(t("Cost each"), (row) => inMoney(row.unit_cost), "num d"),
            col(t("Net"), (row) => inMoney(row.net), "num"),
            col(
              t("Tax"),
              (row) => html`${decimal(row.tax)} <span class="muted">${rate(row.tax_rate_bp)}</span>`,
              "num d2",
            ),
            col(t("Difference"), (row) => differsBy(row.variance), "num d2"),
          ],
          one.lines,
        ),
        section(
          t("Details"),
          facts([
            [t("Supplier"), link(["suppliers", one.supplier_id], nameOf("suppliers", one.supplier_id))],
            [t("Our number"), one.doc_no],
            [t("Invoice date"), days(one.invoice_date)],
            [t("Due"), days(one.due_date)],
            [t("Tax invoice"), one.tax_invoice_no ? html`${one.tax_invoice_no} ${days(one.tax_invoice_date)}` : null],
            [
              t("Discount for early payment"),
              one.discount_terms
                ? t("{rate} within {n} days", { rate: rate(one.discount_terms.bp), n: one.discount_terms.days })
                : null,
            ],
            [t("Created"), moment(one.created_at)],
            [t("By"), person(one.created_by)],
            [t("Approved"), one.approved_at ? html`${moment(one.approved_at)} ${person(one.approved_by)}` : null],
            [t("Note"), one.note],
            [t("Entries"), link(["journal"], t("View"), { cause_id: one.invoice_id })],
          ]),
        ),
      ],
    };
  },
};

const pay = async (page, one) => {
  const paid = await ask(page.app, {
    title: t("Pay {name}", { name: one.invoice_no }),
    yes: t("Record the payment"),
    text: t("This records a payment that you make at the bank"),
    list: [
      { name: "amount", label: t("Amount"), kind: "money", value: one.open, required: true, focus: true },
      { name: "date", label: t("Day"), kind: "date", value: isoDay(), required: true },
      pickField(page.app, "account", { name: "account", label: t("From account"), value: "1040", required: true }),
      { name: "reference", label: t("Reference") },
    ],
    act: ({ amount, ...body }) =>
      page.app.command({
        url: "/api/finance/payments",
        body: { ...body, amount, supplier_id: one.supplier_id, allocations: [{ invoice_id: one.invoice_id, amount }] },
        label: t("Payment"),
      }),
  });
  if (!paid) return;
  await page.load();
  page.app.say("ok", t("Payment {no} recorded", { no: paid.doc_no }));
};

const payables = {
  path: "/api/finance/payables",
  whole: true,
  needs: ["suppliers"],
  get defaults() {
    return { as_of: isoDay(), group_by: "supplier" };
  },
  list: ({ filters: { group_by: by } }) => ({
    title: t("Payables"),
    papers: true,
    create: {
      label: t("Pay due invoices"),
      act: () => {
        location.hash = address(["payments", "new"]);
      },
    },
    filters: [
      { name: "as_of", label: t("As of"), kind: "date" },
      ofSupplier(),
      {
        name: "group_by",
        label: t("Group by"),
        kind: "choice",
        always: true,
        choices: [
          ["supplier", t("Supplier")],
          ["invoice", t("Invoice")],
        ],
      },
    ],
    open: (one) => (one.document_id ? address(["invoices", one.document_id]) : address(["suppliers", one.supplier_id])),
    above: ({ answer }) =>
      answer
        ? html`<div class="above">
            ${figures([
              [t("Owed"), decimal(answer.totals.total)],
              [t("Not due yet"), decimal(answer.totals.not_due)],
              [t("Credits"), decimal(answer.totals.credits)],
              [t("Paid in advance"), decimal(answer.totals.advances)],
            ])}
          </div>`
        : nothing,
    columns: [
      col(t("Supplier"), (one) => supplier(one.supplier_id)),
      ...(by === "invoice"
        ? [col(t("Invoice"), (one) => one.invoice_no ?? nothing), col(t("Due"), (one) => days(one.due_date), "d")]
        : []),
      col(t("Not due yet"), (one) => inMoney(one.not_due), "num"),
      col(t("1 to 30 days"), (one) => inMoney(one.days_1_30), "num d"),
      col(t("31 to 60"), (one) => inMoney(one.days_31_60), "num d"),
      col(t("61 to 90"), (one) => inMoney(one.days_61_90), "num d2"),
      col(t("Over 90"), (one) => inMoney(one.days_over_90), "num d2"),
      col(t("Credits"), (one) => inMoney(one.credits), "num d3"),
      col(t("In advance"), (one) => inMoney(one.advances), "num d3"),
      col(t("Total"), (one) => inMoney(one.total), "num"),
    ],
    none: t("No amounts owed"),
  }),
};

export const pages = { invoices, invoice, payables };
