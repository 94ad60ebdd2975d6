// Finds a product by a scanned or typed text: its code, else its number; never one that only resembles it.
import { wasScanned } from "../kit/scan.js";

const NEAR = 20;

/**
 * The product's stock, or what another list of products says of it, and as `pack_qty` how many pieces the code stands
 * for: of a carton's, its pieces. Says so where there is none.
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
