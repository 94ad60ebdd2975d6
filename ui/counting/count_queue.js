// Counts on their way from this device: on the disk first, then sent one after another as they were saved. Whoever counts goes on
// where the store can't be reached, as behind a shelf.
import { path, Unreachable } from "../shared/api.js";
import { finish, keep } from "../shared/intents.js";
import { t } from "../shared/i18n.js";
import { low } from "../shared/scan.js";
import { findProduct } from "../admin/find.js";

/** How long a product's name is waited for. */
const NAME_WITHIN_MS = 2000;

class CountQueue {
  constructor(app) {
    // `told` is whoever shows it; `known` are products by the codes that named them.
    Object.assign(this, { app, waiting: [], refused: [], away: false, known: new Map(), told: () => {} });
  }

  /** What of one count waits; `list` may be what the store refused. */
  of(id, list = this.waiting) {
    return list.filter((one) => one.id === id);
  }

  /** A product is its sku, or the code that nobody could look up. */
  async put(id, { sku, code, name }, qty, zone) {
    const { user } = this.app;
    const intent = await keep(user.id, { url: path("/api/opname/:id/counts", { id }), body: { counts: [{ ...(sku ? { sku } : { code }), qty, zone }] }, label: "Count", by: user.name });
    this.waiting.push({ id, sku, code, name, qty, zone, intent });
    this.told();
    this.send();
  }

  async send() {
    if (this.sending) return;
    this.sending = true;
    while (this.waiting.length && await this.sent(this.waiting[0])) {
      this.waiting.shift();
      this.told(true);
    }
    this.sending = false;
    this.told();
  }

  /** Whether one was answered; what its person has to log in for stays on the disk and is sent then. */
  async sent(one) {
    try {
      await finish(one.intent, null, (error) => {
        this.away = Boolean(error);
        this.told();
      });
    } catch (error) {
      if (error.status === 401) {
        this.waiting = [];
        this.app.fail(error);
        return false;
      }
      this.refused.push({ ...one, error });
    }
    return true;
  }

  forget(one) {
    this.refused = this.refused.filter((other) => other !== one);
    this.told();
  }

  /** What codes name in another count, or named before goods are counted again, is asked anew. */
  opens(about) {
    if (this.about !== about) Object.assign(this, { about, known: new Map() });
  }

  /** What a code names in a count, null where nothing does. Nobody answers: the code itself, which the store looks up when it is back. */
  async find(id, code) {
    const known = this.known.get(code);
    if (known) return known;
    if (this.away) return { code, name: code };
    let late;
    const patience = new Promise((_, fail) => { late = setTimeout(() => fail(new Unreachable("late")), NAME_WITHIN_MS); });
    try {
      const found = await Promise.race([findProduct(this.app, code, "/api/opname/:id/lookup", { id }), patience]);
      if (!found || found.here) return found && this.knows(code, { sku: found.sku, name: found.name, place: found.shelf_place, pack: found.pack_qty });
      low();
      this.app.say("bad", t("{name} is not counted here now", found));
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

/** One for each app: it outlives the page that shows it. */
export const queueOf = (app) => {
  app.counting ??= new CountQueue(app);
  return app.counting;
};
