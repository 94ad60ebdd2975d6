// Sell: the basket, the one line that takes scans and words, quick keys, the member and the total.
import { html, nothing, repeat } from "../vendor/lit.js";
import { Unreachable } from "../kit/api.js";
import { icon, key, unlessSame } from "../kit/controls.js";
import { number, symbol } from "../kit/format.js";
import { lang, t } from "../kit/i18n.js";
import { behind, codeOf, named, shown, wasScanned } from "../kit/scan.js";
import { Page } from "../kit/page.js";
import { quickKeys } from "./quick.js";
import { acts, display, lastSale, memberButton, notes, results } from "./side.js";

const SEARCH_AFTER_MS = 60;
const SUFFIX_MS = 300;
/** Somebody who scans on does not look: a box that takes longer takes nothing more. */
const SLOW_MS = 3000;
/** More quick keys than these stand closer together. */
const FEW_KEYS = 8;

/** What is asked for now and then is loaded then. */
const chooseMember = async (app) => (await app.part(() => import("./member.js")))?.chooseMember(app);
const discount = async (app, whole) => (await app.part(() => import("./line.js")))?.discount(app, whole);
const editLine = async (app) => (await app.part(() => import("./line.js")))?.editLine(app);
const voidBasket = async (app) => (await app.part(() => import("./void.js")))?.voidBasket(app);
/** A touch screen shows its keyboard only where somebody wants to type. */
const TOUCH = matchMedia("(pointer: coarse)").matches;

class PageSell extends Page {
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

  keys() {
    const { app } = this;
    const { basket } = app;
    const empty = () => !this.line?.value;
    const whenEmpty = (act) => () => (empty() ? act() : false);
    return {
      F2: () => void chooseMember(app),
      F3: () => void discount(app, false),
      "Shift+F3": () => void discount(app, true),
      F4: () => void editLine(app),
      F6: () => void this.hold(),
      F7: () => void app.show("holds"),
      F8: () => void app.show("return"),
      F9: () => void this.pay(),
      F10: () => void app.show("cash"),
      "Ctrl+k": () => void this.actions(),
      "/": whenEmpty(() => void this.actions()),
      "+": whenEmpty(() => this.more(1)),
      "-": whenEmpty(() => this.more(-1)),
      Delete: whenEmpty(() => void this.setQty(0)),
      ArrowUp: () => this.move(-1),
      ArrowDown: () => this.move(1),
      PageUp: () => this.move(-8),
      PageDown: () => this.move(8),
      Escape: () => this.clearLine(),
    };
  }

  move(by) {
    if (this.found?.length) {
      this.picked = Math.max(0, Math.min(this.picked + by, this.found.length - 1));
      this.requestUpdate();
    } else {
      this.app.basket.select(this.app.basket.selected + by);
      this.updateComplete.then(() => this.querySelector(".row.sel")?.scrollIntoView({ block: "nearest" }));
    }
  }

  more(by) {
    const { basket } = this.app;
    const line = basket.lines[basket.selected];
    if (line) this.setQty(line.qty + by);
  }

  /**
   * Of the selected line; none: it is taken off, and put back by whoever did not mean it. The last one ends the basket.
   */
  setQty(qty) {
    const { app } = this;
    const { basket } = app;
    const index = basket.selected;
    const line = basket.lines[index];
    if (!line) return;
    if (qty <= 0 && basket.lines.length === 1) {
      voidBasket(app).then(() => app.focusPage());
      return;
    }
    basket.setQty(index, qty);
    if (qty <= 0)
      app.say("ok", t("Removed: {name}", { name: line.name }), {
        label: t("Undo"),
        act: () => basket.putBack(index, line),
      });
  }

  clearLine() {
    this.line.value = "";
    this.typed = [];
    this.found = null;
    this.requestUpdate();
  }

