// Sell: the basket, the one line that takes scans and words, quick keys, the member and the total.
import { html, nothing, repeat } from "../vendor/lit.js";
import { fits, icon, key, unlessSame } from "../kit/controls.js";
import { decimal, money, number, symbol } from "../kit/format.js";
import { lang, t } from "../kit/i18n.js";
import { LinePage } from "./entry.js";
import { acts, display, lastSale, memberButton, notes, quickKeys, results } from "./side.js";

/** More quick keys than these stand closer together. */
const FEW_KEYS = 8;

/** Rarely used modules are loaded on first use. */
const chooseMember = async (app) => (await app.part(() => import("./member.js")))?.chooseMember(app);
const discount = async (app, whole) => (await app.part(() => import("./line.js")))?.discount(app, whole);
const editing = () => import("./line.js");
const editLine = async (app) => (await app.part(editing))?.editLine(app);
const priceCheck = async (app) => (await app.part(() => import("../selling/price_check.js")))?.priceCheck(app);
const voidBasket = async (app) => (await app.part(() => import("./void.js")))?.voidBasket(app);
/** The editor of a touched line, which opens in its place. */
const touchedLine = () => import("../touch/line.js");
/** Whether this is a touch screen, which shows its keyboard only on request. */
const TOUCH = matchMedia("(pointer: coarse)").matches;

const figure = (kind, text) => html`<span class=${kind} ${fits(text)}>${text}</span>`;

class PageSell extends LinePage {
  constructor() {
    super();
    this.opened = -1;
    this.openedPart = null;
  }

  keys() {
    const { app } = this;
    const empty = () => !this.line?.value;
    const whenEmpty = (act) => () => (empty() ? act() : false);
    // While an unknown code stays in the line, the key of an action is not the first letter of another code.
    const whenIdle = (act) => () => {
      if (!empty() && this.line.value !== this.unsold) return false;
      this.clearLine();
      return act();
    };
    return {
      F2: () => void chooseMember(app),
      F3: () => void discount(app, false),
      "Shift+F3": () => void discount(app, true),
      F4: () => void editLine(app),
      "Shift+F4": () => void priceCheck(app),
      F6: () => void this.hold(),
      F7: () => void app.show("holds"),
      F8: () => void app.show("return"),
      F9: () => void this.pay(),
      F10: () => void app.show("cash"),
      "Ctrl+k": () => void this.actions(),
      "/": whenIdle(() => void this.actions()),
      "+": whenIdle(() => this.more(1)),
      "-": whenIdle(() => this.more(-1)),
      Delete: whenEmpty(() => void this.setQty(0)),
      "Shift+Delete": whenEmpty(() => void voidBasket(app)),
      ArrowUp: () => this.move(-1),
      ArrowDown: () => this.move(1),
      PageUp: () => this.move(-8),
      PageDown: () => this.move(8),
      Escape: () => this.clearLine(),
    };
  }

