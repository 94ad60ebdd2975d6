// The catalogue: products, prices by store and day, promotions.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { day, decimal, isoDay, number, rate } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { ask } from "../kit/form.js";
import { badge, col, days, figure, inMoney, link, moment, store } from "../records/cells.js";
import { nameOf, needProducts, productName } from "../records/names.js";
import { pickField } from "../records/picks.js";
import { facts, figures, section, table } from "../records/record.js";
import { ofDays, ofState, ofSku, ofStore, ofText } from "../records/records.js";

const A = ["admin"];
const fieldsOf = (app, one = {}) => [
  ...(one.sku ? [] : [{ name: "sku", label: t("Product code"), required: true, focus: true }]),
  { name: "name", label: t("Name"), value: one.name, required: true, focus: Boolean(one.sku) },
  { name: "price", label: t("Price"), kind: "money", value: one.price, required: true },
  pickField(app, "category", {
    name: "category",
    label: t("Category"),
    value: one.category,
    clears: true,
    creates: true,
  }),
  { name: "cost", label: t("Cost"), kind: "money", value: one.cost, clears: true },
  { name: "reorder_level", label: t("Reorder level"), kind: "count", value: one.reorder_level, clears: true },
  pickField(app, "tax", {
    name: "tax_code",
    label: t("Tax code"),
    value: one.tax_code,
    clears: true,
    hint: t("Leave blank for the default"),
  }),
  {
    name: "tax_rate_bp",
    label: t("Tax rate (%)"),
    kind: "rate",
    value: one.tax_rate_bp,
    clears: true,
    max: 10000,
    hint: t("Leave blank for the rate of the code"),
  },
  { name: "track_stock", label: t("Track stock"), kind: "check", value: one.track_stock ?? true },
  {
    name: "barcodes",
    label: t("Barcodes (comma-separated)"),
    value: one.barcodes?.map(({ code, pack_qty: pack }) => (pack > 1 ? `${code}*${pack}` : code)).join(", "),
    hint: t("Pack: code*quantity"),
  },
];
const bodyOf = ({ barcodes, ...body }, was) => {
  const codes = (barcodes ?? "")
    .split(",")
    .map((text) => text.trim())
    .filter(Boolean)
    .map((text) => {
      const [code, pack] = text.split("*");
      return { code: code.trim(), pack_qty: pack === undefined ? 1 : Number(pack) || 0 };
    });
  const all = { ...body, barcodes: codes };
  return was ? all : Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
};

const products = {
  path: "/api/products",
  list: (page) => ({
    title: t("Products"),
    filters: [
      ofText(t("Name, code or barcode")),
      { name: "category", label: t("Category"), kind: "pick", of: "category" },
    ],
    open: (one) => address(["products", one.sku]),
    create: page.app.may(A)
      ? {
          label: t("New product"),
          act: async () => {
            const made = await ask(page.app, {
              title: t("New product"),
              yes: t("Add"),
              list: fieldsOf(page.app),
              act: (body) => page.app.change("POST", "/api/products", bodyOf(body)),
            });
            if (made) page.app.go("products", made.sku);
          },
        }
      : null,
    columns: [
      col(t("Name"), (one) => html`<bdi>${one.name}</bdi> <span class="muted">${one.sku}</span>`),
      col(t("Category"), (one) => one.category ?? nothing),
      col(t("Barcodes"), (one) => one.barcodes.map(({ code }) => code).join(", "), "d2"),
      col(t("Tax"), (one) => (one.tax_rate_bp === null ? (one.tax_code ?? nothing) : rate(one.tax_rate_bp)), "num d"),
      col(t("Cost"), (one) => inMoney(one.cost), "num d"),
      col(t("Price"), (one) => inMoney(one.price), "num"),
      col(t("Status"), (one) => (one.state === "active" ? nothing : badge(one.state))),
    ],
    none: t("No products yet"),
  }),
};

const setPrice = (page, sku) =>
  page.step({
    label: t("Set a price"),
    money: false,
    url: "/api/prices",
    message: t("Price set; stores are notified"),
    question: {
      title: t("Set a price"),
      list: [
        ...(sku ? [] : [pickField(page.app, "product", { name: "sku", label: t("Product"), required: true })]),
        { name: "price", label: t("Price"), kind: "money", required: true, focus: true },
        pickField(page.app, "store", { name: "store_id", label: t("Store"), hint: t("Leave blank for all stores") }),
        { name: "from", label: t("Start date"), kind: "date", hint: t("Leave blank to start now") },
      ],
      body: (given) => ({ ...(sku ? { sku } : {}), ...given }),
    },
  });

