// Sell: the basket, the one line that takes scans and words, quick keys, the member and the total.
import { html, nothing, repeat } from "../vendor/lit.js";
import { path } from "../shared/api.js";
import { icon, key } from "../shared/controls.js";
import { money, number, rate, shortReceipt, symbol, time } from "../shared/format.js";
import { t } from "../shared/i18n.js";
import { clean } from "../shared/scan.js";
import { chooseMember } from "./member.js";
import { discount, editLine } from "./line.js";
import { Page } from "../shared/page.js";
import { quickKeys } from "./quick.js";

const SEARCH_AFTER_MS = 60;
const SUFFIX_MS = 300;

class PageSell extends Page {
  constructor() {
    super();
    this.found = null;
    this.picked = 0;
    this.asked = 0;
    this.queue = Promise.resolve();
    this.lastCode = 0;
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
      F2: () => void chooseMember(app), F3: () => void discount(app, false), "Shift+F3": () => void discount(app, true),
      F4: () => void editLine(app), F6: () => void this.hold(), F7: () => void app.show("holds"), F8: () => void app.show("return"),
      F9: () => void this.pay(), F10: () => void app.show("cash"), "Ctrl+p": () => void app.reprint(), "Ctrl+k": () => void this.actions(),
      "/": whenEmpty(() => void this.actions()), "+": whenEmpty(() => this.more(1)), "-": whenEmpty(() => this.more(-1)),
      Delete: whenEmpty(() => basket.setQty(basket.selected, 0)),
      ArrowUp: () => this.move(-1), ArrowDown: () => this.move(1), PageUp: () => this.move(-8), PageDown: () => this.move(8),
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
    if (line) basket.setQty(basket.selected, line.qty + by);
  }

  clearLine() {
    this.line.value = "";
    this.found = null;
    this.requestUpdate();
  }

  // ---- what was scanned or typed

  scanned(code) {
    this.take(code);
  }

  onEnter() {
    const text = clean(this.line.value);
    if (!text) {
      if (Date.now() - this.lastCode > SUFFIX_MS && !this.app.basket.isEmpty) this.pay();
      return;
    }
    const picked = this.found?.[this.picked];
    this.clearLine();
    this.lastCode = Date.now();
    if (picked && !/^\d{6,}$/.test(text)) this.put(picked, 1);
    else this.take(text);
  }

  /** `3*` the quantity of the selected line, `3*code` so many of it, `.4` a quick key, else a code. */
  take(text) {
    const times = /^(\d{1,6})\*(.*)$/.exec(text);
    if (times && !times[2]) {
      this.app.basket.setQty(this.app.basket.selected, Number(times[1]));
      return;
    }
    const code = times ? times[2] : text;
    const quick = /^\.(\d{1,2})$/.exec(code);
    const many = times ? Number(times[1]) : 1;
    if (quick) {
      const product = quickKeys()[Number(quick[1]) - 1];
      if (product) this.add(product.sku, many);
      else this.app.basket.refuse(t("There is no quick key {n}", { n: quick[1] }));
      return;
    }
    this.add(code, many);
  }

  /** Codes are looked up one after another, so that lines stand in the order of the scans. */
  add(code, many) {
    this.app.say(null);
    this.queue = this.queue.then(async () => {
      const { basket } = this.app;
      if (basket.sale && basket.sale.state !== "open") {
        basket.refuse(t("This sale is partly paid: finish or undo its payments first"));
        return;
      }
      const product = await basket.find(code);
      if (product) this.put(product, many);
      else basket.unknown(code);
    }).catch((error) => this.app.fail(error));
  }

  put(product, many) {
    this.app.basket.add(product, many);
    this.updateComplete.then(() => this.querySelector(".row.sel")?.scrollIntoView({ block: "nearest" }));
  }

