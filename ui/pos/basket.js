// The basket: an open transaction of the store. Changes are sent one at a time. The answer has the figures.
import { path } from "../kit/api.js";
import { money } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { normal } from "../kit/scan.js";
import { low } from "../kit/messages.js";
import { isAsked } from "../kit/intents.js";

const PRODUCTS_MAX = 500;
const FRESH_MS = 60_000;
/** Products are kept by code and by SKU. */
const skuKey = (sku) => `sku ${sku}`;
const sum = (discounts, source) =>
  discounts.filter((one) => one.source === source).reduce((all, one) => all + one.amount, 0);

export class Basket {
  constructor(app) {
    this.app = app;
    this.products = new Map();
    this.late = false;
    this.clear();
  }

  clear() {
    this.sale = null;
    this.lines = [];
    this.selected = -1;
    this.member = null;
    this.sending = null;
    this.dirty = false;
    this.app.requestUpdate?.();
  }

  get isEmpty() {
    return this.lines.length === 0;
  }

  /** Whether a change is not answered yet. */
  get isBehind() {
    return Boolean(this.sending) || this.dirty;
  }

  /** Whether a payment is pending, even after a reload of the page. */
  get isPaying() {
    return Boolean(this.sale) && isAsked(`${path("/api/pos/transactions/:id", { id: this.sale.transaction_id })}/`);
  }

  // ---- the store's answer

  async restore() {
    const { items } = await this.app.get("/api/pos/transactions", {}, { shift_id: this.app.shift.shift_id, limit: 20 });
    const open = items.find(({ state }) => state === "partially_paid") ?? items.find(({ state }) => state === "open");
    this.app.last ??= items.find(({ state, receipt_no: no }) => state === "paid" && no) ?? null;
    if (open) await this.take(open);
    else this.clear();
  }

  async take(sale) {
    this.adopt(sale);
    this.selected = this.lines.length - 1;
    this.member = sale.member_id ? await this.app.get("/api/members/:id", { id: sale.member_id }) : null;
    this.app.requestUpdate();
  }

  adopt(sale) {
    this.sale = sale;
    this.lines = sale.items.map((item) => ({
      sku: item.sku,
      name: item.name,
      qty: item.qty,
      price: item.price,
      discount: sum(item.discounts, "manual"),
      item,
      own: item.price_override,
      reason: item.price_reason,
      why: item.discounts.find(({ source }) => source === "manual")?.reason,
      onHand: this.products.get(skuKey(item.sku))?.product.on_hand,
    }));
    this.selected = Math.min(this.selected, this.lines.length - 1);
  }

  get basketDiscount() {
    return this.sale ? this.sale.items.reduce((all, item) => all + sum(item.discounts, "basket"), 0) : 0;
  }

  get promotions() {
    return this.sale ? this.sale.items.reduce((all, item) => all + sum(item.discounts, "promotion"), 0) : 0;
  }

  // ---- products

  /** The product with a code, or else an SKU; or null. */
  async find(code) {
    const key = normal(code);
    // Like the store, try a barcode first.
    const known = this.products.get(key) ?? (key === code ? this.products.get(skuKey(code)) : undefined);
    if (known && Date.now() - known.at < FRESH_MS) return known.product;
    const { items } = await this.app.get("/api/pos/products", {}, { barcode: code, limit: 2 });
    let [product] = items;
    if (!product) {
      const found = await this.app.get("/api/pos/products", {}, { q: code, limit: 5 });
      product = found.items.find(({ sku }) => sku === code);
    }
    if (product) this.remember(key, product);
    return product ?? null;
  }

  /** Adds the member whose card has the code. */
  async card(code) {
    const {
      items: [member],
    } = await this.app.get("/api/members/search", {}, { code });
    if (!member) return false;
    this.member = member;
    this.changed({ member_id: member.member_id });
    this.app.say("ok", `${t("Member")}: ${member.name}`);
    return true;
  }

  remember(code, product) {
    if (this.products.size >= PRODUCTS_MAX) this.products.delete(this.products.keys().next().value);
    const entry = { product, at: Date.now() };
    this.products.set(code, entry);
    if (product.pack_qty === 1) this.products.set(skuKey(product.sku), entry);
  }

  /**
   * The name or price of a product, or (`null`) of any product, may have changed. Lines without a price by hand follow,
   * but only on the basket's page: while the customer pays, the shown prices stay.
   */
  async priced(sku) {
    if (sku === null) this.products.clear();
    for (const [code, { product }] of this.products) if (product.sku === sku) this.products.delete(code);
    const skus = new Set(
      this.lines.filter((line) => !line.own && (sku === null || line.sku === sku)).map((line) => line.sku),
    );
    const now = new Map();
    for (const one of skus) {
      if (this.app.page === "sell")
        now.set(one, await this.app.get("/api/pos/products/:sku", { sku: one }).catch(() => null));
    }
    if (this.app.page !== "sell") {
      this.late = true;
      return;
    }
    this.follow(now);
  }

