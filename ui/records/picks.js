// Possible values of a field: stores, products, accounts and the like, searched by code and name.
import { combo } from "../kit/combo.js";
import { t } from "../kit/i18n.js";
import { learnProducts, need, nameOf, needProducts, productName, row, rows } from "./names.js";

const SHOWN_MAX = 50;
const FOUND_MAX = 20;
const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const both = (id, name) => (name && name !== id ? `${id} ${name}` : id);
const named = (kind) => (id) => nameOf(kind, id);

/** Kinds with few rows, read once: the source of the names, the text in the field, and the note beside it. */
const LISTED = {
  store: { kind: "stores", text: named("stores"), note: (id) => id },
  supplier: { kind: "suppliers", text: named("suppliers") },
  account: { kind: "accounts", text: (id) => both(id, nameOf("accounts", id)) },
  person: { kind: "people", text: named("people"), note: (id, { role }) => (role ? t(role) : null) },
  category: { kind: "categories", text: named("categories") },
  tier: { kind: "tiers", text: named("tiers") },
  tax: { kind: "taxes", text: (id) => both(id, nameOf("taxes", id)) },
  method: {
    kind: "methods",
    text: (id) => row("methods", id)?.name ?? t(id),
    own: ["card", "qris", "bank_transfer", "voucher", "cash"],
  },
};
const active = ({ state }) => state === undefined || state === "active";

/** A category is added deliberately: the last option says that it is new. */
const newCategory = (app) => ({
  label: (text) => t("New category: {name}", { name: text }),
  act: async (text) => {
    // While there is no list of categories, products have their text alone.
    if (rows("categories").length) {
      await app.change("POST", "/api/categories", { code: text, name: text });
      await need(app, "categories", true);
    }
    return text;
  },
});

const listed = (app, of, { creates = false } = {}) => {
  const { kind, text, note, own = [] } = LISTED[of];
  const load = () => need(app, kind).catch(() => new Map());
  const option = ([id, one]) => ({ id, text: text(id), note: note?.(id, one) });
  return {
    ready: load,
    text,
    // If nothing is known, or this role may not see it, the user types a code.
    get free() {
      return !creates && !own.length && !rows(kind).length;
    },
    ...(creates ? { create: newCategory(app) } : {}),
    find: async (asked) => {
      const all = await load();
      const more = own.filter((code) => !all.has(code)).map((code) => [code, {}]);
      const words = folded(asked).split(/\s+/).filter(Boolean);
      return [...[...all].filter(([, one]) => active(one)), ...more]
        .map(option)
        .filter((one) => words.every((word) => folded(`${one.id} ${one.text}`).includes(word)))
        .slice(0, SHOWN_MAX);
    },
  };
};

const product = (app) => {
  const option = ({ sku, name }) => ({ id: sku, text: name, note: sku });
  const ask = async (query) => {
    const { items } = await app.get("/api/products", {}, query);
    learnProducts(items);
    return items.map(option);
  };
  return {
    text: (sku) => both(sku, productName(sku)),
    find: (text) => ask({ q: text || undefined, limit: FOUND_MAX }),
    exact: async (text) =>
      (await ask({ skus: text, limit: 1 }))[0] ?? (await ask({ barcode: text, limit: 1 }))[0] ?? null,
  };
};

/** Returns the source of a field of this kind, and reads the names of `chosen` products. */
export const source = (app, of, chosen = [], options = {}) =>
  of === "product" ? { ...product(app), ready: () => needProducts(app, chosen) } : listed(app, of, options);

const kept = new WeakMap();
/** Returns the same source at each drawing of a page, so that it keeps its results. */
export const sourceFor = (page, of, chosen = [], options = {}) => {
  if (!kept.has(page)) kept.set(page, new Map());
  const mine = kept.get(page);
  if (!mine.has(of)) mine.set(of, source(page.app, of, chosen, options));
  return mine.get(of);
};

/**
 * A field of a page that names something.
 * @param {any} page
 * @param {string} of A kind of `LISTED`, or `product`.
 * @param {object} about
 * @param {string} about.id
 * @param {any} [about.value]
 * @param {boolean} [about.several]
 * @param {string} [about.label]
 * @param {boolean} [about.focus]
 * @param {boolean} [about.creates]
 * @param {boolean} [about.adds]
 * @param {any} [about.source] Another one than that of the kind.
 * @param {(value: any) => void} about.onChoose
 */
export const pick = (page, of, { creates = false, ...about }) =>
  combo({ source: sourceFor(page, of, [about.value ?? []].flat(), { creates }), ...about });

/**
 * A field of a question: `pickField(app, "store", { name: "store_id", label: t("Store") })`.
 * @returns {import("../kit/form.js").Field}
 */
export const pickField = (app, of, /** @type {any} */ { creates = false, ...field }) => ({
  ...field,
  kind: "pick",
  source: source(app, of, [field.value ?? []].flat(), { creates }),
});

/** A field that adds the selected item to a list, and is then empty again. */
export const adder = (page, of, about) => pick(page, of, { ...about, adds: true });
