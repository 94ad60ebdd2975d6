// Names behind ids, read once: stores and people where the role may, suppliers, who pays out.
const KINDS = {
  stores: { pattern: "/api/stores", id: "store_id", roles: ["admin"] },
  people: { pattern: "/api/users", id: "id", roles: ["admin"] },
  suppliers: { pattern: "/api/suppliers", id: "supplier_id", roles: ["admin", "ho_finance", "ho_purchasing"] },
  sources: { pattern: "/api/statement-sources", id: "source_id", roles: ["admin", "ho_finance"] },
  accounts: { pattern: "/api/finance/accounts", id: "account", roles: ["admin", "ho_finance"] },
};
const AT_ONCE = 500;
/** Pages of a list that are read: beyond it, ids stand for themselves. */
const PAGES_MAX = 20;
const known = new Map();
const reading = new Map();
const products = new Map();

/** Another person may know other names. */
export const forgetNames = () => {
  known.clear();
  products.clear();
};

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

/** Reads all of a kind; what the role may not see is empty. */
export const need = async (app, kind, again = false) => {
  if (!app.may(KINDS[kind].roles)) return new Map();
  if (!again && known.has(kind)) return known.get(kind);
  if (!reading.has(kind)) reading.set(kind, all(app, KINDS[kind]).finally(() => reading.delete(kind)));
  const found = await reading.get(kind);
  known.set(kind, found);
  return found;
};

/** What is known of one that was needed before. */
export const row = (kind, id) => known.get(kind)?.get(id);
export const nameOf = (kind, id) => row(kind, id)?.name ?? id ?? "";
export const rows = (kind) => [...(known.get(kind)?.values() ?? [])];

/** Names of products, by sku. */
export const needProducts = async (app, skus) => {
  const left = [...new Set(skus)].filter((sku) => sku && !products.has(sku));
  await Promise.all(left.slice(0, 60).map(async (sku) => {
    try {
      products.set(sku, (await app.get("/api/products/:sku", { sku })).name);
    } catch {
      products.set(sku, sku);
    }
  }));
};
export const productName = (sku) => products.get(sku) ?? sku;
