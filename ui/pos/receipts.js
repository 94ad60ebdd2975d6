// This shift's sales: look again, print again, void.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../shared/api.js";
import { icon, key } from "../shared/controls.js";
import { money, number, shortReceipt, time } from "../shared/format.js";
import { t } from "../shared/i18n.js";
import { Page } from "../shared/page.js";
import { preview } from "./pay.js";

class PageReceipts extends Page {
  constructor() {
    super();
    this.items = null;
    this.picked = 0;
  }

  connectedCallback() {
    super.connectedCallback();
    this.load();
  }

  async load() {
    await Promise.resolve();
    try {
      const { items } = await this.app.get("/api/pos/transactions", {}, { shift_id: this.app.shift.shift_id, limit: 100 });
      this.items = items.filter(({ receipt_no: no }) => no);
    } catch (error) {
      this.app.fail(error);
    }
    this.requestUpdate();
    this.app.focusPage();
  }

  get sale() {
    return this.items?.[this.picked];
  }

  keys() {
    const move = (by) => {
      this.picked = Math.max(0, Math.min(this.picked + by, (this.items?.length ?? 1) - 1));
      this.requestUpdate();
    };
    return { ArrowUp: () => move(-1), ArrowDown: () => move(1), P: () => void this.print(), Delete: () => void this.void(), Escape: () => void this.app.show("sell") };
  }

  print() {
    if (!this.sale) return undefined;
    return this.once(async () => this.app.print(await this.app.get("/api/pos/receipts/:no", { no: this.sale.receipt_no }, {}, "text/plain")));
  }

  async void() {
    const { sale, app } = this;
    if (sale?.state !== "paid") return;
    const chosen = await app.dialog.ask({
      title: t("Void the sale of {amount}?", { amount: money(sale.total) }), text: t("The money goes back as it came; the goods go back to the shelf"), yes: t("Void sale"), no: t("Keep"), danger: true,
      body: html`<div class="field"><label for="why">${t("Reason")}</label><select class="input" id="why" name="reason">${app.reasons.voids.map((code) => html`<option value=${code}>${t(code)}</option>`)}</select></div>`,
    });
    if (!chosen) return;
    await this.once(async () => {
      await app.command({ url: path("/api/pos/transactions/:id/void", { id: sale.transaction_id }), body: { reason: chosen.reason }, label: "Void sale", amount: sale.total });
      app.say("ok", t("Voided: give {amount} back", { amount: money(sale.total) }));
      await this.load();
    });
  }

  render() {
    const { items, sale } = this;
    return html`<div class="bar"><button class="btn quiet" @click=${() => this.app.show("sell")}>${icon("arrow-left")}${t("Sell")}${key("Esc")}</button><h1>${t("Receipts of this shift")}</h1></div>
      <div class="work">${items === null ? nothing : items.length === 0 ? html`<p class="empty panel">${t("Nothing was sold in this shift yet")}</p>` : html`<div class="two"><section class="panel scroll"><table class="grid"><thead><tr><th>${t("Time")}</th><th>${t("Receipt")}</th><th>${t("State")}</th><th class="num">${t("Total")}</th></tr></thead><tbody>
        ${items.map((one, index) => html`<tr class="open" aria-selected=${index === this.picked} @click=${() => {
          this.picked = index;
          this.requestUpdate();
        }}><td>${one.paid_at ? time(one.paid_at) : ""}</td><td title=${one.receipt_no}>${shortReceipt(one.receipt_no)}</td><td><span class="badge ${one.state === "voided" ? "bad" : "plain"}">${t(one.state)}</span></td><td class="num">${number(one.total)}</td></tr>`)}</tbody></table></section>
        ${sale ? html`<section class="panel">${preview(this.app, sale)}<div class="pad rowx"><button class="btn big grow" data-focus @click=${() => this.print()}>${icon("printer")}${t("Print copy")}${key("P")}</button>
        <button class="btn big grow" ?disabled=${sale.state !== "paid"} @click=${() => this.void()}>${icon("trash-2")}${t("Void sale")}${key("Del")}</button></div></section>` : nothing}</div>`}</div>`;
  }
}
customElements.define("page-receipts", PageReceipts);
