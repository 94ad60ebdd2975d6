// Counts that are being sent from this device: stored first, then sent in order. Users continue to count where the
// store can't be reached, for example behind a shelf.
import { path, Unreachable } from "../kit/api.js";
import { finish, keep } from "../kit/intents.js";
import { t } from "../kit/i18n.js";
import { normal } from "../kit/scan.js";
import { wasScanned } from "../kit/scan.js";
import { findProduct } from "../admin/find.js";

/** Longest wait for a product's name. */
const NAME_WITHIN_MS = 2000;
/** Number of counts that can be withdrawn, one after the other. */
const LAST_MAX = 5;

/**
 * Quantity of a place in the store's figures: null if it was not counted, undefined if the page does not have its line.
 */
const numberAt = ({ lines, next_cursor: next }, sku, zone) => {
  if (next && sku > lines.at(-1).sku) return undefined;
  return lines.find((line) => line.sku === sku)?.zones.find((one) => one.zone === zone)?.qty ?? null;
};

class CountQueue {
  app;
  counted;
  onChange;
  about;
  known;

  constructor(app) {
    // `onChange` is called after each change; `known` are products by the codes that named them; `last` can be taken
    // back; `counted` is the counted number of a place since the store's figures were read; `skipped` products come
    // last in the list of uncounted ones.
    Object.assign(this, {
      app,
      waiting: [],
      refused: [],
      away: false,
      known: new Map(),
      onChange: () => {},
      last: [],
      counted: new Map(),
      skipped: new Set(),
    });
  }

  /** Counts of one document that wait; `list` may be the refused ones. */
  of(id, list = this.waiting) {
    return list.filter((one) => one.id === id);
  }

  /**
   * A product is its SKU, or a code that could not be looked up. Without a `qty` the place is as if it was not counted.
   */
  async put(id, { sku, code, name }, qty, zone, mode) {
    const { user } = this.app;
    const entry = qty === null ? { qty: 0, withdraw: true } : { qty };
    const intent = await keep(user.id, {
      url: path("/api/opname/:id/counts", { id }),
      body: { counts: [{ ...(sku ? { sku } : { code }), ...entry, zone }], ...(mode ? { mode } : {}) },
      label: "Count",
      by: user.name,
    });
    const one = { id, sku, code, name, qty, zone, intent };
    if (sku) this.counted.set(`${sku} ${zone}`, qty);
    this.waiting.push(one);
    this.onChange();
    this.send();
    return one;
  }

  /**
   * Adds a count that can be withdrawn if the former quantity is known; `stored` is the store's version of the count. A
   * code that was not looked up may be any product.
   */
  async count(id, product, qty, zone, stored) {
    const { sku } = product;
    const place = `${sku} ${zone}`;
    const before = this.counted.has(place) ? this.counted.get(place) : sku && numberAt(stored, sku, zone);
    const one = await this.put(id, product, qty, zone);
    if (sku && before !== undefined) this.last = [{ ...one, before }, ...this.last].slice(0, LAST_MAX);
    this.onChange();
  }

  /**
   * Withdraws the last count of this device and returns it. The former quantity is not sent again, because it would be
   * compared with the current stock.
   */
  async undo() {
    const [one] = this.last;
    if (!one) return null;
    this.last = this.last.filter(({ sku, zone }) => sku !== one.sku || zone !== one.zone);
    await this.put(one.id, one, null, one.zone);
    return one;
  }

  /**
   * Takes over the store's figures if nothing is pending. A quantity that differs from this device's is another
   * person's.
   */
  read(id, stored) {
    if (this.of(id).length) return;
    this.counted.clear();
    this.last = this.last.filter(({ sku, zone, qty }) => numberAt(stored, sku, zone) === qty);
  }

  async send() {
    if (this.sending) return;
    this.sending = true;
    while (this.waiting.length && (await this.sent(this.waiting[0]))) {
      this.waiting.shift();
      this.onChange(true);
    }
    this.sending = false;
    this.onChange();
  }

  /** Returns whether a count was answered. One that needs its person's log-in is kept and sent then. */
  async sent(one) {
    try {
      await finish(one.intent, null, (error) => {
        this.away = Boolean(error);
        this.onChange();
      });
    } catch (error) {
      if (error.status === 401) {
        this.waiting = [];
        this.app.fail(error);
        return false;
      }
      this.refused.push({ ...one, error });
      this.last = this.last.filter(({ intent }) => intent !== one.intent);
    }
    return true;
  }

  /** Somebody else counted the same place: this count is added to theirs or replaces it. */
  async decide(one, mode) {
    this.forget(one);
    await this.put(one.id, one, one.qty, one.zone, mode);
  }

  forget(one) {
    this.refused = this.refused.filter((other) => other !== one);
    this.onChange();
  }

  /** Codes are looked up again for another count, and before a recount. */
  opens(about) {
    if (this.about !== about)
      Object.assign(this, { about, known: new Map(), last: [], counted: new Map(), skipped: new Set() });
  }

  /**
   * Returns the product of a code in a count, or null. Without an answer it returns the code itself, which the store
   * looks up later.
   */
  async find(id, code) {
    const scanned = wasScanned();
    const known = this.known.get(normal(code)) ?? this.known.get(code);
    if (known) return known;
    if (this.away) return { code, name: code };
    let late;
    const patience = new Promise((_, fail) => {
      late = setTimeout(() => fail(new Unreachable("late")), NAME_WITHIN_MS);
    });
    try {
      const found = await Promise.race([findProduct(this.app, code, "/api/opname/:id/lookup", { id }), patience]);
      if (!found || found.here)
        return (
          found &&
          this.knows(normal(code), { sku: found.sku, name: found.name, place: found.shelf_place, pack: found.pack_qty })
        );
      this.app.refuse(code, t("{name} is not part of this count", found), { scanned });
      return null;
    } catch (error) {
      if (error instanceof Unreachable) return { code, name: code };
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  knows(code, product) {
    this.known.set(code, product);
    return product;
  }
}

/** The queue of an app, which outlives its pages. */
export const queueOf = (app) => {
  app.counting ??= new CountQueue(app);
  return app.counting;
};