  /** Adopts prices that changed meanwhile. */
  async caughtUp() {
    if (!this.late) return;
    this.late = false;
    await this.priced(null);
  }

  /** Names the lines whose price differs from the shown one. */
  sayPrices(shown) {
    const other = this.lines.filter(
      (line, index) => !line.own && shown[index]?.sku === line.sku && shown[index].price !== line.price,
    );
    if (other.length)
      this.app.say(
        "warn",
        other.map(({ name, price }) => t("{name} now costs {price}", { name, price: money(price) })).join(" \u00b7 "),
      );
  }

  follow(now) {
    const changed = [];
    for (const line of this.lines) {
      const price = now.get(line.sku)?.price;
      if (line.own || price === undefined || price === line.price || this.sale?.state === "partially_paid") continue;
      Object.assign(line, { price, item: null });
      changed.push(t("{name} now costs {price}", { name: line.name, price: money(price) }));
    }
    if (!changed.length) return;
    this.changed();
    this.app.say("warn", changed.join(" \u00b7 "));
  }

  /** The stock of a product changed. */
  stocked(sku, onHand) {
    for (const { product } of this.products.values()) if (product.sku === sku) product.on_hand = onHand;
    for (const line of this.lines) if (line.sku === sku) line.onHand = onHand;
  }

  /** Adds pieces of a product, to its line if the price is the same. */
  add(product, times = 1) {
    const qty = times * (product.pack_qty ?? 1);
    const index = this.lines.findIndex(
      (line) => line.sku === product.sku && line.price === product.price && !line.discount,
    );
    if (index >= 0) {
      this.lines[index].qty += qty;
      this.lines[index].item = null;
      this.selected = index;
    } else {
      this.lines.push({
        sku: product.sku,
        name: product.name,
        qty,
        price: product.price,
        discount: 0,
        item: null,
        onHand: product.on_hand,
      });
      this.selected = this.lines.length - 1;
    }
    this.changed();
  }

  setQty(index, qty) {
    const line = this.lines[index];
    if (!line) return;
    if (qty <= 0) {
      this.lines.splice(index, 1);
      this.selected = Math.min(index, this.lines.length - 1);
    } else {
      Object.assign(line, { qty, item: null });
    }
    this.changed();
  }

  /** Restores a removed line. */
  putBack(index, line) {
    this.lines.splice(index, 0, { ...line, item: null });
    this.selected = index;
    this.changed();
  }

  select(index) {
    this.selected = Math.max(0, Math.min(index, this.lines.length - 1));
    this.app.requestUpdate();
  }

  // ---- sending

  changed(more = {}) {
    this.more = { ...this.more, ...more };
    this.dirty = true;
    this.app.requestUpdate();
    this.sending ??= this.flush().finally(() => {
      this.sending = null;
      this.app.requestUpdate();
    });
    return this.sending;
  }

  async flush() {
    while (this.dirty) {
      this.dirty = false;
      const more = this.more ?? {};
      this.more = {};
      try {
        const answer = await this.write(more);
        const shown = this.lines;
        if (!this.dirty && answer) {
          this.adopt(answer);
          this.sayPrices(shown);
        } else if (answer) this.sale = answer;
      } catch (error) {
        this.app.fail(error);
        if (error.status !== 401) await this.restore();
        return;
      }
      this.app.requestUpdate();
    }
  }

  async write({ label = "Change sale", ...more }) {
    // Only a price by hand is sent: a shown price may be out of date.
    const items = this.lines.map(({ sku, qty, price, own, reason, discount, why }) => ({
      sku,
      qty,
      ...(own ? { price, ...(reason ? { price_reason: reason } : {}) } : {}),
      ...(discount ? { discount, ...(why ? { discount_reason: why } : {}) } : {}),
    }));
    if (!items.length) return null;
    // A member who was chosen before the first scan belongs to this basket too.
    const whose = this.member ? { member_id: this.member.member_id } : {};
    if (!this.sale) return this.app.change("POST", "/api/pos/transactions", { items, ...whose, ...more });
    return this.app.command({
      method: "PATCH",
      url: path("/api/pos/transactions/:id", { id: this.sale.transaction_id }),
      body: { items, ...more },
      match: this.sale.version,
      label,
      quiet: true,
    });
  }

  /** Waits for the answers of all changes. */
  async settled() {
    while (this.sending) await this.sending;
  }

  refuse(text) {
    low();
    this.app.say("bad", text);
  }
}
