// Names of products for reports that have only their codes: of the whole store, read once a page.
const AT_ONCE = 500;
/** Pages that are read; beyond them a code stands for itself. */
const PAGES_MAX = 8;

export const namesOfProducts = async (app) => {
  const names = new Map();
  let cursor;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { items, next_cursor: next } = await app.get("/api/stock", {}, { limit: AT_ONCE, cursor });
    for (const { sku, name } of items) names.set(sku, name);
    if (!next) break;
    cursor = next;
  }
  return names;
};
