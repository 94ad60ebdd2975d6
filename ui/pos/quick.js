// Goods without a barcode, as this device's person chose them.
const KEPT = "quick";
const MOST = 8;
export const quickKeys = () => JSON.parse(localStorage.getItem(KEPT) ?? "[]");
export const isQuick = (sku) => quickKeys().some((one) => one.sku === sku);
/** Puts a product on the next key, or takes it off. */
export const toggleQuick = ({ sku, name, price }) => {
  const kept = quickKeys();
  const others = kept.filter((one) => one.sku !== sku);
  if (others.length === kept.length && kept.length < MOST) others.push({ sku, name, price });
  localStorage.setItem(KEPT, JSON.stringify(others));
};
/** Names and prices as the catalogue has them now: of one product, or of all; what is not sold any more stays as it was. */
export const renewQuick = async (app, sku = null) => {
  const now = new Map();
  for (const one of quickKeys()) {
    const product = sku === null || one.sku === sku ? await app.get("/api/pos/products/:sku", { sku: one.sku }).catch(() => null) : null;
    if (product) now.set(one.sku, { name: product.name, price: product.price });
  }
  if (!now.size) return;
  localStorage.setItem(KEPT, JSON.stringify(quickKeys().map((one) => ({ ...one, ...now.get(one.sku) }))));
  app.requestUpdate();
};
