// Purchase orders: written, approved, sent; their receipts and invoices.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { decimal, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import "./texts.js";
import {
  badge,
  col,
  days,
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
import { ofSupplier } from "./payables.js";
import { facts, figures, section, table } from "../records/record.js";
import { revisions } from "./revisions.js";
import { ofDays, ofState, ofSku, ofStore } from "../records/records.js";

const P = ["admin", "ho_purchasing"];
const F = ["admin", "ho_finance"];
const STATES = ["draft", "approved", "sent", "partially_received", "received", "closed"];
const asked = (one) =>
  one.state === "draft" && one.submitted_at
    ? html`${badge("draft")} <span class="badge warn">${t("pending approval")}</span>`
    : badge(one.state);

const orders = {
  path: "/api/purchase-orders",
  needs: ["suppliers"],
  live: ["order"],
  list: (page) => ({
    title: t("Orders"),
    create: page.app.may(P) ? { label: t("New order"), act: () => page.app.go("orders", "new") } : null,
    filters: [
      ofState([...STATES, "cancelled"]),
      ofSupplier(),
      ofStore(),
      { name: "late", label: t("Late"), kind: "choice", choices: [["true", t("late only")]] },
      {
        name: "submitted",
        label: t("Approval"),
        kind: "choice",
        choices: [
          ["true", t("requested")],
          ["false", t("not requested")],
        ],
      },
      ofSku(),
      ...ofDays(),
    ],
    open: (one) => address(["orders", one.po_id]),
    columns: [
      col(t("Number"), (one) => one.po_no),
      col(t("Supplier"), (one) => supplier(one.supplier_id)),
      col(t("Store"), (one) => store(one.store_id)),
      col(t("Expected on"), (one) => days(one.expected_at), "d"),
      col(t("Created"), (one) => moment(one.created_at), "d2"),
      col(t("Lines"), (one) => figure(one.lines.length), "num d2"),
      col(t("Total"), (one) => inMoney(one.total), "num"),
      col(t("Status"), asked),
    ],
    none: t("No orders yet"),
  }),
};

/** Returns the amount of a line: the agreed total, otherwise pieces times cost. */
const amountOf = ({ line_total: total, qty, unit_cost: cost }) => total ?? (cost === null ? null : qty * cost);
const lines = (one, page) => {
  const may = page.app.may(P) && ["sent", "partially_received", "received"].includes(one.state);
  const step = (row) => (row.closed ? ["open", t("Reopen line")] : ["close", t("Close line")]);
  const button = (row) => {
    const [name, label] = step(row);
    if (!may || (!row.closed && (row.state === "received" || one.state === "received"))) return nothing;
    return html`<button
      class="btn small"
      @click=${page.step({
        label,
        url: path(`/api/purchase-orders/:id/lines/:line_no/${name}`, { id: one.po_id, line_no: row.line_no }),
        question: {
          title: `${label}: ${productName(row.sku)}`,
          list: [{ name: "reason", label: t("Reason"), kind: "area", required: true, focus: true }],
        },
      })}
    >
      ${label}
    </button>`;
  };
  return table(
    t("Lines"),
    [
      col("#", (row) => row.line_no, "no"),
      col(
        t("Product"),
        (row) =>
          html`<a href=${address(["products", row.sku])}><bdi>${productName(row.sku)}</bdi></a>
            <span class="muted">${row.sku}</span>`,
      ),
      col(t("Qty"), (row) => figure(row.qty), "num"),
      col(t("Cost each"), (row) => inMoney(row.unit_cost), "num"),
      col(t("Amount"), (row) => inMoney(amountOf(row)), "num"),
      col(t("Received"), (row) => figure(row.received_qty), "num"),
      col(t("Rejected"), (row) => figure(row.rejected_qty), "num d2"),
      col(t("Returned"), (row) => figure(row.returned_qty), "num d2"),
      col(t("Invoiced"), (row) => figure(row.invoiced_qty), "num d"),
      col(t("Status"), (row) => badge(row.closed ? "closed" : row.state), "d"),
      col("", button, "acts"),
    ],
    one.lines,
  );
};

const order = {
  back: () => ["orders", t("Orders")],
  needs: ["suppliers"],
  load: async (app, { id }) => {
    const [one, receipts, invoices, revisions] = await Promise.all([
      app.get("/api/purchase-orders/:id", { id }),
      app.get("/api/purchase-orders/:id/receipts", { id }),
      app.get("/api/purchase-orders/:id/invoices", { id }),
      app.get("/api/purchase-orders/:id/revisions", { id }),
    ]);
    await needProducts(
      app,
      [one, ...revisions.items.map(({ order: before }) => before)].flatMap(({ lines: all }) =>
        all.map(({ sku }) => sku),
      ),
    );
    return { ...one, receipts: receipts.items, invoices: invoices.items, revisions: revisions.items };
  },
  view: (one, page) => {
    const url = (step) => path(`/api/purchase-orders/:id/${step}`, { id: one.po_id });
    const is = (...states) => states.includes(one.state);
    const mine = page.app.may(P);
    const short = one.lines.filter(({ closed, qty, received_qty: came }) => !closed && came < qty).length;
    const why = { name: "reason", label: t("Reason"), kind: "area", focus: true };
    const paper = {
      label: t("Print for the supplier"),
      image: "printer",
      act: () => {
        location.hash = address(["orders", one.po_id, "paper"]);
      },
    };
    return {
      name: `${one.po_no}`,
      badges: asked(one),
      actions: mine
        ? [
            is("draft") &&
              !one.submitted_at && {
                label: t("Request approval"),
                act: page.step({ label: t("Request approval"), url: url("submit") }),
              },
            is("draft") && {
              label: t("Edit"),
              act: () => {
                location.hash = address(["orders", "new"], { of: one.po_id });
              },
            },
            is("approved") && {
              label: t("Return to author\u2026"),
              act: page.step({
                label: t("Return to author"),
                url: url("reject"),
                question: { title: t("Return this order to its author?"), list: [{ ...why, required: true }] },
              }),
            },
            is("draft", "approved", "sent") && {
              label: t("Cancel\u2026"),
              act: page.step({
                label: t("Cancel order"),
                url: url("cancel"),
                question: {
                  title: t("Cancel {no}?", { no: one.po_no }),
                  danger: true,
                  text: one.state === "sent" ? t("The store is notified. Goods received before that still count") : "",
                  list: [why],
                },
              }),
            },
            is("sent", "partially_received", "received") && {
              label: short ? t("Close with {n} lines short", { n: number(short) }) : t("Close"),
              act: page.step({
                label: t("Close"),
                url: url("close"),
                question: { title: t("Close {no}?", { no: one.po_no }), list: [{ ...why, required: short > 0 }] },
              }),
            },
            is("sent", "partially_received") && {
              label: t("Revise"),
              act: () => {
                location.hash = address(["orders", one.po_id, "revise"]);
              },
            },
            one.proposed &&
              is("sent", "partially_received") && {
                label: t("Reject revision\u2026"),
                act: page.step({
                  label: t("Reject revision"),
                  url: url("reject"),
                  question: {
                    title: t("Reject the revision of {name}?", { name: one.po_no }),
                    list: [{ ...why, required: true }],
                  },
                }),
              },
            one.proposed &&
              is("sent", "partially_received") && {
                label: t("Approve revision"),
                image: "check",
                kind: "primary",
                act: page.step({
                  label: t("Approve revision"),
                  url: url("approve"),
                  body: { total: one.proposed.total },
                  question: {
                    title: t("Approve {name}?", { name: one.po_no }),
                    text: t("{amount} to {supplier}", {
                      amount: decimal(one.proposed.total),
                      supplier: nameOf("suppliers", one.supplier_id),
                    }),
                  },
                }),
              },
            is("draft") && {
              label: t("Approve"),
              image: "check",
              kind: "primary",
              act: page.step({
                label: t("Approve"),
                url: url("approve"),
                body: { total: one.total },
                question: {
                  title: t("Approve {name}?", { name: one.po_no }),
                  text: t("{amount} to {supplier}", {
                    amount: decimal(one.total),
                    supplier: nameOf("suppliers", one.supplier_id),
                  }),
                },
              }),
            },
            is("approved") && {
              label: t("Mark as sent"),
              image: "truck",
              kind: "primary",
              act: page.step({
                label: t("Mark as sent"),
                url: url("send"),
                message: t("Marked as sent; the store is notified"),
                question: {
                  title: t("Mark {no} as sent?", { no: one.po_no }),
                  text: t("Print it or send the PDF to the supplier yourself. The store sees the order from then on"),
                },
              }),
            },
            paper,
          ]
        : [paper],
      parts: [
        steps(is("cancelled") ? ["draft", "cancelled"] : STATES, one.state),
        one.proposed
          ? table(
              t("Revision waiting for approval by another user: {total}", { total: decimal(one.proposed.total) }),
              [
                col(t("Product"), (row) => row.sku),
                col(t("Pieces"), (row) => figure(row.qty), "num"),
                col(t("Cost"), (row) => inMoney(row.unit_cost), "num"),
              ],
              one.proposed.lines,
              nothing,
              html`<span>${one.proposed.reason} ${person(one.proposed.by)} ${moment(one.proposed.at)}</span>`,
            )
          : nothing,
        ifSome(
          one.warnings,
          (list) =>
            html`<ul class="alerts panel">
              ${list.map(
                ({ code, expected, line_no: line }) =>
                  html`<li class="warn">
                    <span
                      >${
                        line ? t("Line {n}: ", { n: line }) : ""
                      }${t(code)}${expected ? ` (${(line ? number : decimal)(expected)})` : ""}</span
                    >
                  </li>`,
              )}
            </ul>`,
        ),
        figures([
          [t("Total"), decimal(one.total), supplier(one.supplier_id)],
          [t("For"), store(one.store_id)],
          [t("Expected on"), days(one.expected_at), one.revision ? t("revision {n}", { n: one.revision }) : null],
          [t("Receipts"), number(one.receipts.filter(({ state }) => state === "posted").length)],
          [t("Invoices"), number(one.invoices.length)],
        ]),
        lines(one, page),
        html`<div class="halves">
          ${table(
            t("Receipts"),
            [
              col(
                t("Day"),
                (row) =>
                  html`<a href=${address(["receipts", row.receiving_id], { store_id: row.store_id })}
                    >${days(row.business_date)}</a
                  >`,
              ),
              col(t("Delivery note"), (row) => row.delivery_note_no ?? nothing),
              col(t("Store"), (row) => store(row.store_id), "d"),
              col(t("Cost"), (row) => inMoney(row.total_cost), "num"),
              col(t("Status"), (row) => badge(row.state)),
            ],
            one.receipts,
            t("No deliveries yet"),
          )}
          ${table(
            t("Invoices"),
            [
              col(t("Number"), (row) =>
                page.app.may(F) ? link(["invoices", row.invoice_id], row.invoice_no) : row.invoice_no,
              ),
              col(t("Date"), (row) => days(row.invoice_date)),
              col(t("Total"), (row) => inMoney(row.total), "num"),
              col(t("Status"), (row) => badge(row.state)),
            ],
            one.invoices,
            t("No invoices yet"),
            page.app.may(F) && one.receipts.length
              ? html`<a class="btn small" href=${address(["invoices", "new"], { supplier_id: one.supplier_id })}
                  >${t("Record an invoice")}</a
                >`
              : nothing,
          )}
        </div>`,
        section(
          t("Details"),
          facts([
            [t("Created"), html`${moment(one.created_at)} ${person(one.created_by)}`],
            [
              t("Approval requested"),
              one.submitted_at ? html`${moment(one.submitted_at)} ${person(one.submitted_by)}` : null,
            ],
            [
              t("Approved by"),
              one.approved_by ? html`${person(one.approved_by)}, ${decimal(one.approved_total)}` : null,
            ],
            [t("Sent"), one.sent_at ? moment(one.sent_at) : null],
            [t("Reason for return"), one.rejected_reason],
            [t("Reason for closing"), one.closed_reason],
            [t("Note"), one.note],
          ]),
        ),
        revisions(one),
      ],
    };
  },
};

export const pages = { orders, order };
