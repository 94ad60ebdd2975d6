// Receipts from suppliers and returns to them, as their stores reported them, and their differences from the orders.
import { html, nothing } from "../vendor/lit.js";
import { day, decimal } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import "./texts.js";
import {
  badge,
  col,
  completeness,
  days,
  differsBy,
  figure,
  inMoney,
  link,
  moment,
  person,
  store,
  supplier,
} from "../records/cells.js";
import { nameOf, needProducts, productName } from "../records/names.js";
import { ofSupplier } from "./payables.js";
import { inBooks } from "../portal/in_books.js";
import { facts, figures, section, table } from "../records/record.js";
import { ofDays, ofState, ofStore } from "../records/records.js";

const F = ["admin", "ho_finance"];
const KINDS = ["short", "over", "rejected", "price", "cost_missing", "unordered"];
const product = (row) =>
  html`<a href=${address(["products", row.sku])}><bdi>${row.name ?? productName(row.sku)}</bdi></a>
    <span class="muted">${row.sku}</span>`;
const entries = (page, one) => (page.app.may(F) ? inBooks(one.entries) : nothing);

const receipts = {
  path: "/api/receiving",
  needs: ["suppliers"],
  list: () => ({
    title: t("Deliveries"),
    filters: [
      ofSupplier(),
      ofStore(),
      { name: "delivery_note_no", label: t("Delivery note") },
      ofState(["posted", "reversed"]),
      ...ofDays(),
    ],
    open: (one) => address(["receipts", one.receiving_id], { store_id: one.store_id }),
    columns: [
      col(t("Day"), (one) => days(one.business_date)),
      col(t("Supplier"), (one) =>
        one.supplier_id ? supplier(one.supplier_id) : html`<span class="muted">${t("not given")}</span>`,
      ),
      col(t("Store"), (one) => store(one.store_id)),
      col(t("Delivery note"), (one) => one.delivery_note_no ?? nothing, "d"),
      col(
        t("Order"),
        (one) => (one.po_id ? link(["orders", one.po_id], t("View")) : html`<span class="muted">${t("(none)")}</span>`),
        "d",
      ),
      col(t("Lines"), (one) => figure(one.lines.length), "num d2"),
      col(t("Cost"), (one) => inMoney(one.total_cost), "num"),
      col(t("Status"), (one) => badge(one.state)),
    ],
    none: t("No deliveries yet. They appear when stores and warehouses receive goods"),
  }),
};

const delivery = {
  back: () => ["receipts", t("Deliveries")],
  needs: ["suppliers"],
  load: (app, { id, query }) => app.get("/api/receiving/:id", { id }, { store_id: query.store_id }),
  view: (one, page) => {
    const open = one.lines.reduce((sum, { open_value: value }) => sum + value, 0);
    return {
      name: one.delivery_note_no ?? t("Delivery of {day}", { day: day(one.business_date) }),
      badges: badge(one.state),
      actions: [
        page.app.may(F) &&
          open > 0 &&
          one.supplier_id && {
            label: t("Record an invoice"),
            image: "ticket",
            kind: "primary",
            act: () => {
              location.hash = address(["invoices", "new"], { supplier_id: one.supplier_id });
            },
          },
      ],
      parts: [
        figures([
          [t("Cost"), decimal(one.total_cost), one.supplier_id ? supplier(one.supplier_id) : null],
          [t("Not invoiced"), decimal(open), t("balance on account 2020")],
          [t("Received on"), days(one.business_date), moment(one.created_at, one.store_id)],
          [t("Store"), store(one.store_id)],
        ]),
        table(
          t("Lines"),
          [
            col(t("Product"), product),
            col(t("Received"), (row) => figure(row.qty), "num"),
            col(t("Rejected"), (row) => figure(row.rejected_qty), "num d"),
            col(
              t("Cost each"),
              (row) =>
                html`${decimal(row.unit_cost)}${
                  row.cost_missing ? html` <span class="badge warn">${t("without a cost")}</span>` : nothing
                }`,
              "num",
            ),
            col(t("Cost"), (row) => inMoney(row.cost), "num d"),
            col(t("Invoiced"), (row) => figure(row.invoiced_qty), "num"),
            col(t("Not invoiced"), (row) => inMoney(row.open_value), "num d"),
            col(t("Note"), (row) => row.note ?? nothing, "d2"),
          ],
          one.lines,
        ),
        section(
          t("Details"),
          facts([
            [t("Order"), one.po_id ? link(["orders", one.po_id], t("View")) : t("without an order")],
            [t("Delivery note"), one.delivery_note_no],
            [t("Reference"), one.reference],
            [t("Received by"), person(one.created_by)],
            [t("Note"), one.note],
            [t("Stock"), link(["discrepancies"], t("Discrepancies in this store"), { store_id: one.store_id })],
          ]),
        ),
        entries(page, one),
      ],
    };
  },
};

