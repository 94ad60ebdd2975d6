// The products of a shop without a head office: listed, added, changed, with their opening stock. In other stores the
// list is only read.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { icon } from "../kit/controls.js";
import { ask } from "../kit/form.js";
import { decimal, rate } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { badge, col, inMoney } from "../records/cells.js";
import { ofText } from "../records/records.js";

const MANAGE = ["store_manager", "admin"];

/** Whether the caller may change products here: only a manager, and only without a head office. */
export const mayChange = async (app) => app.may(MANAGE) && !(await app.get("/api/admin/setup")).has_head_office;

/** Codes as a person writes them: `code*pieces` for a pack. */
const written = (codes) => codes.map(({ code, pack_qty: pack }) => (pack > 1 ? `${code}*${pack}` : code)).join(", ");
const codesOf = (text) =>
  (text ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean)
    .map((one) => {
      const [code, pack] = one.split("*");
      return { code: code.trim(), pack_qty: pack === undefined ? 1 : Number(pack) || 0 };
    });

const fieldsOf = (one) => [
  ...(one
    ? []
    : [
        {
          name: "sku",
          label: t("Product code"),
          required: true,
          focus: true,
          hint: t("Up to 64 characters. It can't be changed later; the barcode is a good choice"),
        },
      ]),
  { name: "name", label: t("Name"), value: one?.name, required: true, focus: Boolean(one) },
  { name: "price", label: t("Price"), kind: "money", value: one?.price, required: true },
  {
    name: "barcodes",
    label: t("Barcodes"),
    value: one && written(one.barcodes),
    hint: t("Comma-separated. Pack: code*pieces"),
  },
  { name: "category", label: t("Category"), value: one?.category, clears: true },
  { name: "cost", label: t("Cost"), kind: "money", value: one?.cost, clears: true },
  {
    name: "tax_rate_bp",
    label: t("Tax rate (%)"),
    kind: "rate",
    value: one?.tax_rate_bp,
    clears: true,
    max: 10_000,
    hint: t("Leave blank for the store's rate"),
  },
  {
    name: "tax_code",
    label: t("Tax code"),
    value: one?.tax_code,
    clears: true,
    hint: t("Explains a rate of 0 %, for example exempt"),
  },
  { name: "track_stock", label: t("Track stock"), kind: "check", value: one?.track_stock ?? true },
];
const bodyOf = ({ barcodes, ...body }, one) => {
  const all = { ...body, barcodes: codesOf(barcodes) };
  return one ? all : Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
};
/** Shows the warnings about the codes of a saved product. */
const saved = (app, { warnings }) =>
  warnings?.length
    ? app.say("warn", t("Saved. Please check: {n}", { n: warnings.join("; ") }))
    : app.say("ok", t("Saved"));

export const newProduct = async (app) => {
  const made = await ask(app, {
    title: t("New product"),
    yes: t("Add"),
    list: fieldsOf(null),
    act: (body) => app.change("POST", "/api/products", bodyOf(body, null)),
  });
  if (!made) return;
  await app.go("stock", made.sku);
  saved(app, made);
};

export const changeProduct = async (app, one) => {
  const done = await ask(app, {
    title: t("Change product"),
    text: t("Tills use the new price for the next item that is added"),
    yes: t("Save"),
    list: fieldsOf(one),
    act: (body) => app.change("PATCH", path("/api/products/:sku", { sku: one.sku }), bodyOf(body, one)),
  });
  if (done) saved(app, done);
  return done;
};

export const switchProduct = async (app, one) => {
  const state = one.state === "active" ? "inactive" : "active";
  await app.change("PATCH", path("/api/products/:sku", { sku: one.sku }), { state });
  app.say("ok", t("Saved"));
};

/** Sets the opening stock of a product without movements. */
export const openStock = async (app, one) => {
  const done = await ask(app, {
    title: t("Opening stock"),
    text: t("The pieces on the shelf before the first sale"),
    yes: t("Save"),
    list: [
      { name: "qty", label: t("Pieces"), kind: "count", min: 1, max: 1_000_000, required: true, focus: true },
      { name: "unit_cost", label: t("Cost each"), kind: "money", value: one.cost, required: true },
    ],
    act: (line) => app.change("POST", "/api/stock/opening", { lines: [{ sku: one.sku, ...line }] }),
  });
  if (done) app.say("ok", t("Saved"));
  return done;
};

const products = {
  path: "/api/products",
  live: ["catalogue"],
  needs: ["categories"],
  loaded: async (app) => {
    app.ownCatalogue = await mayChange(app);
  },
  list: (page) => {
    const { app } = page;
    return {
      title: t("Products"),
      filters: [ofText(t("Name, code or barcode")), { name: "category", label: t("Category") }],
      note: app.ownCatalogue
        ? html`<p class="ways">
            <a class="btn" href=${address(["products", "import"])}>${icon("download")}${t("Import products")}</a
            ><a class="btn" href=${address(["products", "import"], { kind: "stock" })}
              >${icon("package")}${t("Import opening stock")}</a
            >
          </p>`
        : nothing,
      open: (one) => address(["stock", one.sku]),
      create: app.ownCatalogue ? { label: t("New product"), act: () => newProduct(app) } : null,
      columns: [
        col(t("Name"), (one) => html`<bdi>${one.name}</bdi> <span class="muted">${one.sku}</span>`),
        col(t("Category"), (one) => one.category ?? nothing),
        col(t("Barcodes"), (one) => written(one.barcodes), "d2"),
        col(t("Tax"), (one) => (one.tax_rate_bp === null ? (one.tax_code ?? nothing) : rate(one.tax_rate_bp)), "num d"),
        col(t("Cost"), (one) => inMoney(one.cost), "num d"),
        col(t("Price"), (one) => decimal(one.price), "num"),
        col(t("Status"), (one) => (one.state === "active" ? nothing : badge(one.state))),
      ],
      none: app.ownCatalogue
        ? t("No products yet. Add the first one, or import a list from a spreadsheet")
        : t("No products yet. Head office adds them"),
    };
  },
};

export const pages = { products };
