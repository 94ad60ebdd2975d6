// The current return at this till: its lines, and the refund computed by the store. It is kept while the page is left.
import { Refusal } from "../kit/api.js";
import { words } from "../kit/codes.js";
import { t } from "../kit/i18n.js";

export const EXCHANGE = "exchange";
const POINTS = "points";
/** Reasons for which goods are not sold again unless somebody checks them. */
const SPOILT = ["defective", "expired"];
const placeOf = (reason) => (SPOILT.includes(reason) ? "damaged" : "restock");

/** Moves the refund to one method, except points. */
const allBy = (refunds, method) => {
  const points = refunds.filter((one) => one.method === POINTS).map(({ amount }) => ({ method: POINTS, amount }));
  const amount = refunds.filter((one) => one.method !== POINTS).reduce((sum, one) => sum + one.amount, 0);
  return amount ? [...points, { method, amount }] : points;
};

/**
 * Splits a refund into the part that pays the open basket and the part that is refunded by the original methods,
 * including points.
 */
export const parts = (refunds, basket) => {
  const paid = refunds.filter(({ method }) => method !== POINTS);
  const taken = Math.min(
    paid.reduce((sum, { amount }) => sum + amount, 0),
    basket.amount_due,
  );
  let covered = taken;
  const rest = [];
  // The basket takes the last payments first; the rest keeps its method.
  for (const { method, amount } of refunds.toReversed()) {
    const used = method === POINTS ? 0 : Math.min(covered, amount);
    covered -= used;
    if (amount > used) rest.unshift({ method, amount: amount - used });
  }
  return taken ? [{ method: EXCHANGE, transaction_id: basket.transaction_id, amount: taken }, ...rest] : rest;
};

export class Returning {
  exchange;
  refunds;
  by;

  constructor(app) {
    this.app = app;
    this.asked = 0;
    this.clear();
  }

  clear() {
    this.asked += 1;
    Object.assign(this, {
      sale: null,
      origin: null,
      free: false,
      lines: [],
      quote: null,
      refunds: null,
      problem: null,
      priced: false,
      exchange: false,
      by: null,
    });
  }

  get isKnown() {
    return Boolean(this.sale || this.origin || this.free);
  }

  /** Whether the price must be entered: without a receipt, or if another store's receipt can't be read. */
  get needsPrice() {
    return this.free || (Boolean(this.origin) && this.priced);
  }

  /** The basket that an exchange pays. */
  get basket() {
    const { sale } = this.app.basket;
    return this.exchange && sale?.amount_due > 0 ? sale : null;
  }

  line(more) {
    const [reason] = this.app.reasons.returns;
    return { back: 0, left: Infinity, qty: null, reason, place: placeOf(reason), price: null, ...more };
  }

  /** The reason determines the disposition until the user changes it. */
  static because(line, reason) {
    return { reason, place: line.placed ? line.place : placeOf(reason) };
  }

  ofSale(sale) {
    this.clear();
    this.sale = sale;
    this.lines = sale.items.map((item) =>
      this.line({
        sku: item.sku,
        name: item.name,
        no: item.line_no,
        sold: item.qty,
        back: item.returned_qty,
        left: item.qty - item.returned_qty,
      }),
    );
  }

  /** Asks head office for the receipt of another store. */
  ofOther(no) {
    this.clear();
    this.origin = no;
  }

  withoutReceipt() {
    this.clear();
    this.free = true;
  }

  /** Adds a returned piece. Returns false if it is not on the receipt. */
  put(product) {
    let line = this.lines.find((one) => one.sku === product.sku && (one.qty ?? 0) < one.left);
    if (!line) {
      if (this.sale) return false;
      line = this.line({ sku: product.sku, name: product.name, price: product.price });
      this.lines.push(line);
    }
    line.qty = Math.min((line.qty ?? 0) + 1, line.left);
    return true;
  }

  body() {
    const head = this.sale
      ? { transaction_id: this.sale.transaction_id }
      : this.origin
        ? { receipt_no: this.origin }
        : {};
    const items = this.lines
      .filter(({ qty }) => qty > 0)
      .map(({ sku, no, qty, reason, place, price }) => ({
        sku,
        qty,
        reason,
        disposition: place,
        ...(no === undefined ? {} : { line_no: no }),
        ...(this.needsPrice ? { price: price ?? 0 } : {}),
      }));
    return { ...head, items, ...(this.refunds ? { refunds: this.refunds } : {}) };
  }

  /** Asks the store for the refund; `shown` draws the page. */
  async ask(shown) {
    this.asked += 1;
    const mine = this.asked;
    Object.assign(this, { quote: null, problem: null, refunds: null });
    const result = { quote: null, problem: null, refunds: null };
    if (this.body().items.length) await this.quoted(result);
    if (mine !== this.asked) return;
    Object.assign(this, result);
    shown();
  }

  async quoted(result) {
    const quote = (refunds) =>
      this.app.change("POST", "/api/pos/returns/quote", { ...this.body(), ...(refunds ? { refunds } : {}) });
    try {
      result.quote = await this.valued(quote);
      if (!this.basket && !this.by) return;
      let { refunds } = result.quote;
      if (this.by) refunds = allBy(refunds, this.by);
      if (this.basket) refunds = parts(refunds, this.basket);
      result.quote = await quote(refunds);
      result.refunds = refunds;
    } catch (error) {
      result.quote = null;
      result.problem = error instanceof Refusal ? words(error) : null;
    }
  }

  /** Uses head office's value of a piece, or asks for it if head office can't be reached. */
  async valued(quote) {
    try {
      return await quote();
    } catch (error) {
      const wrong = error.details?.fields?.some(({ path }) => path.endsWith(".price"));
      if (!this.origin || !wrong) throw error;
      this.priced = !this.priced;
      return quote();
    }
  }

  /** Returns the money for the customer, without the part that paid the new basket and without points. */
  static given(refunds) {
    return refunds
      .filter(({ method }) => method !== EXCHANGE && method !== POINTS)
      .reduce((sum, { amount, rounding }) => sum + amount + rounding, 0);
  }

  static taken(refunds) {
    return refunds.filter(({ method }) => method === EXCHANGE).reduce((sum, { amount }) => sum + amount, 0);
  }

  get title() {
    if (this.free) return t("Without a receipt");
    return this.origin ?? this.sale?.receipt_no ?? "";
  }
}
