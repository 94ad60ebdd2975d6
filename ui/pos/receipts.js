// This shift's sales: look again, print again, void.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../shared/api.js";
import { field, icon, key } from "../shared/controls.js";
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
    return { ArrowUp: () => move(-1), ArrowDown: () => move(1), P: () => void this.print(), T: () => void this.correct(), Delete: () => void this.void(), Escape: () => void this.app.show("sell") };
  }

  print() {
    if (!this.sale) return undefined;
    return this.app.paper(this.sale.receipt_no);
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

  /** A payment that was keyed by the wrong method: both stay on the sale, a manager approves. */
  async correct() {
    const { sale, app } = this;
    const paid = this.correctable(sale);
    if (!paid.length) return;
    const methods = app.settings.payments.methods.filter((method) => method !== "points");
    const chosen = await app.dialog.ask({
      title: t("How was it really paid?"), text: shortReceipt(sale.receipt_no), yes: t("Put right"),
      body: html`${field(t("Payment"), html`<select class="input" id="wrong" name="wrong">${paid.map(({ payment_id: id, method, amount }) => html`<option value=${id}>${t(method)} ${number(amount)}</option>`)}</select>`, "wrong")}
        ${field(t("Was paid with"), html`<select class="input" id="right" name="method" data-focus>${methods.map((method) => html`<option value=${method}>${t(method)}</option>`)}</select>`, "right")}
        ${field(t("Reason"), html`<input class="input" id="why" name="reason" maxlength="200" autocomplete="off">`, "why")}`,
      act: (given) => {
        if (!given.reason.trim()) throw new Error(t("Say why"));
        return given;
      },
    });
    if (!chosen) return;
    const { amount } = paid.find(({ payment_id: id }) => id === chosen.wrong);
    await this.once(async () => {
      const body = { payment_id: chosen.wrong, payments: [{ method: chosen.method, amount }], reason: chosen.reason.trim() };
      await app.command({ url: path("/api/pos/transactions/:id/correct-tender", { id: sale.transaction_id }), body, label: "Put right", amount });
      app.say("ok", t("Put right: {amount} by {method}", { amount: money(amount), method: t(chosen.method) }));
      await this.load();
    });
  }

  /** What money paid and still counts: points and exchanges moved more than money. */
  correctable(sale) {
    if (sale?.state !== "paid") return [];
    return sale.payments.filter(({ state, method }) => state === "accepted" && method !== "points" && method !== "exchange");
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
        <button class="btn big grow" ?disabled=${!this.correctable(sale).length} @click=${() => this.correct()}>${icon("wallet")}${t("Correct payment")}${key("T")}</button>
        <button class="btn big grow" ?disabled=${sale.state !== "paid"} @click=${() => this.void()}>${icon("trash-2")}${t("Void sale")}${key("Del")}</button></div></section>` : nothing}</div>`}</div>`;
  }
}
customElements.define("page-receipts", PageReceipts);