  // ---- what was scanned or typed

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
    // A scan is one code: all of the text is looked up, and a part of it only where the whole is unknown and somebody
    // typed the rest.
    const rest = scanned ? behind(this.line.value.trim(), this.typed) : null;
    // What is listed counts for its own text only.
    const picked = this.foundFor === text && !scanned && !/^\d{6,}$/.test(text) ? this.found?.[this.picked] : null;
    this.clearLine();
    this.lastCode = Date.now();
    if (!scanned && text.startsWith("?")) {
      if (!this.seek(text)) this.app.basket.refuse(t("No matching item in this sale"));
    } else if (picked) this.put(picked, 1);
    else this.take(text, { scanned, rest });
  }

  /** What was typed before this page was there; one key may be an action of it. */
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

  /** `?text`: the first line of the basket that is called so, or has this code, is selected. */
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

  /** A key that went to the line from somewhere else is its first. */
  goesOn({ key: typed, timeStamp: time }) {
    this.typed.push({ key: typed, time });
  }

  /** When each key of the line was typed; a caret that is moved begins anew. */
  onTyped(event) {
    if (event.key.length === 1 && !event.ctrlKey && !event.altKey) this.goesOn(event);
    else if (!["Shift", "Control", "Enter"].includes(event.key)) this.typed = [];
    if (event.key !== "Enter") return;
    event.preventDefault();
    this.onEnter();
  }

  /**
   * `3*` the quantity of the selected line, `3*code` so many of it, `.4` a quick key, else a code; `how` it came:
   * whether a scanner sent it, and which code stands at its end.
   */
  take(text, /** @type {{ scanned?: boolean, rest?: { code: string, sure: boolean } | null }} */ how = {}) {
    const times = /^(\d{1,6})\*(.*)$/.exec(text);
    if (times && !times[2]) {
      this.setQty(Number(times[1]));
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

  /** Codes are looked up one after another, so that lines stand in the order of the scans. */
  add(code, many, how = {}) {
    const { app } = this;
    const { basket } = app;
    const { scanned = false } = how;
    const unanswered = () =>
      app.refuse(code, t("{code} not added: no connection to the store server", { code: named(code) }), {
        long: true,
        scanned,
      });
    // Nothing is kept for later: what is in the bag and not on the screen would be given away.
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
   * The whole text is no code. What a scanner sent behind typed text is sold; where it may be a part of a code,
   * somebody is asked.
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

  /** The text stays, selected: it is corrected, or the next scan replaces it. */
  unknown(code, scanned) {
    this.app.unknownCode(code, scanned);
    if (!this.line || this.line.value) return;
    // What a scanner sent, and is no bar code, may be a password.
    if (scanned && !shown(code)) return;
    this.unsold = code;
    this.line.value = code;
    this.line.select();
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
    if (text.length < 2 || /^[\d*.]+$|^\?/.test(text)) {
      this.found = null;
      this.requestUpdate();
      return;
    }
    setTimeout(async () => {
      if (mine !== this.asked) return;
      try {
        const { items } = await this.app.get("/api/pos/products", {}, { q: text, limit: 8 });
        if (mine !== this.asked || !this.line?.value) return;
        this.found = items;
        this.foundFor = text;
        this.picked = 0;
        this.requestUpdate();
      } catch (error) {
        this.app.fail(error);
      }
    }, SEARCH_AFTER_MS);
  }

  // ---- actions

  async pay() {
    if (this.app.unconfirmed) return;
    await this.queue;
    await this.app.basket.settled();
    if (!this.app.basket.sale) return;
    this.app.show(this.app.returning?.exchange ? "return" : "pay");
  }

  /** Behind what is still looked up; what is scanned by then is the next customer's and waits. */
  hold() {
    this.queue = this.queue
      .then(() => {
        this.asking = Date.now();
        return this.putAway();
      })
      .finally(() => {
        this.asking = Infinity;
      });
    return this.queue;
  }

  async putAway() {
    const { app } = this;
    if (app.basket.isEmpty) return;
    await this.once(async () => {
      await app.basket.settled();
      const { sale } = app.basket;
      if (!sale) return;
      // Whose it is: what stands in the line when it is put away.
      const note = this.line?.value.trim();
      await app.command({
        url: "/api/pos/holds",
        body: { transaction_id: sale.transaction_id, ...(note && note !== this.unsold ? { note } : {}) },
        label: "Hold sale",
        amount: sale.total,
      });
      app.basket.clear();
      this.clearLine();
      app.countHolds();
      app.say("ok", t("Sale held. Press F7 to recall it"));
      app.focusPage();
    });
  }

  async actions() {
    (await this.app.part(() => import("./actions.js")))?.actions(this.app, this);
  }

  // ---- what is seen

  /** A line of the basket; drawn anew when what it shows is another, not with every key and every answer. */
  kept(line, index) {
    const { item } = line;
    const selected = index === this.app.basket.selected;
    const discounts = item?.discounts ?? [];
    const shown = item
      ? item.price * item.qty - discounts.reduce((all, { amount }) => all + amount, 0)
      : line.price * line.qty;
    const all = [
      index,
      selected,
      Boolean(item),
      shown,
      line.sku,
      line.name,
      line.qty,
      line.price,
      line.discount,
      line.onHand,
      lang(),
      ...discounts.flatMap(({ source, reason, amount }) => [source, reason, amount]),
    ];
    return unlessSame(all, () => this.row(line, index, { selected, shown }));
  }

  row(line, index, { selected, shown }) {
    const { item } = line;
    return html`<li
      class="row ${selected ? "sel" : ""} ${item ? "" : "unsure"}"
      aria-current=${selected ? "true" : nothing}
      @click=${() => {
        this.app.basket.select(index);
        this.line.focus();
      }}
    >
      <span class="no">${index + 1}</span
      ><span class="what"
        ><span class="name"><bdi>${line.name}</bdi></span
        ><span class="sub">${notes(line)}</span></span
      >
      <span class="qty">${number(line.qty)}</span><span class="each">${number(line.price)}</span
      ><span class="sum">${number(shown)}</span>
    </li>`;
  }

  basketPart() {
    const { basket } = this.app;
    return html`<section class="basket" aria-label=${t("Sale")}>
      <div class="top">
        <div class="line">
          <label class="vh" for="line">${t("Scan, or type a name or code")}</label>${icon("scan-barcode")}<input
            id="line"
            data-focus
            data-scan="line"
            autocomplete="off"
            spellcheck="false"
            placeholder=${t("Scan, or type a name or code")}
            role="combobox"
            aria-expanded=${Boolean(this.found?.length)}
            aria-controls="results"
            aria-activedescendant=${this.found?.length ? `found-${this.picked}` : nothing}
            inputmode=${TOUCH ? "none" : nothing}
            @pointerdown=${(event) => {
              event.target.inputMode = "text";
            }}
            @input=${() => this.onInput()}
            @keydown=${(event) => this.onTyped(event)}
          /><span class="hint wide"
            ><kbd>3*</kbd> ${t("quantity")}&ensp;<kbd>.4</kbd> ${t("quick key")}&ensp;<kbd>/</kbd>
            ${t("all actions")}</span
          >
        </div>
        ${this.app.refusedPart()}
      </div>
      ${results(this)}
      <div class="head" aria-hidden="true">
        <span>#</span><span>${t("Product")}</span><span class="num">${t("Qty")}</span
        ><span class="num">${t("Each")}</span><span class="num">${t("Amount")}, ${symbol()}</span>
      </div>
      ${
        basket.isEmpty
          ? html`<div class="rows first">
              <p class="empty">${icon("shopping-basket")}<span>${t("Scan the first product")}</span></p>
            </div>`
          : html`<ol class="rows" tabindex="0" aria-label=${t("Items in this sale")}>
              ${repeat(
                basket.lines,
                (line, index) => index,
                (line, index) => this.kept(line, index),
              )}
            </ol>`
      }
      ${this.quick()}
    </section>`;
  }

  quick() {
    const keys = quickKeys(this.app);
    if (!keys.length) return nothing;
    return html`<div
      class="quick wide ${keys.length > FEW_KEYS ? "many" : ""}"
      role="group"
      aria-label=${t("Quick keys")}
    >
      ${keys.map((one, index) => this.tile(one, index))}
    </div>`;
  }

  tile({ sku, name, label, price, state }, index) {
    const gone = state === "inactive";
    return html`<button
      class="q"
      title=${label ? name : nothing}
      ?disabled=${gone}
      @click=${() => {
        this.add(sku, 1);
        this.line.focus();
      }}
    >
      <span class="qn">.${index + 1}</span><span class="qt">${label ?? name}</span
      ><span class="qp">${gone ? t("not sold") : number(price)}</span>
    </button>`;
  }

  render() {
    const { app } = this;
    return html`<h1 class="vh">${t("Sell")}</h1>
      <div class="sell">
        ${this.basketPart()}
        <aside class="side" aria-label=${t("Total and actions")}>
          ${memberButton(app, () => chooseMember(app))}${
            app.returning?.exchange
              ? html`<button class="btn big swap" id="exchange" @click=${() => app.show("return")}>
                  ${icon("refresh-cw")}<span>${t("Exchange: scan the new goods, then F8")}</span>
                </button>`
              : nothing
          }${lastSale(app)}${display(app)}
          <button class="pay" ?disabled=${app.basket.isEmpty || Boolean(app.unconfirmed)} @click=${() => this.pay()}>
            ${icon("banknote")}<span>${t("Pay")}</span>${key("F9")}
          </button>
          ${acts(this, () => discount(app, false))}<button
            class="more narrow"
            aria-label=${t("All actions")}
            @click=${() => this.actions()}
          >
            ${icon("ellipsis")}
          </button>
        </aside>
      </div>`;
  }
}
customElements.define("page-sell", PageSell);
