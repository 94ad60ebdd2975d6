// Opening of a book: balances of its accounts, and payments in transit at that time.
import { html } from "../vendor/lit.js";
import { icon, moneyInput } from "../kit/controls.js";
import { t } from "../kit/i18n.js";
import "./texts.js";
import { EntryLines } from "./entry_form.js";
import { field, textField } from "../records/form_page.js";
import { pick } from "../records/picks.js";

const METHODS = ["card", "qris", "bank_transfer", "voucher"];
const empty = (date) => ({ method: "card", business_date: date, amount: null, reference: "" });

class PageOpeningForm extends EntryLines {
  items;
  store;

  constructor() {
    super();
    Object.assign(this, { store: "", items: [] });
  }

  get back() {
    return ["balance", t("Trial balance")];
  }

  get name() {
    return t("Opening balances");
  }

  item(index, changed) {
    this.set({ items: this.items.map((one, at) => (at === index ? { ...one, ...changed } : one)) });
  }

  body() {
    const lines = this.written();
    const items = this.items
      .filter(({ amount }) => amount)
      .map(({ reference, ...one }) => ({ ...one, ...(reference ? { reference } : {}) }));
    if (!lines.length && !items.length) this.problem = t("Enter at least one balance");
    return this.problem
      ? null
      : {
          store_id: this.store,
          date: this.date,
          lines,
          ...(items.length ? { items } : {}),
          ...(this.memo ? { memo: this.memo } : {}),
        };
  }

  async save(body) {
    const made = await this.app.command({ url: "/api/finance/opening", body, label: t("Opening balances") });
    this.app.go("journal", made.entry_id);
  }

  itemRow(one, index) {
    return html`<tr>
      <td>
        <select
          class="input"
          id=${`method-${index}`}
          aria-label=${`${t("Method")} ${index + 1}`}
          @change=${(event) => this.item(index, { method: event.target.value })}
        >
          ${METHODS.map(
            (method) => html`<option value=${method} ?selected=${method === one.method}>${t(method)}</option>`,
          )}
        </select>
      </td>
      <td>
        <input
          class="input"
          type="date"
          aria-label=${`${t("Business date")} ${index + 1}`}
          .value=${one.business_date}
          @change=${(event) => this.item(index, { business_date: event.target.value })}
        />
      </td>
      <td>
        <input
          class="input"
          autocomplete="off"
          aria-label=${`${t("Reference")} ${index + 1}`}
          .value=${one.reference}
          @change=${(event) => this.item(index, { reference: event.target.value.trim() })}
        />
      </td>
      <td class="num wide-in">
        ${moneyInput({
          id: `amount-${index}`,
          value: one.amount,
          label: `${t("Amount")} ${index + 1}`,
          onValue: (amount) => this.item(index, { amount }),
        })}
      </td>
      <td class="acts">
        <button
          class="btn small"
          aria-label=${t("Remove line {n}", { n: index + 1 })}
          @click=${() => this.set({ items: this.items.filter((_, at) => at !== index) })}
        >
          ${icon("trash-2", "icon-s")}
        </button>
      </td>
    </tr>`;
  }

  render() {
    const items = this.items.length
      ? html`<div class="scroll">
          <table class="grid fold lines">
            <thead>
              <tr>
                <th>${t("Method")}</th>
                <th>${t("Business date")}</th>
                <th>${t("Reference")}</th>
                <th class="num">${t("Amount")}</th>
                <th><span class="vh">${t("Actions")}</span></th>
              </tr>
            </thead>
            <tbody>
              ${this.items.map((one, index) => this.itemRow(one, index))}
            </tbody>
          </table>
        </div>`
      : html`<p class="empty">${t("None: no pending payouts")}</p>`;
    return this.frame(
      t("Post"),
      html`<section class="panel pad">
        <div class="filters unfolded flat">
          ${textField(this, "date", t("Day"), { kind: "date", focus: true })}${field(
            "store",
            t("Book of store"),
            pick(this, "store", { id: "store", value: this.store, onChoose: (store) => this.set({ store }) }),
          )}${textField(this, "memo", t("Purpose"))}
        </div>
        <p class="muted">
          ${t(
            "Once per book; a blank book is head office. The balancing amount goes to 3010. Stock comes from the store's opening stock, unpaid bills as invoices",
          )}
        </p>
      </section>`,
      this.table(),
      html`<section class="panel part">
        <header class="part-head"><h2>${t("Payments not paid out yet")}</h2></header>
        ${items}
        <p class="pad">
          <button class="btn" @click=${() => this.set({ items: [...this.items, empty(this.date)] })}>
            ${icon("plus")}${t("Add payment")}
          </button>
        </p>
      </section>`,
    );
  }
}
customElements.define("page-opening-form", PageOpeningForm);