/** Links to the actions for a difference. */
const about = (page, one) => {
  const order = one.po_id
    ? [
        {
          label: t("Go to order"),
          act: () => {
            location.hash = address(["orders", one.po_id]);
          },
        },
      ]
    : [];
  const credit =
    page.app.may(F) && one.supplier_id && ["over", "price", "cost_missing"].includes(one.kind)
      ? [
          {
            label: t("Credit note\u2026"),
            act: () => {
              location.hash = address(["credit-notes", "new"], { supplier_id: one.supplier_id });
            },
          },
        ]
      : [];
  return [...order, ...credit];
};
const discrepancies = {
  path: "/api/receiving/discrepancies",
  needs: ["suppliers"],
  loaded: (app, items) =>
    needProducts(
      app,
      items.map(({ sku }) => sku),
    ),
  list: (page) => ({
    title: t("Differences"),
    filters: [
      { name: "kind", label: t("Type"), kind: "choice", choices: KINDS.map((kind) => [kind, t(`differs.${kind}`)]) },
      ofSupplier(),
      ofStore(),
      ...ofDays(),
    ],
    above: ({ answer }) => (answer ? html`<div class="above">${completeness(answer.completeness)}</div>` : nothing),
    open: (one) => address(["receipts", one.receiving_id], { store_id: one.store_id }),
    columns: [
      col(
        t("Product"),
        (one) =>
          html`<div class="statement">
            <b>${t(`differs.${one.kind}`)}</b> <bdi>${productName(one.sku)}</bdi> <span class="muted">${one.sku}</span>
            <p class="muted">${t(`differs.${one.kind}.action`)}</p>
          </div>`,
        "wide-cell",
      ),
      col(t("Supplier"), (one) => (one.supplier_id ? supplier(one.supplier_id) : nothing)),
      col(t("Store"), (one) => store(one.store_id), "d2"),
      col(t("Day"), (one) => days(one.business_date), "d3"),
      col(t("Ordered"), (one) => figure(one.ordered_qty), "num"),
      col(t("Received"), (one) => figure(one.received_qty), "num"),
      col(t("Rejected"), (one) => figure(one.rejected_qty), "num d3"),
      col(t("Ordered cost"), (one) => inMoney(one.order_cost), "num d3"),
      col(t("Cost each"), (one) => inMoney(one.unit_cost), "num d2"),
      col(t("Value"), (one) => differsBy(one.value), "num"),
    ],
    actions: (one) => about(page, one),
    none: t("All deliveries match their orders"),
  }),
};

const supplierReturns = {
  path: "/api/supplier-returns",
  needs: ["suppliers", "people"],
  list: () => ({
    title: t("Returned"),
    filters: [ofSupplier(), ofStore(), ...ofDays()],
    open: (one) => address(["supplier-returns", one.supplier_return_id], { store_id: one.store_id }),
    columns: [
      col(t("Day"), (one) => days(one.business_date)),
      col(t("Supplier"), (one) => supplier(one.supplier_id)),
      col(t("Store"), (one) => store(one.store_id)),
      col(t("Reference"), (one) => one.reference ?? nothing, "d"),
      col(t("From"), (one) => t(one.bucket), "d2"),
      col(t("Pieces"), (one) => figure(one.lines.reduce((sum, { qty }) => sum + qty, 0)), "num d"),
      col(t("Claimed"), (one) => inMoney(one.claim), "num"),
      col(t("Stock value"), (one) => inMoney(one.stock_cost), "num d2"),
    ],
    none: t("No returns to suppliers yet"),
  }),
};
const supplierReturn = {
  back: () => ["supplier-returns", t("Returned")],
  needs: ["suppliers"],
  load: async (app, { id, query }) => {
    const one = await app.get("/api/supplier-returns/:id", { id }, { store_id: query.store_id });
    const notes = app.may(F)
      ? (await app.get("/api/finance/credit-notes", {}, { supplier_id: one.supplier_id, limit: 200 })).items
      : [];
    return { ...one, notes: notes.filter(({ supplier_return_id: of }) => of === id) };
  },
  view: (one, page) => ({
    name: `${nameOf("suppliers", one.supplier_id)}, ${day(one.business_date)}`,
    parts: [
      figures([
        [t("Claimed"), decimal(one.claim), supplier(one.supplier_id)],
        [t("Stock value"), decimal(one.stock_cost), t("from stock records")],
        [t("Store"), store(one.store_id)],
      ]),
      table(
        t("Lines"),
        [
          col(t("Product"), product),
          col(t("Pieces"), (row) => figure(row.qty), "num"),
          col(t("Claimed"), (row) => inMoney(row.claim), "num"),
          col(t("Stock value"), (row) => inMoney(row.stock_cost), "num d"),
        ],
        one.lines,
      ),
      page.app.may(F)
        ? table(
            t("Credit notes"),
            [
              col(t("Number"), (row) => link(["credit-notes", row.credit_note_id], row.credit_note_no ?? row.doc_no)),
              col(t("Date"), (row) => days(row.date)),
              col(t("Total"), (row) => inMoney(row.total), "num"),
              col(t("Status"), (row) => badge(row.state)),
            ],
            one.notes,
            t("None expected: the goods were not invoiced"),
          )
        : nothing,
      section(
        t("Details"),
        facts([
          [t("Reference"), one.reference],
          [t("From"), t(one.bucket)],
          [t("Sent by"), person(one.created_by)],
          [t("When"), moment(one.created_at, one.store_id)],
          [t("Note"), one.note],
        ]),
      ),
      entries(page, one),
    ],
  }),
};

export const pages = {
  receipts,
  delivery,
  discrepancies,
  "supplier-returns": supplierReturns,
  "supplier-return": supplierReturn,
};
