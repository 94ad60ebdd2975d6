// Suppliers with their price lists, and stock by product and store.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { decimal, number, rate } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { ask } from "../kit/form.js";
import "./texts.js";
import { badge, col, days, figure, inMoney, link, moment, store } from "../records/cells.js";
import { needProducts, productName } from "../records/names.js";
import { pickField } from "../records/picks.js";
import { facts, figures, section, table } from "../records/record.js";
import { ofState, ofStore, ofText } from "../records/records.js";

const BUYERS = ["admin", "ho_purchasing"];
/** Fields of the form for a supplier. */
const supplierFields = (one = {}) => [
  { name: "name", label: t("Name"), value: one.name, required: true, focus: true },
  { name: "code", label: t("Code"), value: one.code },
  { name: "address", label: t("Address"), value: one.address, clears: true },
  { name: "phone", label: t("Phone"), value: one.phone, clears: true },
  { name: "email", label: t("E-mail"), value: one.email, clears: true },
  { name: "tax_id", label: t("Tax number"), value: one.tax_id, clears: true },
  { name: "bank_account", label: t("Bank account"), value: one.bank_account, clears: true },
  {
    name: "payment_terms_days",
    label: t("Payment terms (days)"),
    kind: "count",
    value: one.payment_terms_days,
    clears: true,
  },
  { name: "lead_time_days", label: t("Lead time (days)"), kind: "count", value: one.lead_time_days, clears: true },
  { name: "min_order_total", label: t("Minimum order"), kind: "money", value: one.min_order_total, clears: true },
];
/** A request body without empty fields. */
const filledIn = (body) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));

const suppliers = {
  path: "/api/suppliers",
  list: (page) => ({
    title: t("Suppliers"),
    filters: [ofText(t("Name or code")), ofState(["active", "inactive"])],
    open: (one) => address(["suppliers", one.supplier_id]),
    create: page.app.may(BUYERS)
      ? {
          label: t("New supplier"),
          act: async () => {
            const made = await ask(page.app, {
              title: t("New supplier"),
              yes: t("Add"),
              list: supplierFields(),
              act: (body) => page.app.change("POST", "/api/suppliers", filledIn(body)),
            });
            if (made) page.app.go("suppliers", made.supplier_id);
          },
        }
      : null,
    columns: [
      col(t("Name"), (one) => html`<bdi>${one.name}</bdi> <span class="muted">${one.code}</span>`),
      col(t("Phone"), (one) => one.phone ?? nothing),
      col(t("E-mail"), (one) => one.email ?? nothing, "d2"),
      col(t("Lead time (days)"), (one) => figure(one.lead_time_days), "num d"),
      col(t("Payment terms (days)"), (one) => figure(one.payment_terms_days), "num d"),
      col(t("Minimum order"), (one) => inMoney(one.min_order_total), "num d2"),
      col(t("Status"), (one) => badge(one.state)),
    ],
    none: t("No suppliers yet"),
  }),
};

const addProduct = (page, one) =>
  page.step({
    label: t("Add"),
    money: false,
    url: path("/api/suppliers/:id/products", { id: one.supplier_id }),
    message: t("Saved"),
    question: {
      title: t("Add a product to the price list"),
      list: [
        pickField(page.app, "product", { name: "sku", label: t("Product"), required: true, focus: true }),
        { name: "unit_cost", label: t("Cost each"), kind: "money", required: true },
        { name: "pack_qty", label: t("Pieces in a pack"), kind: "count", min: 1 },
        { name: "min_qty", label: t("Minimum quantity"), kind: "count", min: 1 },
        { name: "from", label: t("Start date"), kind: "date" },
        { name: "supplier_sku", label: t("Supplier's code") },
        { name: "preferred", label: t("Preferred supplier"), kind: "check" },
      ],
    },
  });
