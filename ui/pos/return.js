// Return: a receipt by its number, its lines prefilled, what goes back as the store works it out.
import { html, nothing } from "../vendor/lit.js";
import { Refusal } from "../shared/api.js";
import { words } from "../shared/codes.js";
import { countInput, field, icon, key, notice } from "../shared/controls.js";
import { date, money, number, shortReceipt, symbol, time } from "../shared/format.js";
import { t } from "../shared/i18n.js";
import { clean } from "../shared/scan.js";
import { Page } from "../shared/page.js";

const PLACES = ["restock", "damaged", "vendor", "none"];

class PageReturn extends Page {
  constructor() {
    super();
    this.sale = null;
    this.lines = [];
    this.quote = null;
    this.done = null;
    this.asked = 0;
  }

  keys() {
    return { Escape: () => void this.app.show("sell"), F9: () => void this.refund(), Enter: () => (this.done ? void this.app.show("sell") : false) };
  }

  scanned(code) {
    const line = this.lines.find((one) => one.item.sku === code);
    if (line) this.set(line, { qty: Math.min((line.qty ?? 0) + 1, line.left) });
    else this.find(code);
  }

  find(text) {
    const no = clean(text);
    if (!no) return undefined;
    return this.once(async () => {
      const receipt = await this.app.get("/api/pos/receipts/:no", { no });
      if (receipt.kind !== "sale") throw Object.assign(new Error(), { words: t("This is the receipt of a return, not of a sale") });
      this.sale = receipt.transaction;
      this.lines = this.sale.items.map((item) => ({ item, left: item.qty - item.returned_qty, qty: null, reason: this.app.reasons.returns[0], place: "restock" }));
      this.quote = null;
      this.requestUpdate();
      await this.updateComplete;
      this.querySelector("tbody input")?.focus();
    });
  }

  set(line, more) {
    Object.assign(line, more);
    this.requestUpdate();
    this.ask();
  }

  body() {
    const items = this.lines.filter(({ qty }) => qty > 0).map(({ item, qty, reason, place }) => ({ sku: item.sku, line_no: item.line_no, qty, reason, disposition: place }));
    return { transaction_id: this.sale.transaction_id, items };
  }

  /** What would go back: the store's figure, not the page's. */
  async ask() {
    this.asked += 1;
    const mine = this.asked;
    const body = this.body();
    this.problem = null;
    if (!body.items.length) {
      this.quote = null;
      this.requestUpdate();
      return;
    }
    try {
      const quote = await this.app.change("POST", "/api/pos/returns/quote", body);
      if (mine === this.asked) this.quote = quote;
    } catch (error) {
      if (mine === this.asked) {
        this.quote = null;
        this.problem = error instanceof Refusal ? words(error) : null;
      }
    }
    this.requestUpdate();
  }

  refund() {
    if (!this.sale || this.done || !this.quote) return undefined;
    return this.once(async () => {
      this.done = await this.app.command({ url: "/api/pos/returns", body: this.body(), label: "Refund", amount: this.quote.refund_total });
      this.app.focusPage();
    });
  }

  back(line) {
    return this.quote?.items.find(({ sold_line_no: no }) => no === line.item.line_no);
  }

  row(line) {
    const { item, left } = line;
    const id = `back-${item.line_no}`;
    return html`<tr><td><bdi>${item.name}</bdi></td><td class="num">${number(item.qty)}</td><td class="num">${number(item.returned_qty)}</td>
      <td class="in">${left > 0 ? countInput({ id, value: line.qty, label: t("{name}: pieces that come back", { name: item.name }), onValue: (qty) => this.set(line, { qty: qty === null ? null : Math.min(qty, left) }) }) : t("all came back")}</td>
      <td>${line.qty ? html`<select class="input" aria-label=${t("Reason")} @change=${(event) => this.set(line, { reason: event.target.value })}>${this.app.reasons.returns.map((code) => html`<option value=${code} ?selected=${code === line.reason}>${t(code)}</option>`)}</select>` : nothing}</td>
      <td>${line.qty ? html`<select class="input" aria-label=${t("Goods")} @change=${(event) => this.set(line, { place: event.target.value })}>${PLACES.map((code) => html`<option value=${code} ?selected=${code === line.place}>${t(code)}</option>`)}</select>` : nothing}</td>
      <td class="num">${this.back(line) ? number(this.back(line).refund) : nothing}</td></tr>`;
  }

