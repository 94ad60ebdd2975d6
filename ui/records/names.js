// Names of IDs, read once: stores, people, suppliers, providers.
const ALL = ["admin", "ho_finance", "ho_purchasing"];
const KINDS = {
  stores: { pattern: "/api/stores", id: "store_id", roles: ALL },
  people: { pattern: "/api/staff", id: "id", roles: ALL },
  users: { pattern: "/api/users", id: "id", roles: ["admin"] },
  suppliers: { pattern: "/api/suppliers", id: "supplier_id", roles: ALL },
  sources: { pattern: "/api/statement-sources", id: "source_id", roles: ["admin", "ho_finance"] },
  accounts: { pattern: "/api/finance/accounts", id: "account", roles: ["admin", "ho_finance"] },
  categories: { pattern: "/api/categories", id: "code", roles: ["admin"] },
  taxes: { pattern: "/api/tax-codes", id: "tax_code", roles: ["admin"] },
  tiers: { pattern: "/api/tiers", id: "tier", roles: ["admin"] },
  methods: { pattern: "/api/payment-methods", id: "method", roles: ["admin"] },
};
const AT_ONCE = 500;
/** Most products in one request. */
const SKUS_AT_ONCE = 100;
/** Highest number of pages that are read; beyond it, IDs are shown. */
const PAGES_MAX = 20;
const known = new Map();
const reading = new Map();
const products = new Map();

/** Another user may know other names, so they are forgotten. */
export const forgetNames = () => {
  known.clear();
  products.clear();
};
addEventListener("entered", forgetNames);

const all = async (app, { pattern, id }) => {
  const found = new Map();
  let cursor;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { items, next_cursor: next } = await app.get(pattern, {}, { limit: AT_ONCE, cursor });
    for (const one of items) found.set(one[id], one);
    if (!next) break;
    cursor = next;
  }
  return found;
};

/**
 * Reads all rows of a kind, or none if the role may not see them. A store has them elsewhere (`app.knows`), and an app
 * may know some without a request (`app.own`).
 */
export const need = async (app, kind, again = false) => {
  if (!again && known.has(kind)) return known.get(kind);
  const asked = { ...KINDS[kind], ...app.knows?.[kind] };
  const read = () => (app.may(asked.roles) ? all(app, asked) : Promise.resolve(new Map()));
  if (!reading.has(kind))
    reading.set(
      kind,
      read().finally(() => reading.delete(kind)),
    );
  const found = await reading.get(kind);
  for (const one of app.own?.(kind) ?? []) found.set(one[asked.id], one);
  known.set(kind, found);
  return found;
};

/** Returns a row of a kind that was read before. */
export const row = (kind, id) => known.get(kind)?.get(id);
export const nameOf = (kind, id) => row(kind, id)?.name ?? id ?? "";
/** Returns the time zone of a store's documents; undefined: head office's. */
export const zoneOf = (store) => row("stores", store)?.timezone;
export const rows = (kind) => [...(known.get(kind)?.values() ?? [])];

/** Reads the names of products by SKU; deleted ones are shown by their SKU. */
export const needProducts = async (app, skus) => {
  const left = [...new Set(skus)].filter((sku) => sku && !products.has(sku));
  for (let first = 0; first < left.length; first += SKUS_AT_ONCE) {
    const these = left.slice(first, first + SKUS_AT_ONCE);
    const { items } = await app
      .get("/api/products", {}, { skus: these.join(","), limit: SKUS_AT_ONCE })
      .catch(() => ({ items: [] }));
    for (const sku of these) products.set(sku, sku);
    for (const { sku, name } of items) products.set(sku, name);
  }
};
/** Keeps the names of products that a search found. */
export const learnProducts = (found) => {
  for (const { sku, name } of found) products.set(sku, name);
};
export const productName = (sku) => products.get(sku) ?? sku;
