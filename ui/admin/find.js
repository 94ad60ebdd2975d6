// A product by what was scanned or typed: its code, else its number; never one that only resembles it.
import { t } from "../shared/i18n.js";
import { low } from "../shared/scan.js";

const NEAR = 20;

/** The product's stock, and as `pack_qty` how many pieces the code stands for: of a carton's, its pieces. Says so where there is none. */
export const findProduct = async (app, code) => {
  app.say(null);
  const { items: [scanned] } = await app.get("/api/stock", {}, { barcode: code, limit: 1 });
  const found = scanned ?? (await app.get("/api/stock", {}, { q: code, limit: NEAR })).items.find(({ sku }) => sku === code);
  if (found) return { ...found, pack_qty: found.pack_qty ?? 1 };
  low();
  app.say("bad", t("{code} is not in the catalogue", { code }));
  return null;
};
