// Return: for a receipt of this store or another, or without one; the refund as the store computes it.
import { html, nothing } from "../vendor/lit.js";
import { field, icon, key } from "../kit/controls.js";
import { money } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { Page } from "../kit/page.js";
import { codeOf } from "../kit/scan.js";
import { wasScanned } from "../kit/scan.js";
import { finished, total } from "./refund.js";
import { goods } from "./return_lines.js";
import { EXCHANGE, Returning } from "./returning.js";
import "./texts.js";

class PageReturn extends Page {
  constructor() {
    super();
    this.done = null;
    this.queue = Promise.resolve();
  }

  get draft() {
    this.app.returning ??= new Returning(this.app);
    return this.app.returning;
  }

  connectedCallback() {
    super.connectedCallback();
    // The basket that an exchange pays may have changed since.
    Promise.resolve().then(() => {
      if (this.app.params?.no) this.inTurn(() => this.find(this.app.params.no));
      else if (this.draft.isKnown) this.changed();
    });
  }

  keys() {
    if (this.done)
      return this.busy ? {} : { Enter: () => void this.app.leavePage(), Escape: () => void this.app.leavePage() };
    return {
      Escape: () => this.leave(),
      F3: () => (this.draft.isKnown ? undefined : void this.search()),
      F6: () => this.begin(() => this.draft.withoutReceipt()),
      F7: () => void this.exchange(),
      F9: () => void this.refund(),
    };
  }

  /** Keeps the return for an exchange; otherwise leaving the page ends it. */
  leave() {
    if (!this.draft.exchange) this.draft.clear();
    this.app.show("sell");
  }

  // ---- returned goods

  /** Runs look-ups one after another; scans wait for their turn. */
  inTurn(act) {
    this.queue = this.queue.then(act).catch((error) => this.app.fail(error));
    return this.queue;
  }

  scanned(text) {
    const code = codeOf(text);
    const scanned = wasScanned();
    return code && this.inTurn(() => this.take(code, scanned));
  }

  async take(code, scanned) {
    const { app, draft } = this;
    // After a return the text is the next customer's.
    if (this.done && app.isFree) {
      await app.leavePage();
      app.onScan(code);
      return;
    }
    // A refund or an answer is pending, or the page was left in the meantime.
    if (this.busy || app.unconfirmed || !this.isConnected) {
      app.notTaken(code);
      return;
    }
    if (!draft.isKnown) {
      await this.find(code);
      return;
    }
    await this.once(async () => {
      const product = await app.basket.find(code);
      if (!product) app.unknownCode(code, scanned);
      else if (draft.put(product)) this.changed();
      else
        app.refuse(code, t("{name} is not on this receipt, or was already returned", { name: product.name }), {
          scanned,
        });
    });
  }

  find(no) {
    return this.once(async () => {
      const short = /^\d{1,8}$/.test(no);
      const here = short || no.startsWith(`${this.app.settings.store_id}-`);
      if (!here && no.includes("-")) {
        this.begin(() => this.draft.ofOther(no));
        return;
      }
      const receipt = short ? await this.byShort(no) : await this.app.get("/api/pos/receipts/:no", { no });
      if (!receipt) return;
      if (receipt.kind !== "sale")
        throw Object.assign(new Error(), { words: t("This is the receipt of a return, not of a sale") });
      this.draft.ofSale(receipt.transaction);
      this.requestUpdate();
      await this.updateComplete;
      this.querySelector("tbody input")?.focus();
    });
  }

  /** Finds a sale by the last digits of its number. If several tills have it, the user chooses. */
  async byShort(digits) {
    const { settings, register } = this.app;
    const tills = new Set([register, ...settings.registers.map((one) => one.register_id)]);
    const numbers = [...tills].map((id) => `${settings.store_id}-${id}-${digits.padStart(8, "0")}`);
    let refused;
    const read = (no) =>
      this.app.get("/api/pos/receipts/:no", { no }).catch((error) => {
        if (error.code !== "not_found") throw error;
        refused = error;
        return null;
      });
    const found = (await Promise.all(numbers.map(read))).filter(Boolean);
    if (!found.length) throw refused;
    const sales = found.filter(({ kind }) => kind === "sale");
    if (sales.length < 2) return sales[0] ?? found[0];
    const part = await this.app.part(() => import("./find_sale.js"));
    const chosen = await part?.whichReceipt(this.app, sales);
    return sales.find(({ receipt_no: no }) => no === chosen) ?? null;
  }

