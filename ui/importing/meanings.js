// Meanings of the columns of a spreadsheet: products, opening stock, prices of a supplier; and headers that name them.
import { t } from "../kit/i18n.js";
import "./texts.js";

/**
 * What a column may mean, by kind of file: its name at the server, in words, and headers that have it, the exact one
 * first. The later ones are of the product lists that Loyverse, Shopify, Square, WooCommerce and Odoo export.
 * @type {Record<string, [meaning: string, label: () => string, known: string[]][]>}
 */
export const MEANINGS = {
  products: [
    [
      "sku",
      () => t("Product code"),
      ["sku", "kode", "code", "artikel", "plu", "item code", "kode barang", "variant sku", "default_code"],
    ],
    [
      "name",
      () => t("Name"),
      ["name", "nama", "product", "produk", "nama barang", "item", "item name", "title", "description"],
    ],
    [
      "price",
      () => t("Price"),
      ["price", "harga", "harga jual", "selling price", "retail price", "variant price", "regular price", "list_price"],
    ],
    ["barcode", () => t("Barcode"), ["barcode", "ean", "upc", "gtin", "variant barcode", "gtin, upc, ean, or isbn"]],
    [
      "category",
      () => t("Category"),
      ["category", "kategori", "group", "grup", "departemen", "categories", "categ_id", "type"],
    ],
    [
      "cost",
      () => t("Cost"),
      [
        "cost",
        "modal",
        "harga beli",
        "harga pokok",
        "buying price",
        "cost per item",
        "default unit cost",
        "standard_price",
      ],
    ],
    ["tax_rate_bp", () => t("Tax rate (11 % or 1100)"), ["tax_rate_bp", "tax", "pajak", "ppn", "vat"]],
    ["reorder_level", () => t("Reorder level"), ["reorder_level", "minimum", "min stok", "min stock", "low stock"]],
    ["pack_barcode", () => t("Barcode of a pack"), ["pack_barcode"]],
    ["pack_qty", () => t("Pieces in a pack"), ["pack_qty"]],
  ],
  stock: [
    [
      "sku",
      () => t("Product code"),
      ["sku", "kode", "code", "kode barang", "item code", "variant sku", "default_code"],
    ],
    [
      "qty",
      () => t("Pieces"),
      ["qty", "jumlah", "stok", "stock", "quantity", "on hand", "in stock", "variant inventory qty", "qty_available"],
    ],
    [
      "unit_cost",
      () => t("Cost each"),
      [
        "unit_cost",
        "cost",
        "modal",
        "harga beli",
        "harga pokok",
        "cost per item",
        "default unit cost",
        "standard_price",
      ],
    ],
    ["line_total", () => t("Cost of the line"), ["line_total", "total", "nilai"]],
  ],
  prices: [
    [
      "sku",
      () => t("Product code"),
      ["sku", "kode", "kode barang", "item code", "product code", "variant sku", "default_code"],
    ],
    [
      "supplier_sku",
      () => t("Supplier's code"),
      ["supplier_sku", "supplier code", "supplier's code", "kode pemasok", "article no", "vendor code"],
    ],
    [
      "unit_cost",
      () => t("Cost each"),
      ["unit_cost", "cost", "net price", "price", "unit price", "harga beli", "harga satuan", "harga"],
    ],
    ["min_qty", () => t("Minimum order"), ["min_qty", "moq", "minimum", "min order", "min. order", "min qty"]],
    ["pack_qty", () => t("Pieces in a pack"), ["pack_qty", "pack", "pack size", "isi", "isi karton", "carton qty"]],
    ["from", () => t("Valid from"), ["from", "valid from", "berlaku dari", "berlaku mulai"]],
    ["to", () => t("Valid to"), ["to", "valid to", "valid until", "berlaku sampai"]],
    ["lead_time_days", () => t("Delivery time in days"), ["lead_time_days", "lead time", "delivery time"]],
    ["preferred", () => t("Preferred (yes or no)"), ["preferred", "utama"]],
  ],
};
export const NEEDED = { products: ["sku", "name", "price"], stock: ["sku", "qty"], prices: ["sku", "unit_cost"] };

/** Returns a header without the shop or the unit after it: `Price [Main Store]`. */
const plain = (header) =>
  header
    .toLowerCase()
    .replace(/\s*[[(].*$/, "")
    .trim();

/** Returns the meaning that each header suggests; of several columns the one whose header comes first in the list. */
export const guessed = (kind, headers) => {
  const names = headers.map(plain);
  const columns = headers.map(() => "");
  for (const [meaning, , known] of MEANINGS[kind]) {
    const at = known.map((one) => names.findIndex((name, place) => name === one && !columns[place]));
    const first = at.find((place) => place >= 0);
    if (first !== undefined) columns[first] = meaning;
  }
  return columns;
};

/** Returns the problem of a row with the page's name of its column; common reasons are translated. */
export const problemOf = (kind, problem) => {
  const [, column, value, rest] = /^(\w+)( ".*")? (.*)$/s.exec(problem) ?? [];
  const label = MEANINGS[kind].find(([meaning]) => meaning === column)?.[1]();
  if (!label) return problem;
  if (rest === "is empty") return t("{name} is empty", { name: label });
  if (/^is not a whole number from \d+ to \d+$/.test(rest))
    return t("{name}{value} is not a whole number", { name: label, value: value ?? "" });
  return `${label}${value ?? ""} ${rest}`;
};
