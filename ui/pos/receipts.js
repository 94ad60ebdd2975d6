// This shift's sales and returns: view, print again, void, return.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { field, icon, key } from "../kit/controls.js";
import { decimal, money, number, shortReceipt, symbol, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { Page } from "../kit/page.js";
import { gift } from "./paid.js";
import { preview } from "./slip.js";
import { givenBack, takenBack } from "../returns/refunds.js";
import { reasonField } from "./void.js";

const PAGE = 50;
const ofSale = (sale) => ({
  kind: "sale",
  no: sale.receipt_no,
  at: sale.paid_at,
  state: sale.state,
  total: sale.total,
  doc: sale,
});
const ofReturn = (back) => ({
  kind: "return",
  no: back.receipt_no,
  at: back.created_at,
  state: back.state === "voided" ? "voided" : "return",
  total: -back.refund_total,
  doc: back,
});
const LISTS = [
  ["/api/pos/transactions", ofSale],
  ["/api/pos/returns", ofReturn],
];

class PageReceipts extends Page {
  constructor() {
    super();
    this.items = null;
    this.picked = 0;
    this.cursors = [];
  }

  connectedCallback() {
    super.connectedCallback();
    this.load();
  }

  async load() {
    await Promise.resolve();
    await this.more(true);
    this.app.focusPage();
  }

  get hasMore() {
    return this.cursors.some((cursor) => cursor !== null);
  }

  /** Loads the next rows of both lists, latest first. `anew`: from the beginning. */
  more(anew = false) {
    return this.readBy(
      () => this.listed(anew),
      () => this.items,
      () => (anew ? this.load() : this.more()),
    );
  }

  async listed(anew) {
    const [known, cursors] = anew ? [[], LISTS.map(() => undefined)] : [this.items, this.cursors];
    const pages = await Promise.all(
      LISTS.map(([url], index) =>
        cursors[index] === null
          ? { items: [], next_cursor: null }
          : this.app.get(url, {}, { shift_id: this.app.shift.shift_id, limit: PAGE, cursor: cursors[index] }),
      ),
    );
    const rows = pages.flatMap(({ items }, index) => items.map(LISTS[index][1])).filter(({ no }) => no);
    const items = [...known, ...rows].sort((a, b) => (a.at < b.at ? 1 : -1));
    return {
      items,
      cursors: pages.map(({ next_cursor: cursor }) => cursor),
      picked: Math.min(this.picked, Math.max(0, items.length - 1)),
    };
  }

  get entry() {
    return this.items?.[this.picked];
  }

  get sale() {
    return this.entry?.kind === "sale" ? this.entry.doc : null;
  }

  keys() {
    const move = (by) => {
      this.picked = Math.max(0, Math.min(this.picked + by, (this.items?.length ?? 1) - 1));
      this.requestUpdate();
      this.updateComplete.then(() =>
        this.querySelector("tr[aria-selected=true]")?.scrollIntoView({ block: "nearest" }),
      );
    };
    return {
      ArrowUp: () => move(-1),
      ArrowDown: () => move(1),
      P: () => void this.print(),
      T: () => void this.correct(),
      Delete: () => void this.void(),
      F8: () => void this.takeBack(),
      Escape: () => void this.app.show("sell"),
    };
  }

  print() {
    return this.entry && this.app.paper(this.entry.no);
  }

  takeBack() {
    if (!this.sale) return undefined;
    this.app.returning?.clear();
    return this.app.show("return", { no: this.sale.receipt_no });
  }

  /** Whether the selected document can be voided: a paid sale or a return. */
  get isVoidable() {
    return this.sale ? this.sale.state === "paid" : this.entry?.state === "return";
  }

  async void() {
    const { entry, sale, app } = this;
    if (!this.isVoidable) return;
    const amount = Math.abs(entry.total);
    const chosen = await app.dialog.ask({
      title: sale
        ? t("Void the sale of {amount}?", { amount: money(amount) })
        : t("Void the return of {amount}?", { amount: money(amount) }),
      text: sale
        ? t("Refund each payment by its method and put the items back on the shelf")
        : t("Collect the money from the customer, who keeps the items"),
      yes: sale ? t("Void sale") : t("Void return"),
      no: t("Keep"),
      danger: true,
      body: reasonField(app.reasons.voids),
    });
    if (!chosen) return;
    await this.once(async () => {
      const url = sale
        ? path("/api/pos/transactions/:id/void", { id: sale.transaction_id })
        : path("/api/pos/returns/:id/void", { id: entry.doc.return_id });
      const done = await app.command({
        url,
        body: { reason: chosen.reason },
        label: sale ? "Void sale" : "Void return",
        amount,
      });
      await this.load();
      app.say("ok", (sale ? givenBack : takenBack)(done.refunds));
    });
  }

  /** Corrects the method of a payment. Both payments stay on the sale, and a manager approves it. */
  async correct() {
    const { sale, app } = this;
    const paid = this.correctable(sale);
    if (!paid.length) return;
    const methods = app.settings.payments.methods.filter((method) => method !== "points");
    const chosen = await app.dialog.ask({
      title: t("Which payment method was used?"),
      text: shortReceipt(sale.receipt_no),
      yes: t("Correct"),
      body: html`${field(
        t("Payment"),
        html`<select class="input" id="wrong" name="wrong">
          ${paid.map(
            ({ payment_id: id, method, amount }) => html`<option value=${id}>${t(method)} ${decimal(amount)}</option>`,
          )}
        </select>`,
        "wrong",
      )}
      ${field(
        t("Correct method"),
        html`<select class="input" id="right" name="method" data-focus>
          ${methods.map((method) => html`<option value=${method}>${t(method)}</option>`)}
        </select>`,
        "right",
      )}
      ${field(
        t("Reason"),
        html`<input class="input" id="why" name="reason" maxlength="200" autocomplete="off" />`,
        "why",
      )}`,
      act: (given) => {
        if (!given.reason.trim()) throw new Error(t("Enter a reason"));
        return given;
      },
    });
    if (!chosen) return;
    const { amount } = paid.find(({ payment_id: id }) => id === chosen.wrong);
    await this.once(async () => {
      const body = {
        payment_id: chosen.wrong,
        payments: [{ method: chosen.method, amount }],
        reason: chosen.reason.trim(),
      };
      await app.command({
        url: path("/api/pos/transactions/:id/correct-tender", { id: sale.transaction_id }),
        body,
        label: "Correct",
        amount,
      });
      app.say("ok", t("Corrected: {amount} by {method}", { amount: money(amount), method: t(chosen.method) }));
      await this.load();
    });
  }

  /** Accepted payments that can be corrected: those with money. Points and exchanges moved more than money. */
  correctable(sale) {
    if (sale?.state !== "paid") return [];
    return sale.payments.filter(
      ({ state, method }) => state === "accepted" && method !== "points" && method !== "exchange",
    );
  }

  // ---- the view

  row(one, index) {
    return html`<tr
      class="open"
      aria-selected=${index === this.picked}
      @click=${() => {
        this.picked = index;
        this.requestUpdate();
      }}
    >
      <td>${one.at ? time(one.at) : ""}</td>
      <td title=${one.no}>${shortReceipt(one.no)}</td>
      <td>
        <span class="badge ${one.state === "voided" ? "bad" : one.state === "return" ? "warn" : "plain"}"
          >${t(one.state)}</span
        >
      </td>
      <td class="num">${decimal(one.total)}</td>
    </tr>`;
  }

  slip() {
    const { entry, sale } = this;
    if (sale) return preview(this.app, sale);
    return html`<div class="slip">
      <p class="slip-head"><b>${t("Return")}</b><span>${entry.no}</span></p>
      <ul tabindex="0" aria-label=${t("Lines")}>
        ${entry.doc.items.map(
          (item) =>
            html`<li>
              <span><bdi>${item.name}</bdi></span
              ><span class="muted">${number(item.qty)}</span><span>${decimal(-item.refund)}</span>
            </li>`,
        )}
      </ul>
      <dl class="facts">
        ${entry.doc.refunds.map(
          ({ method, amount, rounding }) =>
            html`<div>
              <dt>${t(method)}</dt>
              <dd>${decimal(-amount - rounding)}</dd>
            </div>`,
        )}
      </dl>
    </div>`;
  }

  picture() {
    const { sale } = this;
    return html`<section class="panel">
      ${this.slip()}
      <div class="pad doing">
        <button class="btn big" data-focus @click=${() => this.print()}>
          ${icon("printer")}${t("Print copy")}${key("P")}
        </button>
        <button class="btn big" ?disabled=${sale?.state !== "paid"} @click=${() => gift(this.app, sale.receipt_no)}>
          ${icon("receipt")}${t("Gift receipt")}
        </button>
        <button class="btn big" ?disabled=${sale?.state !== "paid"} @click=${() => this.takeBack()}>
          ${icon("undo-2")}${t("Return")}${key("F8")}
        </button>
        <button class="btn big" ?disabled=${!this.correctable(sale).length} @click=${() => this.correct()}>
          ${icon("wallet")}${t("Correct payment")}${key("T")}
        </button>
        <button class="btn big" ?disabled=${!this.isVoidable} @click=${() => this.void()}>
          ${icon("trash-2")}${sale ? t("Void sale") : t("Void return")}${key("Del")}
        </button>
      </div>
    </section>`;
  }

  render() {
    const { items } = this;
    return html`<div class="bar">
        <button class="btn quiet" @click=${() => this.app.show("sell")}>
          ${icon("arrow-left")}${t("Sell")}${key("Esc")}
        </button>
        <h1>${t("Receipts of this shift")}</h1>
      </div>
      <div class="work">
        ${
          items === null
            ? this.awaited()
            : items.length === 0
              ? html`<p class="empty panel">${t("No sales in this shift yet")}</p>`
              : html`<div class="two">
                  <section class="panel scroll">
                    <table class="grid">
                      <thead>
                        <tr>
                          <th>${t("Time")}</th>
                          <th>${t("Receipt")}</th>
                          <th>${t("Status")}</th>
                          <th class="num">${t("Total")}, ${symbol()}</th>
                        </tr>
                      </thead>
                      <tbody>
                        ${items.map((one, index) => this.row(one, index))}
                      </tbody>
                    </table>
                    ${
                      this.hasMore
                        ? html`<p class="pad">
                            <button class="btn big" @click=${() => this.more()}>${t("Load more")}</button>
                          </p>`
                        : nothing
                    }
                  </section>
                  ${this.picture()}
                </div>`
        }
      </div>`;
  }
}
customElements.define("page-receipts", PageReceipts);