const supplier = {
  back: () => ["suppliers", t("Suppliers")],
  load: async (app, { id }) => {
    const [one, products, orders] = await Promise.all([
      app.get("/api/suppliers/:id", { id }),
      app.get("/api/suppliers/:id/products", { id }, { limit: 200 }),
      app.get("/api/purchase-orders", {}, { supplier_id: id, limit: 10 }),
    ]);
    await needProducts(
      app,
      products.items.map(({ sku }) => sku),
    );
    return { ...one, products: products.items, orders: orders.items };
  },
  view: (one, page) => ({
    name: one.name,
    badges: badge(one.state),
    actions: page.app.may(BUYERS)
      ? [
          {
            label: one.state === "active" ? t("Stop ordering") : t("Order again"),
            act: page.step({
              label: t("Edit"),
              method: "PATCH",
              money: false,
              message: t("Saved"),
              url: path("/api/suppliers/:id", { id: one.supplier_id }),
              body: { state: one.state === "active" ? "inactive" : "active" },
            }),
          },
          {
            label: t("Edit"),
            act: page.step({
              label: t("Save"),
              method: "PATCH",
              money: false,
              message: t("Saved"),
              url: path("/api/suppliers/:id", { id: one.supplier_id }),
              question: { title: t("Change supplier"), list: supplierFields(one) },
            }),
          },
          {
            label: t("Order suggestions"),
            act: () => {
              location.hash = address(["suggestions"], { supplier_id: one.supplier_id });
            },
          },
          {
            label: t("New order"),
            image: "plus",
            kind: "primary",
            act: () => {
              location.hash = address(["orders", "new"], { supplier_id: one.supplier_id });
            },
          },
        ]
      : [],
    parts: [
      section(
        t("Details"),
        facts([
          [t("Code"), one.code],
          [t("Address"), one.address],
          [t("Phone"), one.phone],
          [t("E-mail"), one.email],
          [t("Tax number"), one.tax_id],
          [t("Bank account"), one.bank_account],
          [t("Lead time (days)"), one.lead_time_days],
          [t("Payment terms (days)"), one.payment_terms_days],
          [
            t("Discount for early payment"),
            one.discount_bp ? t("{rate} within {n} days", { rate: rate(one.discount_bp), n: one.discount_days }) : null,
          ],
          [t("Minimum order"), one.min_order_total === null ? null : decimal(one.min_order_total)],
          [t("Changed"), moment(one.updated_at)],
        ]),
      ),
      table(
        t("Price list"),
        [
          col(
            t("Product"),
            (row) =>
              html`<a href=${address(["products", row.sku])}><bdi>${productName(row.sku)}</bdi></a>
                <span class="muted">${row.sku}</span>`,
          ),
          col(t("Supplier's code"), (row) => row.supplier_sku ?? nothing),
          col(t("Cost each"), (row) => inMoney(row.unit_cost), "num"),
          col(t("Pack"), (row) => figure(row.pack_qty), "num"),
          col(t("Minimum quantity"), (row) => figure(row.min_qty), "num"),
          col(t("Start date"), (row) => days(row.from), "d2"),
          col(t("Until"), (row) => days(row.to), "d2"),
          col(
            "",
            (row) =>
              html`${
                row.preferred ? html`<span class="badge ok">${t("preferred")}</span> ` : nothing
              }${row.state === "active" ? nothing : badge(row.state)}`,
          ),
        ],
        one.products,
        t("No products on the list yet"),
        page.app.may(BUYERS)
          ? html`<button class="btn small" @click=${addProduct(page, one)}>${t("Add a product")}</button>`
          : nothing,
      ),
      table(
        t("Last orders"),
        [
          col(t("Number"), (row) => link(["orders", row.po_id], row.po_no)),
          col(t("Store"), (row) => store(row.store_id)),
          col(t("Expected on"), (row) => days(row.expected_at), "d"),
          col(t("Total"), (row) => inMoney(row.total), "num"),
          col(t("Status"), (row) => badge(row.state)),
        ],
        one.orders,
        t("No orders yet"),
      ),
    ],
  }),
};

const stockColumns = () => [
  col(t("On hand"), (one) => figure(one.on_hand), "num"),
  col(t("Available"), (one) => figure(one.available), "num"),
  col(t("On order"), (one) => figure(one.on_order), "num d"),
  col(t("In transit"), (one) => figure(one.in_transit_in), "num d2"),
  col(t("Damaged"), (one) => figure(one.damaged), "num d2"),
];
/** The reorder level, marked if the stock is below it. */
const reorderLevel = (one) =>
  one.reorder_level === null
    ? nothing
    : one.on_hand < one.reorder_level
      ? html`<span class="badge warn fig">${number(one.reorder_level)}</span>`
      : number(one.reorder_level);
const stock = {
  path: "/api/stock",
  list: () => ({
    title: t("Stock of stores"),
    filters: [
      ofText(t("Product")),
      ofStore(),
      { name: "category", label: t("Category"), kind: "pick", of: "category" },
      {
        name: "below_reorder",
        label: t("Reorder level"),
        kind: "choice",
        choices: [["true", t("below reorder level")]],
      },
      { name: "negative", label: t("Below zero"), kind: "choice", choices: [["true", t("below zero only")]] },
      { name: "damaged", label: t("Damaged"), kind: "choice", choices: [["true", t("with damaged stock")]] },
    ],
    open: (one) => address(["stock", one.sku]),
    columns: [
      col(t("Product"), (one) => html`<bdi>${one.name ?? one.sku}</bdi> <span class="muted">${one.sku}</span>`),
      col(t("Store"), (one) => store(one.store_id)),
      ...stockColumns(),
      col(t("Reorder at"), reorderLevel, "num"),
      col(t("Average cost"), (one) => inMoney(one.average_cost), "num d3"),
      col(t("Value"), (one) => inMoney(one.value), "num d"),
    ],
    none: t("No stock yet"),
  }),
};
const stockOfProduct = {
  back: () => ["stock", t("Stock of stores")],
  load: async (app, { id }) => {
    const [one] = await Promise.all([app.get("/api/stock/:sku", { sku: id }), needProducts(app, [id])]);
    return one;
  },
  view: (one) => ({
    name: productName(one.sku),
    parts: [
      figures([
        [t("On hand"), number(one.totals.on_hand), one.sku],
        [t("Available"), number(one.totals.available)],
        [t("On order"), number(one.totals.on_order)],
        [t("Damaged"), number(one.totals.damaged)],
        [t("Value"), decimal(one.totals.value)],
      ]),
      table(
        t("In each store"),
        [
          col(t("Store"), (row) => store(row.store_id)),
          ...stockColumns(),
          col(t("Reorder at"), reorderLevel, "num"),
          col(t("Average cost"), (row) => inMoney(row.average_cost), "num d"),
          col(t("Value"), (row) => inMoney(row.value), "num"),
        ],
        one.items,
        t("Not in stock in any store"),
        html`<a class="btn small" href=${address(["products", one.sku])}>${t("Product")}</a>`,
      ),
    ],
  }),
};

export const pages = { suppliers, supplier, stock, stocked: stockOfProduct };