  move(by) {
    if (this.found?.length) {
      this.chose = true;
      this.picked = Math.max(0, Math.min(this.picked + by, this.found.length - 1));
      this.requestUpdate();
    } else {
      this.opened = -1;
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
   * Sets the quantity of the selected line. 0 removes it; a button restores it. The last line ends the basket.
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
    if (qty <= 0) this.opened = -1;
    basket.setQty(index, qty);
    if (qty <= 0)
      app.say("ok", t("Removed: {name}", { name: line.name }), {
        label: t("Undo"),
        act: () => basket.putBack(index, line),
      });
  }

  /** Selects the pressed line, and opens or closes it. */
  async touch(index) {
    const { app } = this;
    const opens = index !== this.opened || index !== app.basket.selected;
    this.opened = opens ? index : -1;
    app.basket.select(index);
    this.line.focus();
    this.openedPart ??= (await app.part(touchedLine))?.opened ?? null;
    this.requestUpdate();
    await this.updateComplete;
    this.querySelector(".opened")?.scrollIntoView({ block: "nearest" });
  }

  takeOff() {
    return discount(this.app, false);
  }

  /** Edits the quantity of the selected line, or another field. */
  async edit(field = "line-qty") {
    const { app } = this;
    const done = (await app.part(editing))?.editLine(app);
    await app.dialog.updateComplete;
    /** @type {HTMLInputElement} */ (document.getElementById(field))?.select();
    return done;
  }

  // ---- actions

  async pay() {
    if (this.app.unconfirmed) return;
    await this.queue;
    await this.app.basket.settled();
    if (!this.app.basket.sale) return;
    this.app.show(this.app.returning?.exchange ? "return" : "pay");
  }

  /** Holds the sale after pending look-ups. Later scans belong to the next customer. */
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
      const part = await app.part(() => import("../selling/hold.js"));
      // The text in the line becomes the note.
      const note = this.line?.value.trim();
      if (!(await part?.holdSale(app, note === this.unsold ? "" : note))) return;
      this.clearLine();
      app.countHolds();
      app.say("ok", t("Sale held. Press F7 to recall it"));
      app.focusPage();
    });
  }

  async actions() {
    (await this.app.part(() => import("./actions.js")))?.actions(this.app, this);
  }

  // ---- the view

  /** A line of the basket, which is drawn again only if its content changed. */
  kept(line, index) {
    const { item } = line;
    const selected = index === this.app.basket.selected;
    const discounts = item?.discounts ?? [];
    const part = selected && index === this.opened ? this.openedPart : null;
    const shown = item
      ? item.price * item.qty - discounts.reduce((all, { amount }) => all + amount, 0)
      : line.price * line.qty;
    const all = [
      part,
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
    return unlessSame(all, () => this.row(line, index, { selected, shown, part }));
  }

  row(line, index, { selected, shown, part }) {
    const { item } = line;
    return html`<li
      class="row ${selected ? "sel" : ""} ${item ? "" : "unsure"}"
      aria-current=${selected ? "true" : nothing}
      @click=${() => this.touch(index)}
    >
      <span class="no">${index + 1}</span
      ><span class="what"
        ><span class="name"><bdi>${line.name}</bdi></span
        ><span class="sub">${notes(line)}</span></span
      >
      ${figure("qty", number(line.qty))}${figure("each", decimal(line.price))}${figure("sum", decimal(shown))}${part?.(this, line) ?? nothing}
    </li>`;
  }

  basketPart() {
    const { basket } = this.app;
    const back = this.cameBack();
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
        basket.isEmpty && !back.length
          ? html`<div class="rows first">
              <p class="empty">${icon("shopping-basket")}<span>${t("Scan the first product")}</span></p>
            </div>`
          : html`<ol class="rows" tabindex="0" aria-label=${t("Items in this sale")}>
              ${repeat(
                basket.lines,
                (line, index) => index,
                (line, index) => this.kept(line, index),
              )}${back}
            </ol>`
      }
      ${this.quick()}
    </section>`;
  }

  /** Returned goods of an exchange, listed below the goods that are sold. */
  cameBack() {
    const { returning } = this.app;
    const items = returning?.exchange ? (returning.quote?.items ?? []) : [];
    return items.map(
      (item) =>
        html`<li class="row back">
          <span class="no">${icon("undo-2", "icon-s")}</span
          ><span class="what"
            ><span class="name"><bdi>${item.name ?? item.sku}</bdi></span
            ><span class="sub">${t("Returned")}</span></span
          ><span class="qty">${number(-item.qty)}</span><span class="each"></span
          ><span class="sum">${decimal(-item.refund)}</span>
        </li>`,
    );
  }

  /** The amount that the customer pays or gets back after returns. */
  exchangeButton() {
    const { app } = this;
    if (!app.returning?.exchange) return nothing;
    const credit = app.returning.quote?.refund_total ?? 0;
    const left = (app.basket.sale?.amount_due ?? 0) - credit;
    return html`<button class="btn big swap" id="exchange" @click=${() => app.show("return")}>
      ${icon("refresh-cw")}<span
        ><b id="balance"
          >${
            left < 0
              ? t("To give back: {amount}", { amount: money(-left) })
              : t("To pay: {amount}", { amount: money(left) })
          }</b
        ><br />${t("Exchange: F8 to finish")}</span
      >
    </button>`;
  }

  quick() {
    const keys = quickKeys(this.app);
    return html`<div
      class="quick ${keys.length > FEW_KEYS ? "many" : ""} ${keys.length ? "" : "none"}"
      role="group"
      aria-label=${t("Quick keys")}
    >
      ${keys.map((one, index) => this.tile(one, index))}<button
        class="q every"
        @click=${() => this.app.show("products")}
      >
        ${icon("layout-dashboard")}<span class="qt">${t("Products")}</span>
      </button>
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
      ><span class="qp">${gone ? t("not sold") : decimal(price)}</span>
    </button>`;
  }

  render() {
    const { app } = this;
    return html`<h1 class="vh">${t("Sell")}</h1>
      <div class="sell">
        ${this.basketPart()}
        <aside class="side" aria-label=${t("Total and actions")}>
          ${memberButton(app, () => chooseMember(app))}${this.exchangeButton()}${lastSale(app)}${display(app)}
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
