// A promotion is written and previewed on a basket before it is published: its discount, and why others do not apply.
import { html, nothing } from "../vendor/lit.js";
import { countInput, icon, moneyInput } from "../kit/controls.js";
import { words } from "../kit/codes.js";
import { decimal, isoDay, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import "./texts.js";
import { FormPage, field, textField } from "../records/form_page.js";
import { need, needProducts, productName, rows } from "../records/names.js";
import { adder, pick } from "../records/picks.js";
import { figures } from "../records/record.js";

const TYPES = ["line_percent", "line_amount", "buy_x_get_y", "basket_percent", "basket_amount"];
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

class PagePromotionForm extends FormPage {
  type;
  label;
  value;
  from;
  to;
  priority;
  stackable;
  buy;
  get;
  skus;
  category;
  store_ids;
  tier;
  min_qty;
  min_total;
  days;
  basket;
  tried;

  constructor() {
    super();
    Object.assign(this, {
      label: "",
      type: "line_percent",
      value: null,
      buy: 1,
      get: 1,
      from: isoDay(),
      to: isoDay(30),
      skus: [],
      category: "",
      store_ids: [],
      tier: "",
      min_qty: null,
      min_total: null,
      priority: 0,
      stackable: false,
      days: [...DAYS],
      basket: [],
      tried: null,
    });
  }

  get back() {
    return ["promotions", t("Promotions")];
  }

  get name() {
    return t("New promotion");
  }

  async load() {
    await need(this.app, "stores");
    this.store = rows("stores")[0]?.store_id ?? "";
  }

  set(changed) {
    super.set("tried" in changed ? changed : { tried: null, ...changed });
  }

  get percent() {
    return this.type.endsWith("percent");
  }

  body() {
    const bought = this.type === "buy_x_get_y";
    if (!this.label) this.problem = t("{field} is missing", { field: t("Name") });
    else if (!bought && !this.value) this.problem = t("{field} is missing", { field: t("Discount") });
    if (this.problem) return null;
    return {
      name: this.label,
      type: this.type,
      value: bought ? 0 : this.value,
      from: this.from,
      to: this.to,
      priority: this.priority,
      stackable: this.stackable,
      ...(bought ? { buy: this.buy, get: this.get } : {}),
      ...(this.skus.length ? { skus: this.skus } : {}),
      ...(this.category ? { category: this.category } : {}),
      ...(this.store_ids.length ? { store_ids: this.store_ids } : {}),
      ...(this.tier ? { tier: this.tier } : {}),
      ...(this.min_qty ? { min_qty: this.min_qty } : {}),
      ...(this.min_total ? { min_total: this.min_total } : {}),
      ...(this.days.length < DAYS.length ? { days: this.days } : {}),
    };
  }

  async save(body) {
    const made = await this.app.change("POST", "/api/promotions", body);
    this.app.go("promotions", made.promotion_id);
  }

  async put(sku) {
    if (!sku) return;
    await needProducts(this.app, [sku]);
    this.set({ basket: [...this.basket, { sku, qty: 1 }] });
  }

  /** Computes the price of the basket with it, by the same rules as the till. */
  async try() {
    this.problem = null;
    const draft = this.body();
    this.requestUpdate();
    if (!draft || !this.basket.length || this.busy) return;
    this.busy = true;
    try {
      const tried = await this.app.change("POST", "/api/promotions/preview", {
        store_id: this.store,
        date: this.from,
        items: this.basket,
        promotions: [draft],
        ...(this.tier ? { tier: this.tier } : {}),
      });
      this.set({ tried });
    } catch (error) {
      this.problem = words(error);
    } finally {
      this.busy = false;
    }
  }

  gives() {
    if (this.type === "buy_x_get_y")
      return html`${field(
        "buy",
        t("Buy (quantity)"),
        countInput({ id: "buy", value: this.buy, onValue: (buy) => this.set({ buy }) }),
      )}${field(
        "get",
        t("Get free (quantity)"),
        countInput({ id: "get", value: this.get, onValue: (get) => this.set({ get }) }),
      )}`;
    if (!this.percent)
      return field(
        "value",
        t("Discount (amount)"),
        moneyInput({ id: "value", value: this.value, onValue: (value) => this.set({ value }) }),
      );
    return field(
      "value",
      t("Discount (%)"),
      html`<input
        class="input num"
        id="value"
        type="number"
        min="0.01"
        max="100"
        step="0.01"
        .value=${this.value === null ? "" : this.value / 100}
        @change=${(event) =>
          this.set({ value: event.target.value ? Math.round(Number(event.target.value) * 100) : null })}
      />`,
    );
  }

  result() {
    const { tried } = this;
    if (!tried) return html`<p class="empty">${t("Add products to test the promotion. Nothing is saved")}</p>`;
    const reason = ({ name, reason: why }) =>
      html`<li><bdi>${name || this.label}</bdi>: <span class="muted">${t(`not.${why}`)}</span></li>`;
    return html`${figures([
        [t("Discount"), decimal(tried.discount)],
        [t("To pay"), decimal(tried.net)],
      ])}
      <div class="scroll">
        <table class="grid fold">
          <thead>
            <tr>
              <th>${t("Product")}</th>
              <th class="num">${t("Qty")}</th>
              <th class="num">${t("Price")}</th>
              <th>${t("Discounts")}</th>
              <th class="num">${t("Amount")}</th>
            </tr>
          </thead>
          <tbody>
            ${tried.lines.map(
              (line) =>
                html`<tr>
                  <td>
                    <div><bdi>${productName(line.sku)}</bdi></div>
                  </td>
                  <td class="num">${number(line.qty)}</td>
                  <td class="num">${decimal(line.price)}</td>
                  <td>
                    <div>
                      ${line.discounts.map(
                        ({ name, amount }) => html`<span><bdi>${name}</bdi> −${decimal(amount)}</span> `,
                      )}
                    </div>
                  </td>
                  <td class="num">${decimal(line.net)}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      ${
        tried.not_given.length
          ? html`<div class="pad">
              <p><b>${t("Not applied here:")}</b></p>
              <ul>
                ${tried.not_given.map(reason)}
              </ul>
            </div>`
          : nothing
      }`;
  }

  basketPart() {
    return html`<section class="panel part">
      <header class="part-head">
        <h2>${t("Test on a sample sale")}</h2>
        <div class="rowx end">
          <button class="btn small" ?disabled=${!this.basket.length || this.busy} @click=${() => this.try()}>
            ${icon("shopping-basket", "icon-s")}${t("Test")}
          </button>
        </div>
      </header>
      <div class="pad stack s">
        <div class="filters unfolded flat">
          ${field(
            "store",
            t("Store"),
            pick(this, "store", { id: "store", value: this.store, onChoose: (store) => this.set({ store }) }),
          )}${field(
            "put",
            t("Add a product"),
            adder(this, "product", {
              id: "put",
              onChoose: (sku) => this.put(sku).catch((error) => this.app.fail(error)),
            }),
          )}
        </div>
        ${this.basket.map(
          (one, index) =>
            html`<div class="rowx basket">
              <span class="grow"><bdi>${productName(one.sku)}</bdi> <span class="muted">${one.sku}</span></span
              >${countInput({
                id: `put-${index}`,
                value: one.qty,
                label: t("{name}: quantity", { name: productName(one.sku) }),
                onValue: (qty) =>
                  this.set({
                    basket: this.basket.map((item, at) => (at === index ? { ...item, qty: qty ?? 1 } : item)),
                  }),
              })}<button
                class="btn small"
                aria-label=${t("Remove {name}", { name: productName(one.sku) })}
                @click=${() => this.set({ basket: this.basket.filter((_, at) => at !== index) })}
              >
                ${icon("trash-2", "icon-s")}
              </button>
            </div>`,
        )}
      </div>
      ${this.result()}
    </section>`;
  }

  render() {
    const days = DAYS.map(
      (day) =>
        html`<label class="rowx"
          ><input
            type="checkbox"
            .checked=${this.days.includes(day)}
            @change=${(event) =>
              this.set({ days: DAYS.filter((one) => (one === day ? event.target.checked : this.days.includes(one))) })}
          /><span>${t(day)}</span></label
        >`,
    );
    return this.frame(
      t("Save"),
      html`<section class="panel pad stack">
        <div class="filters unfolded flat">
          ${textField(this, "label", t("Name"), { focus: true })}
          ${field(
            "type",
            t("Kind"),
            html`<select
              class="input"
              id="type"
              @change=${(event) => this.set({ type: event.target.value, value: null })}
            >
              ${TYPES.map((type) => html`<option value=${type} ?selected=${type === this.type}>${t(type)}</option>`)}
            </select>`,
          )}${this.gives()}${textField(this, "from", t("From"), {
            kind: "date",
          })}${textField(this, "to", t("Until"), { kind: "date" })}
        </div>
        <div class="filters unfolded flat">
          ${[
            ["product", "skus", t("Products (blank: all)"), true],
            ["category", "category", t("Category"), false],
            ["store", "store_ids", t("Stores (blank: all)"), true],
            ["tier", "tier", t("Tier"), false],
          ].map(([of, name, label, several]) =>
            field(
              name,
              label,
              pick(this, of, {
                id: name,
                value: this[name],
                several,
                onChoose: (value) => this.set({ [name]: value }),
              }),
            ),
          )}${field(
            "min_qty",
            t("Minimum quantity"),
            countInput({ id: "min_qty", value: this.min_qty, onValue: (value) => this.set({ min_qty: value }) }),
          )}${field(
            "min_total",
            t("Minimum spend"),
            moneyInput({ id: "min_total", value: this.min_total, onValue: (value) => this.set({ min_total: value }) }),
          )}${field(
            "priority",
            t("Priority"),
            countInput({
              id: "priority",
              value: this.priority,
              onValue: (value) => this.set({ priority: value ?? 0 }),
            }),
          )}
        </div>
        <div class="rowx">${days}</div>
        <label class="rowx"
          ><input
            type="checkbox"
            .checked=${this.stackable}
            @change=${(event) => this.set({ stackable: event.target.checked })}
          /><span>${t("Can be combined with other promotions")}</span></label
        >
      </section>`,
      this.basketPart(),
    );
  }
}
customElements.define("page-promotion-form", PagePromotionForm);
