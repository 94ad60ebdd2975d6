// Finds a product by a scanned or typed text: by its code, otherwise by its SKU, never by similarity.
import { wasScanned } from "../kit/scan.js";

const NEAR = 20;

/**
 * Returns the product's stock, or its entry in another list, with `pack_qty` as the number of pieces of the code. Shows
 * a message if there is none.
 */
export const findProduct = async (app, code, pattern = "/api/stock", params = {}) => {
  const machine = wasScanned();
  app.say(null);
  const {
    items: [scanned],
  } = await app.get(pattern, params, { barcode: code, limit: 1 });
  const found =
    scanned ?? (await app.get(pattern, params, { q: code, limit: NEAR })).items.find(({ sku }) => sku === code);
  if (found) return { ...found, pack_qty: found.pack_qty ?? 1 };
  app.unknownCode(code, machine);
  return null;
};