const priceState = (one) => badge(one.withdrawn_at ? "withdrawn" : one.from > isoDay() ? "not_yet" : "");
const prices = (list) =>
  table(
    t("Store and scheduled prices"),
    [
      col(t("From"), (row) => (row.from ? days(row.from) : t("now"))),
      col(t("Store"), (row) => (row.store_id ? store(row.store_id) : t("all stores"))),
      col(t("Price"), (row) => inMoney(row.price), "num"),
      col(t("Set on"), (row) => moment(row.set_at), "d"),
      col(t("Status"), priceState),
    ],
    list,
    t("Same price in all stores"),
  );
const product = {
  back: () => ["products", t("Products")],
  needs: ["suppliers"],
  load: async (app, { id }) => {
    const [one, found, sellers, stock] = await Promise.all([
      app.get("/api/products/:sku", { sku: id }),
      app.get("/api/prices", {}, { sku: id, limit: 50 }),
      app.get("/api/products/:sku/suppliers", { sku: id }),
      app.get("/api/stock/:sku", { sku: id }).catch(() => null),
    ]);
    return { ...one, prices: found.items, sellers: sellers.items, stock };
  },
  view: (one, page) => ({
    name: one.name,
    badges: badge(one.state),
    actions: page.app.may(A)
      ? [
          {
            label: one.state === "active" ? t("Deactivate") : t("Activate"),
            act: page.step({
              label: t("Edit"),
              method: "PATCH",
              money: false,
              message: t("Saved"),
              url: path("/api/products/:sku", { sku: one.sku }),
              body: { state: one.state === "active" ? "inactive" : "active" },
            }),
          },
          { label: t("Set a price"), act: setPrice(page, one.sku) },
          {
            label: t("Edit"),
            kind: "primary",
            act: page.step({
              label: t("Save"),
              method: "PATCH",
              money: false,
              message: t("Saved; stores are notified"),
              url: path("/api/products/:sku", { sku: one.sku }),
              question: {
                title: t("Change product"),
                text: t("Applies immediately in all stores without their own price"),
                list: fieldsOf(page.app, one),
                body: (given) => bodyOf(given, one),
              },
            }),
          },
        ]
      : [],
    parts: [
      figures([
        [t("Price"), decimal(one.price), html`${t("since")} ${moment(one.price_set_at)}`],
        [t("Cost"), one.cost === null ? "\u2013" : decimal(one.cost)],
        [
          t("On hand"),
          one.stock ? number(one.stock.totals.on_hand) : "\u2013",
          html`<a href=${address(["stock", one.sku])}>${t("in each store")}</a>`,
        ],
        [t("Tax"), one.tax_rate_bp === null ? (one.tax_code ?? t("default")) : rate(one.tax_rate_bp)],
      ]),
      section(
        t("Details"),
        facts([
          [t("Product code"), one.sku],
          [t("Category"), one.category],
          [
            t("Barcodes"),
            one.barcodes.map(({ code, pack_qty: pack }) => (pack > 1 ? `${code} (${number(pack)})` : code)).join(", "),
          ],
          [t("Reorder level"), one.reorder_level === null ? null : number(one.reorder_level)],
          [t("Track stock"), one.track_stock ? t("yes") : t("no")],
          [t("Changed"), moment(one.updated_at)],
        ]),
      ),
      prices(one.prices),
      table(
        t("Suppliers"),
        [
          col(t("Supplier"), (row) => link(["suppliers", row.supplier_id], nameOf("suppliers", row.supplier_id))),
          col(t("Supplier's code"), (row) => row.supplier_sku ?? nothing, "d"),
          col(t("Cost each"), (row) => inMoney(row.unit_cost), "num"),
          col(t("Pack"), (row) => figure(row.pack_qty), "num"),
          col(t("Status"), (row) => (row.preferred ? html`<span class="badge ok">${t("preferred")}</span>` : nothing)),
        ],
        one.sellers,
        t("No suppliers yet"),
      ),
    ],
  }),
};