  total() {
    const { quote } = this;
    const by = quote ? quote.refunds.map(({ method, amount }) => `${t(method)} ${number(amount)}`).join(", ") : "";
    return html`<div class="panel pad stack"><div class="display"><dl>${quote ? html`<div><dt>${t("by {methods}", { methods: by })}</dt><dd></dd></div>` : nothing}
      ${quote?.points_back ? html`<div><dt>${t("Points taken back")}</dt><dd>${number(quote.points_back)}</dd></div>` : nothing}</dl>
      <p class="total" aria-live="polite"><span class="cur">${symbol()}</span><span id="refund">${number(quote?.refund_total ?? 0)}</span></p></div>
      ${quote?.approval_required ? notice("warn", "shield-check", t("A manager has to approve this")) : nothing}
      ${this.problem ? notice("bad", "triangle-alert", this.problem) : nothing}
      <button class="pay" ?disabled=${!quote || this.busy} @click=${() => this.refund()}>${icon("undo-2")}<span>${t("Refund")}</span>${key("F9")}</button></div>`;
  }

  finished() {
    const { done } = this;
    return html`<div class="paid"><section class="done"><p class="okmark">${icon("circle-check")}${t("Returned")}</p><p class="label">${t("Give back")}</p>
      <p class="change"><span class="cur">${symbol()}</span>${number(done.refund_total + done.rounding)}</p>
      <dl class="facts"><div><dt>${t("Receipt")}</dt><dd>${shortReceipt(done.receipt_no)}</dd></div>${done.refunds.map(({ method, amount }) => html`<div><dt>${t(method)}</dt><dd>${number(amount)}</dd></div>`)}</dl>
      <div class="rowx"><button class="btn big grow" @click=${async () => this.app.print(await this.app.get("/api/pos/receipts/:no", { no: done.receipt_no }, {}, "text/plain"))}>${icon("printer")}${t("Print receipt")}</button>
      <button class="btn primary big grow" data-focus @click=${() => this.app.show("sell")}>${t("Sell")}${key("Enter")}</button></div></section></div>`;
  }

  render() {
    if (this.done) return this.finished();
    const { sale } = this;
    return html`<div class="bar"><button class="btn quiet" @click=${() => this.app.show("sell")}>${icon("arrow-left")}${t("Sell")}${key("Esc")}</button><h1>${t("Return")}</h1></div>
      <div class="work"><form class="finder" @submit=${(event) => {
        event.preventDefault();
        this.find(this.querySelector("#receipt").value);
      }}>${field(t("Scan the receipt, or type its number"), html`<input class="input" id="receipt" data-scan="line" data-focus autocomplete="off" spellcheck="false">`, "receipt")}
      <button class="btn big">${icon("search")}${t("Find")}</button>${this.app.last && !sale ? html`<button type="button" class="btn big" @click=${() => this.find(this.app.last.receipt_no)}>${t("Last sale")}</button>` : nothing}</form>
      ${sale ? html`<div class="two"><section class="panel scroll"><h2 class="pad">${shortReceipt(sale.receipt_no)}<span class="muted"> · ${date(sale.paid_at)} ${time(sale.paid_at)} · ${money(sale.total)}</span></h2>
        <table class="grid fold"><thead><tr><th>${t("Product")}</th><th class="num">${t("Sold")}</th><th class="num">${t("Back")}</th><th class="num">${t("Now")}</th><th>${t("Reason")}</th><th>${t("Goods")}</th><th class="num">${t("Refund")}, ${symbol()}</th></tr></thead>
        <tbody>${this.lines.map((line) => this.row(line))}</tbody></table></section>${this.total()}</div>` : html`<p class="empty panel">${t("Its lines are filled in; you say how many come back")}</p>`}</div>`;
  }
}
customElements.define("page-return", PageReturn);