  onInput() {
    const text = this.line.value.trim();
    this.asked += 1;
    const mine = this.asked;
    if (text.length < 2 || /^[\d*.]+$/.test(text)) {
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
        this.picked = 0;
        this.requestUpdate();
      } catch (error) {
        this.app.fail(error);
      }
    }, SEARCH_AFTER_MS);
  }

  // ---- actions

  async pay() {
    await this.queue;
    await this.app.basket.settled();
    if (!this.app.basket.sale) return;
    this.app.show(this.app.returning?.exchange ? "return" : "pay");
  }

  hold() {
    const { app } = this;
    return this.once(async () => {
      await app.basket.settled();
      const { sale } = app.basket;
      if (!sale) return;
      await app.command({ url: "/api/pos/holds", body: { transaction_id: sale.transaction_id }, label: "Hold basket", amount: sale.total });
      app.basket.clear();
      app.countHolds();
      app.say("ok", t("The basket waits. Recall it with F7"));
      app.focusPage();
    });
  }

  async voidBasket() {
    const { app } = this;
    await app.basket.settled();
    const { sale } = app.basket;
    if (!sale) return;
    const chosen = await app.dialog.ask({
      title: t("Void this basket of {amount}?", { amount: money(sale.total) }), yes: t("Void basket"), no: t("Keep"), danger: true,
      body: html`<div class="field"><label for="why">${t("Reason")}</label><select class="input" id="why" name="reason">${app.reasons.voids.map((code) => html`<option value=${code}>${t(code)}</option>`)}</select></div>`,
    });
    if (!chosen) return;
    this.once(async () => {
      await app.command({ url: path("/api/pos/transactions/:id/void", { id: sale.transaction_id }), body: { reason: chosen.reason }, label: "Void basket", amount: sale.total });
      app.basket.clear();
    });
  }

  list() {
    const { app } = this;
    return [
      ["user-round", t("Member"), "F2", () => chooseMember(app)], ["percent", t("Discount on the line"), "F3", () => discount(app, false)],
      ["percent", t("Discount on the basket"), "Shift F3", () => discount(app, true)], ["calculator", t("Change the line"), "F4", () => editLine(app)],
      ["pause", t("Hold"), "F6", () => this.hold()], ["list-restart", t("Recall"), "F7", () => app.show("holds")],
      ["undo-2", t("Return"), "F8", () => app.show("return")], ["clock", t("Shift and cash"), "F10", () => app.show("cash")],
      ["receipt", t("Receipts of this shift"), "", () => app.show("receipts")], ["printer", t("Print the last receipt again"), "Ctrl P", () => app.reprint()],
      ["trash-2", t("Void basket"), "", () => this.voidBasket()],
    ];
  }

  actions() {
    const { app } = this;
    app.dialog.ask({
      title: t("All actions"), yes: null, no: t("Close"),
      body: html`<div class="stack s menu wide-menu">${this.list().map(([name, label, keys, act], index) => html`<button type="button" class="btn big" ?data-focus=${index === 0} @click=${() => {
        app.dialog.close(null);
        act();
      }}>${icon(name)}${label}${keys ? key(keys) : nothing}</button>`)}</div>`,
    });
  }

  // ---- what is seen

  note(line) {
    const promotions = line.item?.discounts.filter(({ source }) => source === "promotion") ?? [];
    const off = promotions.reduce((all, { amount }) => all + amount, 0);
    if (off) return html`<span class="note ok">${icon("tag", "icon-s")}${t("Promotion")}, ${number(-off)}</span>`;
    if (line.discount) return html`<span class="note ok">${icon("percent", "icon-s")}${t("Discount")}, ${number(-line.discount)}</span>`;
    if (line.onHand && line.onHand < line.qty) return html`<span class="note warn">${icon("triangle-alert", "icon-s")}${t("Books say {n} on the shelf", { n: number(line.onHand) })}</span>`;
    return html`<span class="sku">${line.sku}</span>`;
  }

  row(line, index) {
    const selected = index === this.app.basket.selected;
    const item = line.item;
    const shown = item ? item.price * item.qty - item.discounts.reduce((all, { amount }) => all + amount, 0) : line.price * line.qty;
    return html`<li class="row ${selected ? "sel" : ""} ${item ? "" : "unsure"}" aria-current=${selected ? "true" : nothing} @click=${() => {
      this.app.basket.select(index);
      this.line.focus();
    }}><span class="no">${index + 1}</span><span class="what"><span class="name"><bdi>${line.name}</bdi></span><span class="sub">${this.note(line)}</span></span>
      <span class="qty">${number(line.qty)}</span><span class="each">${number(line.price)}</span><span class="sum">${number(shown)}</span></li>`;
  }

  results() {
    if (!this.found) return nothing;
    if (!this.found.length) return html`<p class="results panel empty">${t("Nothing is called this")}</p>`;
    return html`<ul class="results panel" id="results" role="listbox" aria-label=${t("Products found")}>${this.found.map((product, index) => html`<li role="option" id="found-${index}"
      aria-selected=${index === this.picked} @pointerdown=${(event) => {
        event.preventDefault();
        this.clearLine();
        this.put(product, 1);
      }}><span class="what"><span class="name"><bdi>${product.name}</bdi></span><span class="sub">${product.sku}</span></span><span class="muted">${number(product.on_hand)}</span><b>${number(product.price)}</b></li>`)}</ul>`;
  }

  basketPart() {
    const { basket } = this.app;
    return html`<section class="basket" aria-label=${t("Basket")}>
      <div class="line"><label class="vh" for="line">${t("Scan, or type a name or code")}</label>${icon("scan-barcode")}<input id="line" data-focus data-scan="line" autocomplete="off" spellcheck="false"
        placeholder=${t("Scan, or type a name or code")} role="combobox" aria-expanded=${Boolean(this.found?.length)} aria-controls="results" aria-activedescendant=${this.found?.length ? `found-${this.picked}` : nothing}
        @input=${() => this.onInput()} @keydown=${(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          this.onEnter();
        }}><span class="hint wide"><kbd>3*</kbd> ${t("quantity")}&ensp;<kbd>.4</kbd> ${t("quick key")}&ensp;<kbd>/</kbd> ${t("all actions")}</span></div>
      ${this.results()}
      <div class="head" aria-hidden="true"><span>#</span><span>${t("Product")}</span><span class="num">${t("Qty")}</span><span class="num">${t("Each")}</span><span class="num">${t("Amount")}, ${symbol()}</span></div>
      ${basket.isEmpty ? html`<div class="rows first"><p class="empty">${icon("shopping-basket")}<span>${t("Scan the first product")}</span></p></div>`
        : html`<ol class="rows" tabindex="0" aria-label=${t("Lines of the basket")}>${repeat(basket.lines, (line, index) => index, (line, index) => this.row(line, index))}</ol>`}
      ${this.quick()}</section>`;
  }

  quick() {
    const products = quickKeys().slice(0, 8);
    if (!products.length) return nothing;
    return html`<div class="quick wide" role="group" aria-label=${t("Quick keys")}>${products.map((product, index) => html`<button class="q" @click=${() => {
      this.add(product.sku, 1);
      this.line.focus();
    }}><span class="qn">.${index + 1}</span><span class="qt">${product.name}</span><span class="qp">${number(product.price)}</span></button>`)}</div>`;
  }

  memberButton() {
    const { member } = this.app.basket;
    return html`<button class="member" @click=${() => chooseMember(this.app)}>${icon("user-round")}${member
      ? html`<span class="mt"><b><bdi>${member.name}</bdi></b><span>${member.phone ?? member.code}</span></span><span class="pts"><b>${number(member.points_balance)}</b> <span>${t("points")}</span></span>`
      : html`<span class="mt"><span>${t("Member")}</span></span>`}${key("F2")}</button>`;
  }

  lastSale() {
    const { last } = this.app;
    if (!last) return nothing;
    const cash = last.payments.filter(({ state }) => state === "accepted").at(-1);
    return html`<div class="last wide"><span class="muted">${t("Last sale {time}, receipt {no}", { time: time(last.paid_at), no: shortReceipt(last.receipt_no) })}</span>
      <span>${cash ? `${t(cash.method)} ${number(cash.tendered)}` : nothing}</span><span>${t("Change")} <b>${number(last.change)}</b></span>
      <button class="link" @click=${() => this.app.reprint()}>${t("Print again")} ${key("Ctrl P")}</button></div>`;
  }

  display() {
    const { basket, settings } = this.app;
    const { sale } = basket;
    const pieces = basket.lines.reduce((all, { qty }) => all + qty, 0);
    const manual = sale ? sale.discount - basket.promotions : 0;
    const tax = settings.tax.prices_include_tax ? t("Tax, contained") : t("Tax");
    return html`<div class="display" aria-busy=${basket.isBehind}><dl><div><dt>${t("{n} lines, {p} pieces", { n: number(basket.lines.length), p: number(pieces) })}</dt><dd>${number(sale?.subtotal ?? 0)}</dd></div>
      ${basket.promotions ? html`<div><dt>${t("Promotions")}</dt><dd>${number(-basket.promotions)}</dd></div>` : nothing}
      ${manual ? html`<div><dt>${t("Discount")}</dt><dd>${number(-manual)}</dd></div>` : nothing}
      <div class="wide"><dt>${tax}${settings.tax.default_rate_bp ? ` ${rate(settings.tax.default_rate_bp)}` : ""}</dt><dd>${number(sale?.tax ?? 0)}</dd></div></dl>
      <p class="total" aria-live="polite"><span class="cur">${symbol()}</span><span id="total" class=${basket.isBehind ? "unsure" : ""}>${number(sale?.total ?? 0)}</span></p>
      ${sale?.points_earned ? html`<p class="earn wide">${t("earns {n} points", { n: number(sale.points_earned) })}</p>` : nothing}</div>`;
  }

  acts() {
    const { app } = this;
    const entry = (name, label, keys, act, count) => html`<button @click=${act}>${icon(name)}<span>${label}</span>${count ? html`<em>${number(count)}</em>` : nothing}${key(keys)}</button>`;
    return html`<div class="acts wide">${entry("pause", t("Hold"), "F6", () => this.hold())}${entry("list-restart", t("Recall"), "F7", () => app.show("holds"), app.holds)}
      ${entry("percent", t("Discount"), "F3", () => discount(app, false))}${entry("undo-2", t("Return"), "F8", () => app.show("return"))}
      ${entry("clock", t("Shift, cash"), "F10", () => app.show("cash"))}${entry("ellipsis", t("All actions"), "/", () => this.actions())}</div>`;
  }

  render() {
    const { app } = this;
    return html`<h1 class="vh">${t("Sell")}</h1><div class="sell">${this.basketPart()}<aside class="side" aria-label=${t("Total and actions")}>
      ${this.memberButton()}${app.returning?.exchange ? html`<button class="btn big swap" id="exchange" @click=${() => app.show("return")}>${icon("refresh-cw")}<span>${t("Exchange: scan the new goods, then F8")}</span></button>` : nothing}${this.lastSale()}${this.display()}
      <button class="pay" ?disabled=${app.basket.isEmpty} @click=${() => this.pay()}>${icon("banknote")}<span>${t("Pay")}</span>${key("F9")}</button>
      ${this.acts()}<button class="more narrow" aria-label=${t("All actions")} @click=${() => this.actions()}>${icon("ellipsis")}</button></aside></div>`;
  }
}
customElements.define("page-sell", PageSell);
