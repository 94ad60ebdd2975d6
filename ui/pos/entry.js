// The till's line for scans and typed text, and the sale of what it names.
import { Unreachable } from "../kit/api.js";
import { codeOf, named, shown } from "../kit/scan.js";
import { t } from "../kit/i18n.js";
import { Page } from "../kit/page.js";
import { behind, wasScanned } from "../kit/scan.js";
import { number } from "../kit/format.js";
import { quickKeys } from "./side.js";

const SEARCH_AFTER_MS = 60;
/** Delay of a search for digits, which may be an unfinished code. */
const DIGITS_AFTER_MS = 250;
/** The last digits of a bar code, or a size. */
const DIGITS = /^\d{3,7}$/;
const SUFFIX_MS = 300;
/** The user must confirm more pieces: mostly a price or a code was typed before the star. */
const MANY = 999;
const FOUND = 8;
/** A look-up that takes longer stops further scans, which the cashier may not see fail. */
const SLOW_MS = 3000;

/** Number of results that are sorted by former choices here. */
const LOOKED_AT = 24;
const CHOSEN = "chosen";
const CHOSEN_MAX = 200;
/** How often each product was chosen from a list on this device. */
const choices = () => JSON.parse(localStorage.getItem(CHOSEN) ?? "{}");
const chosen = (sku) => {
  const all = choices();
  all[sku] = (all[sku] ?? 0) + 1;
  const kept = Object.entries(all)
    .sort(([, one], [, other]) => other - one)
    .slice(0, CHOSEN_MAX);
  localStorage.setItem(CHOSEN, JSON.stringify(Object.fromEntries(kept)));
};
const byChoice = (items) => {
  const all = choices();
  return [...items].sort((one, other) => (all[other.sku] ?? 0) - (all[one.sku] ?? 0));
};

/** Subclasses implement `keys()`, `pay()`, and `setQty(qty)` for the selected line. */
export class LinePage extends Page {
  constructor() {
    super();
    this.found = null;
    this.foundFor = "";
    this.typed = [];
    this.picked = 0;
    this.asked = 0;
    this.queue = Promise.resolve();
    this.lastCode = 0;
    this.round = 0;
    this.asking = Infinity;
  }

  get line() {
    return this.querySelector("#line");
  }

  clearLine() {
    this.line.value = "";
    this.typed = [];
    this.found = null;
    this.requestUpdate();
  }

  scanned(code) {
    this.take(code, { scanned: true });
  }

  onEnter() {
    const text = codeOf(this.line.value);
    if (!text) {
      if (Date.now() - this.lastCode > SUFFIX_MS && !this.app.basket.isEmpty) this.pay();
      return;
    }
    const scanned = wasScanned();
    // A scan is one code: the whole text is looked up, and its scanned end only if the whole is unknown and a person
    // typed the rest.
    const rest = scanned ? behind(this.line.value.trim(), this.typed) : null;
    // Listed products are used only for the text that found them.
    const listed = this.foundFor === text && !scanned && this.found?.length ? this.found : null;
    // Digits are a code first: a listed product is used only if the user chose it.
    const picked = listed && (!/^\d+$/.test(text) || this.chose) ? listed[this.picked] : null;
    this.clearLine();
    this.lastCode = Date.now();
    if (!scanned && text.startsWith("?")) {
      if (!this.seek(text)) this.app.basket.refuse(t("No matching item in this sale"));
    } else if (picked) this.pick(picked);
    else this.take(text, { scanned, rest });
  }

  /** Takes text that was typed before the page was shown. A single key may be an action. */
  begin(text) {
    const act = text.length === 1 && this.keys()[text];
    if (act) {
      act();
      return;
    }
    this.line.value = text;
    this.line.focus();
    for (const typed of text) this.goesOn({ key: typed, timeStamp: performance.now() });
    this.onInput();
  }

  /** `?text` selects the first line with this name or code. */
  seek(text) {
    const wanted = text.slice(1).trim().toLowerCase();
    const { basket } = this.app;
    const at = wanted
      ? basket.lines.findIndex(
          ({ name, sku }) => name.toLowerCase().includes(wanted) || sku.toLowerCase().includes(wanted),
        )
      : -1;
    if (at >= 0) basket.select(at);
    this.updateComplete.then(() => this.querySelector(".row.sel")?.scrollIntoView({ block: "nearest" }));
    return at >= 0;
  }

  /** Begins the line with a key that was pressed elsewhere. */
  goesOn({ key: typed, timeStamp: time }) {
    this.typed.push({ key: typed, time });
  }

  /** Notes the time of each key. A moved caret begins a new text. */
  onTyped(event) {
    if (event.key.length === 1 && !event.ctrlKey && !event.altKey) this.goesOn(event);
    else if (!["Shift", "Control", "Enter"].includes(event.key)) this.typed = [];
    if (event.key !== "Enter") return;
    event.preventDefault();
    this.onEnter();
  }

