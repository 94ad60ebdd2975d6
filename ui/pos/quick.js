// Quick keys: what is sold without a scan. The store's for this till; where nobody set any, those of this device's
// person.
const KEPT = "quick";
const MOST = 8;
const own = () => JSON.parse(localStorage.getItem(KEPT) ?? "[]");
/** What `.1`, `.2` and so on sell. */
export const quickKeys = (app) => (app.quick.length ? app.quick : own());
export const isQuick = (sku) => own().some((one) => one.sku === sku);
/** Puts a product on the device's next key, or takes it off. */
export const toggleQuick = ({ sku, name, price }) => {
  const kept = own();
  const others = kept.filter((one) => one.sku !== sku);
  if (others.length === kept.length && kept.length < MOST) others.push({ sku, name, price });
  localStorage.setItem(KEPT, JSON.stringify(others));
};

/**
 * Names and prices as the catalogue has them now: of one product, or of all; what is not sold any more stays as it was.
 */
const renewOwn = async (app, sku) => {
  const now = new Map();
  for (const one of own()) {
    const product =
      sku === null || one.sku === sku
        ? await app.get("/api/pos/products/:sku", { sku: one.sku }).catch(() => null)
        : null;
    if (product) now.set(one.sku, { name: product.name, price: product.price });
  }
  if (!now.size) return;
  localStorage.setItem(KEPT, JSON.stringify(own().map((one) => ({ ...one, ...now.get(one.sku) }))));
  app.requestUpdate();
};

/** The till's keys as the store has them now; of a product that changed only where a key sells it. */
export const renewQuick = async (app, sku = null) => {
  if (sku !== null && app.quick.length && !app.quick.some((one) => one.sku === sku)) return;
  try {
    app.quick = (await app.get("/api/pos/quick-keys", {}, { register_id: app.register })).items;
    app.requestUpdate();
  } catch {
    // The keys of before sell what they sold; whether the store's box is there the next command says.
  }
  if (!app.quick.length) renewOwn(app, sku);
};
