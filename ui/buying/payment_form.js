// Pays due bills: by supplier, with discounts that would lapse first; each supplier becomes one payment.
import { html, nothing } from "../vendor/lit.js";
import { moneyInput } from "../kit/controls.js";
import { decimal, isoDay, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import "./texts.js";
import { days } from "../records/cells.js";
import { FormPage, field, textField, typedOn } from "../records/form_page.js";
import { nameOf, need } from "../records/names.js";
import { pick } from "../records/picks.js";
import { figures } from "../records/record.js";

class PagePaymentForm extends FormPage {
  account;
  reference;

  constructor() {
    super();
    Object.assign(this, { date: isoDay(), account: "1040", reference: "", lines: [] });
  }

  get back() {
    return ["payments", t("Payments")];
  }

  get name() {
    return t("Pay due invoices");
  }

  get draft() {
    return `draft.payment.${this.app.user?.id}`;
  }

  get kept() {
    return ["date", "account", "reference", "lines"];
  }

  async load() {
    await Promise.all([need(this.app, "suppliers"), need(this.app, "accounts")]);
    this.recall();
    // Bills due on another day are requested again.
    if (this.date < isoDay()) this.date = isoDay();
    await this.propose();
  }

  /** Proposes the bills due by then; changed ones keep their values. */
  async propose() {
    const { date } = this;
    const { items } = await this.app.get("/api/finance/payment-proposal", {}, { date });
    if (date === this.date)
      this.lines = typedOn(
        items.map((one) => ({ ...one, take: true, pays: one.amount })),
        this.lines,
        ["invoice_id", "amount"],
        ["take", "pays"],
      );
  }

  set(changed) {
    super.set(changed);
    if (changed.date)
      this.propose()
        .then(() => this.requestUpdate())
        .catch((error) => this.app.fail(error));
  }

  /** Returns one payment for each supplier. */
  body() {
    const found = new Map();
    for (const one of this.lines)
      if (one.take && one.pays > 0) found.set(one.supplier_id, [...(found.get(one.supplier_id) ?? []), one]);
    if (found.size) return [...found];
    this.problem = t("No items selected");
    return null;
  }

  async save(bySupplier) {
    const made = [];
    for (const [supplier, list] of bySupplier) {
      // Payment and discount settle the whole bill; a partial payment takes no discount.
      const allocations = list.map((one) =>
        one.pays === one.amount
          ? { invoice_id: one.invoice_id, amount: one.open, discount: one.discount }
          : { invoice_id: one.invoice_id, amount: one.pays },
      );
      const amount = list.reduce((sum, one) => sum + one.pays, 0);
      made.push(
        await this.app.command({
          url: "/api/finance/payments",
          body: {
            supplier_id: supplier,
            date: this.date,
            account: this.account,
            amount,
            allocations,
            ...(this.reference ? { reference: this.reference } : {}),
          },
          amount,
          label: t("Payment"),
        }),
      );
      this.set({ lines: this.lines.filter((one) => !list.includes(one)) });
    }
    this.forget();
    if (made.length === 1) this.app.go("payments", made[0].payment_id);
    else location.hash = address(["payments"], { from: this.date });
  }

  row(line, index) {
    const late = line.due_date < this.date;
    return html`<tr>
      <td>
        <label class="rowx"
          ><input
            type="checkbox"
            .checked=${line.take}
            @change=${(event) => this.line(index, { take: event.target.checked })}
          /><span><bdi>${nameOf("suppliers", line.supplier_id)}</bdi></span></label
        >
      </td>
      <td>
        <div><a href=${address(["invoices", line.invoice_id])}>${line.invoice_no}</a></div>
      </td>
      <td><div>${days(line.due_date)}${late ? html` <span class="badge warn">${t("late")}</span>` : nothing}</div></td>
      <td class="num">${decimal(line.open)}</td>
      <td class="d">
        <div>
          ${
            line.discount_until
              ? html`${decimal(line.discount)} <span class="muted">${t("until")}</span> ${days(line.discount_until)}`
              : nothing
          }
        </div>
      </td>
      <td class="num wide-in">
        ${moneyInput({
          id: `pays-${index}`,
          value: line.pays,
          label: t("{name}: paid", { name: line.invoice_no }),
          onValue: (pays) => this.line(index, { pays: Math.min(pays ?? 0, line.amount) }),
        })}
      </td>
    </tr>`;
  }

  render() {
    const chosen = this.lines.filter(({ take, pays }) => take && pays > 0);
    const sum = (name) => chosen.reduce((all, one) => all + one[name], 0);
    return this.frame(
      t("Record the payment"),
      html`<section class="panel pad">
          <div class="filters unfolded flat">
            ${textField(this, "date", t("Day"), { kind: "date", focus: true })}${field(
              "account",
              t("From account"),
              pick(this, "account", {
                id: "account",
                value: this.account,
                onChoose: (account) => this.set({ account }),
              }),
            )}${textField(this, "reference", t("Reference"))}
          </div>
          <p class="muted">${t("This records a payment that you make at the bank")}</p>
        </section>
        ${figures([
          [t("To pay"), decimal(sum("pays")), t("Invoices: {n}", { n: number(chosen.length) })],
          [t("Amount owed"), decimal(sum("open"))],
          [
            t("Discounts"),
            decimal(
              chosen.filter(({ pays, amount }) => pays === amount).reduce((all, { discount }) => all + discount, 0),
            ),
          ],
        ])}
        <section class="panel part">
          <header class="part-head"><h2>${t("Due by that day, and discounts that expire")}</h2></header>
          ${
            this.lines.length
              ? html`<div class="scroll">
                  <table class="grid fold lines">
                    <thead>
                      <tr>
                        <th>${t("Supplier")}</th>
                        <th>${t("Invoice")}</th>
                        <th>${t("Due")}</th>
                        <th class="num">${t("Open")}</th>
                        <th class="d">${t("Discount")}</th>
                        <th class="num">${t("Paid")}</th>
                      </tr>
                    </thead>
                    <tbody>
                      ${this.lines.map((line, index) => this.row(line, index))}
                    </tbody>
                  </table>
                </div>`
              : html`<p class="empty">${t("Nothing due by that day")}</p>`
          }
        </section>`,
    );
  }
}
customElements.define("page-payment-form", PagePaymentForm);
