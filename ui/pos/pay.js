// Pay: methods, split, money received and change; then what was paid, until the next customer.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { fits, icon, key } from "../kit/controls.js";
import { decimal, money, symbol } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { Page } from "../kit/page.js";
import { gift, paid } from "./paid.js";
import { choices, entry, letterOf, POINTS } from "./tender.js";
import { named } from "../kit/scan.js";

/** Waits longer than this are shown. */
const SLOW_MS = 300;
class PagePay extends Page {
  constructor() {
    super();
    this.method = "cash";
    this.given = null;
    this.reference = "";
    this.paid = null;
  }

  get sale() {
    return this.app.basket.sale;
  }

  get left() {
    return this.method === "cash" ? this.sale.cash_due : this.sale.amount_due;
  }

  /** Whether a payment is running, also one of an earlier page. Nothing else can be done meanwhile. */
  get isTaking() {
    return Boolean(this.busy) || this.app.basket.isPaying;
  }

  async taking(act) {
    if (this.isTaking) return;
    const slow = setTimeout(() => {
      this.slow = true;
      this.requestUpdate();
    }, SLOW_MS);
    await this.once(act);
    clearTimeout(slow);
    this.slow = false;
    this.requestUpdate();
  }

  keys() {
    if (this.isTaking) return {};
    if (this.paid)
      return {
        Enter: () => this.next(),
        P: () => void this.app.reprint(),
        G: () => void gift(this.app, this.paid.receipt_no),
        Escape: () => this.next(),
      };
    const inText = (act) => (event) => (event.target.id === "reference" ? false : act());
    const letters = Object.fromEntries(
      this.methods().map((method) => [letterOf(method), inText(() => this.choose(method))]),
    );
    return {
      ...letters,
      E: inText(() => void this.pick(this.method === POINTS ? this.most : this.left)),
      Enter: () => void this.take(),
      F9: () => void this.take(),
      Delete: inText(() => void this.undo()),
      Escape: () => void this.app.show("sell"),
    };
  }

  /** Letters choose a method at once. After a scan the former method and amounts are restored. */
  get keeps() {
    if (this.paid) return undefined;
    const { method, given, reference } = this;
    return () => {
      Object.assign(this, { method, given, reference });
      this.requestUpdate();
    };
  }

  methods() {
    return this.app.settings.payments.methods.filter((method) => method !== POINTS || this.app.basket.member);
  }

  choose(method) {
    this.method = method;
    this.given = null;
    this.requestUpdate();
    this.updateComplete.then(() => this.querySelector("#amount")?.focus());
  }

  give(value) {
    this.given = value;
    this.requestUpdate();
  }

  /** Chooses an amount, which the next typed digits replace. */
  async pick(value) {
    this.give(value);
    await this.updateComplete;
    this.querySelector("#amount")?.select();
  }

  scanned(code) {
    if (this.paid) {
      this.next().then(() => this.app.current.firstElementChild.scanned(code));
      return;
    }
    if (this.isTaking || this.app.unconfirmed) {
      this.app.notTaken(code);
      return;
    }
    if (this.sale.payments.some(({ state }) => state === "accepted")) {
      this.app.refuse(code, t("Scan of {code} ignored: this sale is partly paid", { code: named(code) }), {
        kind: "warn",
        long: true,
      });
      return;
    }
    this.offer(code);
  }

  async offer(code) {
    let product;
    try {
      product = await this.app.basket.find(code);
    } catch (error) {
      this.app.scanFailed(error, code);
      return;
    }
    if (!product) {
      this.app.unknownCode(code, true);
      return;
    }
    // Enter may have been pressed meanwhile.
    if (this.isTaking || this.paid) {
      this.app.notTaken(code);
      return;
    }
    const yes = await this.app.dialog.ask({
      title: t("Add {name} to this sale?", { name: product.name }),
      text: money(product.price),
      yes: t("Add"),
      no: t("Don't add"),
    });
    if (!yes) return;
    if (this.isTaking || this.paid) {
      this.app.notTaken(code);
      return;
    }
    this.app.basket.add(product);
    this.give(null);
  }

  /** Value of the member's points, and the part of it that this sale can take, in whole points. */
  get worth() {
    return Math.max(0, (this.app.basket.member?.points_balance ?? 0) * this.app.settings.points.redeem_value);
  }

  get most() {
    const { redeem_value: value } = this.app.settings.points;
    return Math.floor(Math.min(this.worth, this.sale.amount_due) / value) * value;
  }

  /** The part of the sale that this payment settles. */
  get settles() {
    const { sale, given, method } = this;
    if (method === POINTS) return given ?? this.most;
    if (given === null) return method === "cash" ? null : sale.amount_due;
    return given >= this.left ? sale.amount_due : given;
  }

  get change() {
    return this.method === "cash" && this.given !== null && this.given > this.left ? this.given - this.left : 0;
  }

