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
