// Return: against a receipt of this store or another, or without one; what goes back as the store works it out.
import { html, nothing } from "../vendor/lit.js";
import { countInput, field, icon, key, moneyInput, notice } from "../kit/controls.js";
import { date, money, number, shortReceipt, symbol, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { Page } from "../kit/page.js";
import { codeOf, wasScanned } from "../kit/scan.js";
import { EXCHANGE, Returning } from "./returning.js";

const PLACES = ["restock", "damaged", "vendor", "none"];

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
      F6: () => this.begin(() => this.draft.withoutReceipt()),
      F7: () => void this.exchange(),
      F9: () => void this.refund(),
    };
  }

  /** What was begun stays for an exchange; else a return that is left is over. */
  leave() {
    if (!this.draft.exchange) this.draft.clear();
    this.app.show("sell");
  }

  // ---- what comes back

  /** One look-up after another: what is scanned meanwhile waits for its turn. */
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
    // Behind a return it is the next customer's.
    if (this.done && app.isFree) {
      await app.leavePage();
      app.onScan(code);
      return;
    }
    // Money is on its way, nobody answers, or the page was left meanwhile.
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
      if (receipt.kind !== "sale")
        throw Object.assign(new Error(), { words: t("This is the receipt of a return, not of a sale") });
      this.draft.ofSale(receipt.transaction);
      this.requestUpdate();
      await this.updateComplete;
      this.querySelector("tbody input")?.focus();
    });
  }

  /** By the digits that the pages show: of this till, else of another one. */
  async byShort(digits) {
    const { settings, register } = this.app;
    const others = settings.registers.map((one) => one.register_id).filter((id) => id !== register);
    let refused;
    for (const id of [register, ...others]) {
      try {
        return await this.app.get("/api/pos/receipts/:no", {
          no: `${settings.store_id}-${id}-${digits.padStart(8, "0")}`,
        });
      } catch (error) {
        if (error.code !== "not_found") throw error;
        refused = error;
      }
    }
    throw refused;
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

  /** What comes back pays the open basket; where there is none yet, it is scanned first. */
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

  /** It is done: what is handed out stands on the page before anything else is asked. */
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

  /** The new sale is paid by it, or the rest of it is paid now. */
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

  // ---- what is seen

  row(line) {
    const { draft } = this;
    const id = `back-${line.no ?? line.sku}`;
    const found = draft.quote?.items.find(({ sold_line_no: no, sku }) =>
      line.no === undefined ? sku === line.sku : no === line.no,
    );
    const choice = (label, codes, chosen, set) =>
      html`<select class="input" aria-label=${label} @change=${(event) => set(event.target.value)}>
        ${codes.map((code) => html`<option value=${code} ?selected=${code === chosen}>${t(code)}</option>`)}
      </select>`;
    return html`<tr>
      <td><bdi>${line.name}</bdi></td>
      ${
        draft.sale
          ? html`<td class="num">${number(line.sold)}</td>
              <td class="num">${number(line.back)}</td>`
          : nothing
      }
      <td class="in">
        ${
          line.left > 0
            ? countInput({
                id,
                value: line.qty,
                label: t("{name}: return quantity", { name: line.name }),
                onValue: (qty) => this.set(line, { qty: qty === null ? null : Math.min(qty, line.left) }),
              })
            : t("all returned")
        }
      </td>
      ${
        draft.needsPrice
          ? html`<td class="in money">
              ${moneyInput({
                id: `worth-${line.sku}`,
                value: line.price,
                label: t("{name}: price each", { name: line.name }),
                onValue: (price) => this.set(line, { price }),
              })}
            </td>`
          : nothing
      }
      <td>
        ${
          line.qty
            ? choice(t("Reason"), this.app.reasons.returns, line.reason, (reason) =>
                this.set(line, Returning.because(line, reason)),
              )
            : nothing
        }
      </td>
      <td>
        ${
          line.qty
            ? choice(t("Condition"), PLACES, line.place, (place) => this.set(line, { place, placed: true }))
            : nothing
        }
      </td>
      <td class="num">${found ? number(found.refund) : nothing}</td>
    </tr>`;
  }

  head() {
    const { sale, needsPrice } = this.draft;
    return html`<thead>
      <tr>
        <th>${t("Product")}</th>
        ${
          sale
            ? html`<th class="num">${t("Sold")}</th>
                <th class="num">${t("Returned")}</th>`
            : nothing
        }
        <th class="num">${t("Return now")}</th>
        ${needsPrice ? html`<th class="num">${t("Price each")}</th>` : nothing}
        <th>${t("Reason")}</th>
        <th>${t("Condition")}</th>
        <th class="num">${t("Refund")}, ${symbol()}</th>
      </tr>
    </thead>`;
  }

  goods() {
    const { draft } = this;
    const { sale } = draft;
    const about = sale
      ? ` \u00b7 ${date(sale.paid_at)} ${time(sale.paid_at)} \u00b7 ${money(sale.total)}`
      : draft.origin
        ? ` \u00b7 ${t("another store")}`
        : "";
    return html`<section class="panel scroll">
      <h2 class="pad">${sale ? shortReceipt(sale.receipt_no) : draft.title}<span class="muted">${about}</span></h2>
      ${
        draft.lines.length
          ? html`<table class="grid fold">
              ${this.head()}
              <tbody>
                ${draft.lines.map((line) => this.row(line))}
              </tbody>
            </table>`
          : html`<p class="empty">${t("Scan the returned items")}</p>`
      }
    </section>`;
  }

  total() {
    const { draft, app } = this;
    const { quote, basket } = draft;
    const by = (quote?.refunds ?? []).map(
      ({ method, amount }) =>
        html`<div>
          <dt>${method === EXCHANGE ? t("Credit for this sale") : t("by {methods}", { methods: t(method) })}</dt>
          <dd>${number(amount)}</dd>
        </div>`,
    );
    return html`<div class="panel pad stack">
      <div class="display">
        <dl>
          ${by}${
            quote?.points_back
              ? html`<div>
                  <dt>${t("Points reversed")}</dt>
                  <dd>${number(quote.points_back)}</dd>
                </div>`
              : nothing
          }
        </dl>
        <p class="total" aria-live="polite">
          <span class="cur">${symbol()}</span
          ><span id="refund">${number(quote ? Returning.given(quote.refunds) : 0)}</span>
        </p>
      </div>
      <label class="rowx swap"
        ><input type="checkbox" id="swap" .checked=${draft.exchange} @change=${() => void this.exchange()} /><span
          >${
            app.basket.isEmpty
              ? t("Exchange: scan the new goods")
              : t("Exchange: credit for this sale of {amount}", { amount: money(app.basket.sale?.amount_due ?? 0) })
          }</span
        >${key("F7")}</label
      >
      ${
        quote && Returning.given(quote.refunds)
          ? field(
              t("Refund by"),
              html`<select
                class="input"
                id="by"
                @change=${(event) => {
                  draft.by = event.target.value || null;
                  this.changed();
                }}
              >
                ${
                  draft.sale
                    ? html`<option value="" ?selected=${!draft.by}>${t("Original payment method")}</option>`
                    : nothing
                }${app.settings.payments.methods
                  .filter((one) => one !== "points")
                  .map(
                    (one) =>
                      html`<option value=${one} ?selected=${one === (draft.by ?? (draft.sale ? "" : "cash"))}>
                        ${t(one)}
                      </option>`,
                  )}
              </select>`,
              "by",
            )
          : nothing
      }
      ${
        quote?.verification === "pending"
          ? notice("warn", "cloud-off", t("Head office is offline. It will check this receipt later"))
          : nothing
      }
      ${quote?.approval_required ? notice("warn", "shield-check", t("Manager approval required")) : nothing}
      ${draft.problem ? notice("bad", "triangle-alert", draft.problem) : nothing}
      <button class="pay" ?disabled=${!quote || this.busy} @click=${() => this.refund()}>
        ${icon(basket ? "refresh-cw" : "undo-2")}<span>${basket ? t("Exchange") : t("Refund")}</span>${key("F9")}
      </button>
    </div>`;
  }

  finished() {
    const { done, sold } = this;
    const print = (no) => this.app.paper(no);
    const given = Returning.given(done.refunds);
    // Whether the rest is paid or nothing is left is known in a moment: until then no figure says that it is over.
    if (this.settling && !given)
      return html`<div class="paid">
        <section class="done">
          <p class="okmark">${icon("refresh-cw")}${t("Exchange")}</p>
          <p class="label" role="status">${t("One moment\u2026")}</p>
        </section>
      </div>`;
    return html`<div class="paid">
      <section class="done">
        <p class="okmark">${icon("circle-check")}${sold ? t("Exchanged") : t("Return complete")}</p>
        <p class="label">${t("Refund")}</p>
        <p class="change" id="given"><span class="cur">${symbol()}</span>${number(given)}</p>
        <dl class="facts">
          <div>
            <dt>${t("Receipt")}</dt>
            <dd>${shortReceipt(done.receipt_no)}</dd>
          </div>
          ${done.refunds.map(
            ({ method, amount }) =>
              html`<div>
                <dt>${t(method)}</dt>
                <dd>${number(amount)}</dd>
              </div>`,
          )}
          ${
            sold
              ? html`<div>
                  <dt>${t("New receipt")}</dt>
                  <dd id="sold-no">${shortReceipt(sold.receipt_no)}</dd>
                </div>`
              : nothing
          }
        </dl>
        <div class="rowx">
          <button class="btn big grow" @click=${() => print(done.receipt_no)}>
            ${icon("printer")}${t("Print receipt")}
          </button>
          ${
            sold
              ? html`<button class="btn big grow" @click=${() => print(sold.receipt_no)}>
                  ${icon("printer")}${t("Print the new receipt")}
                </button>`
              : nothing
          }
          <button class="btn primary big grow" data-focus ?disabled=${this.busy} @click=${() => this.app.leavePage()}>
            ${t("Sell")}${key("Enter")}
          </button>
        </div>
      </section>
    </div>`;
  }

  render() {
    if (this.done) return this.finished();
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
            ? html`<div class="two">${this.goods()}${this.total()}</div>`
            : html`<div class="rowx">
                  ${
                    app.last
                      ? html`<button class="btn big" @click=${() => this.find(app.last.receipt_no)}>
                          ${icon("history")}${t("Last sale")}
                        </button>`
                      : nothing
                  }
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