  take() {
    return this.taking(async () => {
      const { app, method, given } = this;
      const seen = this.sale?.amount_due;
      await app.basket.settled();
      const { sale } = this;
      if (!sale) return;
      if (sale.amount_due !== seen) {
        this.give(null);
        app.say(
          "warn",
          t("The total is now {amount}. Check it, then accept the payment", { amount: money(sale.amount_due) }),
        );
        return;
      }
      if (sale.amount_due > 0 && this.settles === null) {
        this.app.say("warn", t("Enter the cash received, or press E for the exact amount"));
        return;
      }
      if (method === POINTS && sale.amount_due > 0 && (this.settles > this.worth || this.settles === 0)) {
        app.say("warn", t("The member's points are worth {amount}", { amount: money(this.worth) }));
        return;
      }
      if (method !== "cash" && given !== null && given > sale.amount_due) {
        this.app.say("warn", t("More than the amount due: {amount}", { amount: money(sale.amount_due) }));
        return;
      }
      const payment = {
        method,
        amount: this.settles,
        ...(method === "cash" ? { tendered: given } : {}),
        ...(this.reference ? { reference: this.reference } : {}),
      };
      const body = { payments: sale.amount_due > 0 ? [payment] : [] };
      const answer = await app.command({
        url: path("/api/pos/transactions/:id/pay", { id: sale.transaction_id }),
        body,
        label: "Payment",
        amount: given ?? payment.amount ?? sale.amount_due,
      });
      // If the cashier left the page meanwhile, another page shows the result.
      const shown = app.current.firstElementChild;
      (shown instanceof PagePay ? shown : this).took(answer);
    });
  }

  took(answer) {
    this.given = null;
    this.reference = "";
    if (answer.state === "paid") {
      this.paid = answer;
      this.app.finished(answer);
      this.app.printed(answer.receipt_no);
    } else {
      this.app.basket.adopt(answer);
      this.method = "cash";
    }
    this.requestUpdate();
    this.app.focusPage();
  }

  undo(payment = this.sale.payments.filter(({ state }) => state === "accepted").at(-1)) {
    if (!payment) return undefined;
    return this.taking(async () => {
      const url = path("/api/pos/transactions/:id/payments/:payment_id/reverse", {
        id: this.sale.transaction_id,
        payment_id: payment.payment_id,
      });
      this.app.basket.adopt(
        await this.app.command({
          url,
          body: { reason: t("Entered by mistake") },
          label: "Undo payment",
          amount: payment.amount,
        }),
      );
    }).then(() => this.app.focusPage());
  }

  next() {
    this.app.say(null);
    return this.app.show("sell");
  }

  // ---- the view

  summary() {
    const { sale } = this;
    const taken = sale.payments.filter(({ state }) => state === "accepted");
    return html`<section class="due">
      ${this.app.refusedPart()}${
        taken.length
          ? html`<dl class="facts l">
              <div>
                <dt>${t("To pay")}</dt>
                <dd>${money(sale.total)}</dd>
              </div>
              ${taken.map(
                (one) =>
                  html`<div>
                    <dt>
                      ${icon("check", "icon-s")}
                      ${t(one.method)}${one.reference && one.method !== "exchange" ? ` ${one.reference}` : ""}
                    </dt>
                    <dd>
                      ${decimal(-one.amount)}
                      <button
                        class="btn undo"
                        aria-label=${t("Undo {method} {amount}", { method: t(one.method), amount: decimal(one.amount) })}
                        ?disabled=${this.isTaking}
                        @click=${() => this.undo(one)}
                      >
                        ${icon("x", "icon-s")}
                      </button>
                    </dd>
                  </div>`,
              )}
            </dl>`
          : nothing
      }
      <div class="display">
        <dl>
          <div>
            <dt>${taken.length ? t("Amount due") : t("To pay")}</dt>
            <dd>${sale.amount_due === this.left ? nothing : decimal(sale.amount_due)}</dd>
          </div>
          ${
            sale.cash_due !== sale.amount_due
              ? html`<div>
                  <dt>${t("In cash, rounded")}</dt>
                  <dd>${decimal(sale.cash_due)}</dd>
                </div>`
              : nothing
          }
        </dl>
        <p class="total" aria-live="polite">
          <span class="cur">${symbol()}</span
          ><span id="left" class="figure" ${fits(decimal(this.left))}>${decimal(this.left)}</span>
        </p>
      </div>
      ${
        taken.length
          ? html`<button class="btn big" ?disabled=${this.isTaking} @click=${() => this.undo()}>
              ${icon("undo-2")}${t("Undo the last payment")}${key("Del")}
            </button>`
          : nothing
      }
    </section>`;
  }

  render() {
    if (this.paid)
      return html`<h1 class="vh">${t("Paid")}</h1>
        ${paid(this)}`;
    if (!this.sale) return nothing;
    return html`<div class="bar">
        <button class="btn quiet" ?disabled=${this.isTaking} @click=${() => this.app.show("sell")}>
          ${icon("arrow-left")}${t("Back to the sale")}${key("Esc")}
        </button>
        <h1>${t("Pay")}</h1>
      </div>
      <div class="paying">${this.summary()}${choices(this)}${entry(this)}</div>`;
  }
}
customElements.define("page-pay", PagePay);