const withdraw = async (page, one) => {
  const done = await ask(page.app, {
    title: t("Withdraw this price?"),
    text: t("The previous price applies again"),
    yes: t("Withdraw"),
    danger: true,
    act: () => page.app.change("POST", path("/api/prices/:id/withdraw", { id: one.price_id }), {}),
  });
  if (!done) return;
  await page.load();
  page.app.say("ok", t("Price withdrawn"));
};
const pricesList = {
  path: "/api/prices",
  loaded: (app, items) =>
    needProducts(
      app,
      items.map(({ sku }) => sku),
    ),
  list: (page) => ({
    title: t("Prices"),
    filters: [ofSku(), ofStore(), ofState(["active", "withdrawn"]), ...ofDays()],
    create: page.app.may(A)
      ? {
          label: t("Set a price"),
          act: async () => {
            const made = await ask(page.app, {
              title: t("Set a price"),
              yes: t("Set a price"),
              list: [
                pickField(page.app, "product", { name: "sku", label: t("Product"), required: true, focus: true }),
                { name: "price", label: t("Price"), kind: "money", required: true },
                pickField(page.app, "store", {
                  name: "store_id",
                  label: t("Store"),
                  hint: t("Leave blank for all stores"),
                }),
                { name: "from", label: t("Start date"), kind: "date", hint: t("Leave blank to start now") },
              ],
              act: (body) => page.app.change("POST", "/api/prices", body),
            });
            if (made) await page.load();
          },
        }
      : null,
    open: (one) => address(["products", one.sku]),
    columns: [
      col(t("Product"), (one) => html`<bdi>${productName(one.sku)}</bdi> <span class="muted">${one.sku}</span>`),
      col(t("Store"), (one) => (one.store_id ? store(one.store_id) : t("all stores"))),
      col(t("From"), (one) => (one.from ? day(one.from) : t("now"))),
      col(t("Set on"), (one) => moment(one.set_at), "d"),
      col(t("Price"), (one) => inMoney(one.price), "num"),
      col(t("Status"), priceState),
    ],
    actions: page.app.may(A)
      ? (one) => (one.withdrawn_at ? [] : [{ label: t("Withdraw\u2026"), act: () => withdraw(page, one) }])
      : null,
    none: t("No store prices. The product prices apply"),
  }),
};

const worth = (one) =>
  one.type.endsWith("percent")
    ? rate(one.value)
    : one.type === "buy_x_get_y"
      ? t("{buy} for {pay}", { buy: one.buy + one.get, pay: one.buy })
      : decimal(one.value);
const promotions = {
  path: "/api/promotions",
  list: (page) => ({
    title: t("Promotions"),
    filters: [ofText(t("Name")), ofSku(), ofStore(), ...ofDays()],
    open: (one) => address(["promotions", one.promotion_id]),
    create: page.app.may(A) ? { label: t("New promotion"), act: () => page.app.go("promotions", "new") } : null,
    columns: [
      col(t("Name"), (one) => one.name),
      col(t("Kind"), (one) => t(one.type)),
      col(t("Discount"), worth, "num"),
      col(t("From"), (one) => days(one.from)),
      col(t("Until"), (one) => days(one.to)),
      col(t("Stores"), (one) => (one.store_ids?.length ? one.store_ids.join(", ") : t("all stores")), "d"),
      col(t("Tier"), (one) => one.tier ?? nothing, "d2"),
    ],
    none: t("No promotions yet"),
  }),
};
const promotion = {
  back: () => ["promotions", t("Promotions")],
  load: async (app, { id }) => {
    const one = await app.get("/api/promotions/:id", { id });
    await needProducts(app, one.skus ?? []);
    return one;
  },
  view: (one, page) => ({
    name: one.name,
    badges: html`<span class="badge plain">${t(one.type)}</span>`,
    actions: page.app.may(A)
      ? [
          {
            label: t("Edit"),
            kind: "primary",
            act: page.step({
              label: t("Save"),
              method: "PATCH",
              money: false,
              message: t("Saved; stores are notified"),
              url: path("/api/promotions/:id", { id: one.promotion_id }),
              question: {
                title: t("Change promotion"),
                list: [
                  { name: "name", label: t("Name"), value: one.name, required: true, focus: true },
                  { name: "from", label: t("From"), kind: "date", value: one.from, required: true },
                  { name: "to", label: t("Until"), kind: "date", value: one.to, required: true },
                  { name: "priority", label: t("Priority"), kind: "count", value: one.priority, required: true },
                ],
              },
            }),
          },
        ]
      : [],
    parts: [
      figures([
        [t("Discount"), worth(one)],
        [t("From"), days(one.from)],
        [t("Until"), days(one.to)],
        [t("Priority"), number(one.priority)],
      ]),
      section(
        t("Conditions"),
        facts([
          [t("Goods"), one.skus?.length ? one.skus.map(productName).join(", ") : (one.category ?? t("all products"))],
          [
            t("Stores"),
            one.store_ids?.length ? one.store_ids.map((id) => nameOf("stores", id)).join(", ") : t("all stores"),
          ],
          [
            t("Days"),
            one.days?.length && one.days.length < 7 ? one.days.map((name) => t(name)).join(", ") : t("every day"),
          ],
          [t("Minimum quantity"), one.min_qty],
          [t("Minimum spend"), one.min_total === null ? null : decimal(one.min_total)],
          [t("Tier"), one.tier],
          [t("Combinable"), one.stackable ? t("yes") : t("no")],
        ]),
      ),
    ],
  }),
};

export const pages = { products, product, prices: pricesList, promotions, promotion };