  /** Searches for a sale without its receipt. */
  async search() {
    const no = await (await this.app.part(() => import("./find_sale.js")))?.findSale(this.app);
    if (no) await this.inTurn(() => this.find(no));
  }

  begin(act) {
    act();
    this.app.say(null);
    this.requestUpdate();
    this.app.focusPage();
  }

  set(line, more) {
    Object.assign(line, more);
    this.changed();
  }

  changed() {
    this.requestUpdate();
    this.draft.ask(() => this.requestUpdate());
  }

  /** The return pays the open basket. If there is none, it is scanned first. */
  exchange() {
    const { app, draft } = this;
    if (!draft.isKnown) return undefined;
    draft.exchange = !draft.exchange;
    if (draft.exchange && app.basket.isEmpty) return app.show("sell");
    this.changed();
    return undefined;
  }

  refund() {
    const { app, draft } = this;
    if (!draft.quote || this.done) return undefined;
    return this.once(async () => {
      const amount = draft.quote.refund_total;
      const done = await app.command({
        url: "/api/pos/returns",
        body: draft.body(),
        label: draft.basket ? "Exchange" : "Refund",
        amount,
      });
      await this.gave(done);
    }).then(() => this.done && app.focusPage());
  }

  /** The return is done: the refund is shown before anything else is asked. */
  async gave(done) {
    this.done = done;
    this.draft.clear();
    this.requestUpdate();
    this.app.printed(done.receipt_no);
    const paid = done.refunds.find(({ method }) => method === EXCHANGE);
    if (!paid) return;
    this.settling = true;
    try {
      await this.exchanged(paid.transaction_id, done);
    } finally {
      this.settling = false;
      this.requestUpdate();
    }
  }

  /** The new sale is paid by the return, or its rest is paid now. */
  async exchanged(id, done) {
    const { app } = this;
    const sale = await app.known("/api/pos/transactions/:id", { id });
    if (sale.state === "paid") {
      app.finished(sale);
      app.printed(sale.receipt_no);
      this.sold = sale;
      return;
    }
    await app.basket.take(sale);
    await app.show("pay");
    app.say("ok", t("Exchange: {amount} applied, pay the rest", { amount: money(Returning.taken(done.refunds)) }));
  }

  // ---- the view

  render() {
    if (this.done) return finished(this);
    const { draft, app } = this;
    const label = draft.isKnown
      ? t("Scan a returned item, or type its code")
      : t("Scan the receipt, or type its number");
    return html`<div class="bar">
        <button class="btn quiet" @click=${() => this.leave()}>${icon("arrow-left")}${t("Sell")}${key("Esc")}</button>
        <h1>${t("Return")}</h1>
        ${
          draft.isKnown
            ? html`<button
                class="btn end"
                aria-label=${t("Different receipt")}
                @click=${() => this.begin(() => draft.clear())}
              >
                ${icon("x")}<span class="wide">${t("Different receipt")}</span>
              </button>`
            : nothing
        }
      </div>
      <div class="work">
        <form
          class="finder"
          @submit=${(event) => {
            event.preventDefault();
            const input = this.querySelector("#receipt");
            this.scanned(input.value);
            input.value = "";
          }}
        >
          ${field(
            label,
            html`<input
              class="input"
              id="receipt"
              data-scan="line"
              data-focus
              autocomplete="off"
              spellcheck="false"
            />`,
            "receipt",
          )}
          <button class="btn big">${icon("search")}${t("Find")}</button>
        </form>
        ${app.refusedPart()}
        ${
          draft.isKnown
            ? html`<div class="two">${goods(this)}${total(this)}</div>`
            : html`<div class="rowx">
                  ${
                    app.last
                      ? html`<button class="btn big" @click=${() => this.find(app.last.receipt_no)}>
                          ${icon("history")}${t("Last sale")}
                        </button>`
                      : nothing
                  }
                  <button class="btn big" id="find-sale" @click=${() => this.search()}>
                    ${icon("search")}${t("Find a sale")}${key("F3")}
                  </button>
                  <button class="btn big" @click=${() => this.begin(() => draft.withoutReceipt())}>
                    ${icon("inbox")}${t("Without a receipt")}${key("F6")}
                  </button>
                </div>
                <p class="empty panel">${t("Scan a receipt to see its items. Receipts from other stores work too")}</p>`
        }
      </div>`;
  }
}
customElements.define("page-return", PageReturn);