  /**
   * `3*` sets the quantity of the selected line, `3*code` sells three pieces, `.4` presses a quick key, other text is a
   * code. `how`: whether a scanner sent it, and the code at its end.
   */
  take(
    text,
    /** @type {{ scanned?: boolean, rest?: { code: string, sure: boolean } | null, sure?: boolean }} */ how = {},
  ) {
    const times = /^(\d{1,6})\*(.*)$/.exec(text);
    if (times && Number(times[1]) > MANY && !how.sure) {
      this.asksMany(Number(times[1]), () => this.take(text, { ...how, sure: true }));
      return;
    }
    if (times && !times[2]) {
      this.setQty(Number(times[1]));
      return;
    }
    if (times && !Number(times[1])) {
      this.app.basket.refuse(t("Enter at least 1 piece"));
      return;
    }
    const code = times ? times[2] : text;
    const quick = /^\.(\d{1,2})$/.exec(code);
    const many = times ? Number(times[1]) : 1;
    if (quick) {
      const product = quickKeys(this.app)[Number(quick[1]) - 1];
      if (!product) this.app.basket.refuse(t("There is no quick key {n}", { n: quick[1] }));
      else if (product.state === "inactive")
        this.app.basket.refuse(t("{name} is no longer sold", { name: product.name }));
      else this.add(product.sku, many);
      return;
    }
    this.add(code, many, how);
  }

  /** Looks codes up one after another, so that the lines have the order of the scans. */
  add(code, many, how = {}) {
    const { app } = this;
    const { basket } = app;
    const { scanned = false } = how;
    const unanswered = () =>
      app.refuse(code, t("{code} not added: no connection to the store server", { code: named(code) }), {
        long: true,
        scanned,
      });
    // The scan is refused and not kept for later: goods that are not on the screen would be given away.
    if (app.unconfirmed || basket.isPaying || Date.now() - this.asking > SLOW_MS) {
      unanswered();
      return;
    }
    app.say(null);
    const mine = this.round;
    this.queue = this.queue
      .then(async () => {
        if (mine !== this.round) {
          unanswered();
          return;
        }
        if (basket.sale && basket.sale.state !== "open") {
          app.refuse(code, t("This sale is partly paid. Finish or undo its payments first"), { scanned });
          return;
        }
        this.asking = Date.now();
        const product = await basket.find(code).finally(() => {
          this.asking = Infinity;
        });
        if (product) this.put(product, many);
        else if (!(await basket.card(code))) await this.takeRest(code, many, how);
      })
      .catch((error) => {
        this.round += 1;
        if (scanned) app.scanFailed(error, code);
        else app.fail(error);
        if (error instanceof Unreachable) app.back();
      });
  }

  /**
   * The whole text is no code. A scanned code after typed text is sold. If it may be a part of a code, the user is
   * asked.
   */
  async takeRest(
    code,
    many,
    /** @type {{ scanned?: boolean, rest?: { code: string, sure: boolean } | null }} */ { scanned, rest },
  ) {
    const product = rest && rest.code !== code ? await this.app.basket.find(rest.code) : null;
    if (!product) {
      this.unknown(code, scanned);
      return;
    }
    const sold =
      rest.sure ||
      (await this.app.dialog.ask({
        title: t("Did you mean {name}?", { name: product.name }),
        doubtful: true,
        yes: t("Add it"),
        no: t("Don't add it"),
        text: t("{code} was scanned after typed text and may be part of another code. Check the product", {
          code: named(rest.code),
        }),
      }));
    if (sold) this.put(product, many);
    else
      this.app.refuse(rest.code, t("{code} was not added. Scan it again", { code: named(rest.code) }), {
        kind: "warn",
        scanned,
      });
  }

  /** Keeps the text selected: the user corrects it, or the next scan replaces it. */
  unknown(code, scanned) {
    this.app.unknownCode(code, scanned);
    if (!this.line || this.line.value) return;
    // A scanned text that is no barcode may be a password.
    if (scanned && !shown(code)) return;
    this.unsold = code;
    this.line.value = code;
    this.line.select();
  }

  async asksMany(many, act) {
    const sure = await this.app.dialog.ask({
      title: t("{n} pieces?", { n: number(many) }),
      doubtful: true,
      yes: t("Yes, {n} pieces", { n: number(many) }),
    });
    if (sure) act();
  }

  /** Remembers a choice, so that it comes first next time. */
  pick(product) {
    chosen(product.sku);
    this.put(product, 1);
  }

  put(product, many) {
    this.app.basket.add(product, many);
    this.updateComplete.then(() => this.querySelector(".row.sel")?.scrollIntoView({ block: "nearest" }));
  }

  onInput() {
    const text = this.line.value.trim();
    this.asked += 1;
    const mine = this.asked;
    if (text.startsWith("?")) this.seek(text);
    this.chose = false;
    const digits = DIGITS.test(text);
    if (text.length < 2 || (!digits && /^[\d*.]+$|^\?/.test(text))) {
      this.found = null;
      this.requestUpdate();
      return;
    }
    setTimeout(
      async () => {
        if (mine !== this.asked) return;
        try {
          const { items } = await this.app.get("/api/pos/products", {}, { q: text, limit: LOOKED_AT });
          if (mine !== this.asked || !this.line?.value) return;
          // Digits without a result may become a code.
          this.found = digits && !items.length ? null : byChoice(items).slice(0, FOUND);
          this.foundFor = text;
          this.picked = 0;
          this.requestUpdate();
        } catch (error) {
          this.app.fail(error);
        }
      },
      digits ? DIGITS_AFTER_MS : SEARCH_AFTER_MS,
    );
  }
}
