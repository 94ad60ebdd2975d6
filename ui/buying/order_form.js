// A purchase order is written: for which store, from whom, what of it; the price list offers its products.
import { html } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { countInput, icon, moneyInput, problem } from "../kit/controls.js";
import { words } from "../kit/codes.js";
import { number } from "../kit/format.js";
import { apart, t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { Page } from "../kit/page.js";
import { need, needProducts, productName, rows } from "../records/names.js";
import { head } from "../records/record.js";

const DRAFT = "order.draft";

class PageOrderForm extends Page {
  loaded;

  constructor() {
    super();
    this.order = { store_id: "", supplier_id: "", expected_at: "", note: "", lines: [] };
    this.list = [];
  }

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  /** Under which name this device keeps what was written: a new order has one, each that is changed its own. */
  get draft() {
    return this.of ? `${DRAFT}.${this.of}` : DRAFT;
  }

  /** The order that is changed or an empty one, with what was begun here; not where the order is another one by now. */
  async load() {
    const { app } = this;
    const { of, supplier_id: supplier } = app.params.query;
    await this.readBy(async () => {
      await Promise.all([need(app, "suppliers"), need(app, "stores")]);
      if (of) {
        const one = await app.get("/api/purchase-orders/:id", { id: of });
        this.order = {
          ...one,
          expected_at: one.expected_at ?? "",
          note: one.note ?? "",
          lines: one.lines.map(({ sku, qty, unit_cost: cost }) => ({ sku, qty, unit_cost: cost })),
        };
        this.of = of;
      }
      const kept = JSON.parse(localStorage.getItem(this.draft) ?? "null");
      if (kept && kept.updated_at === this.order.updated_at) this.order = kept;
      if (supplier) this.order.supplier_id = supplier;
      await this.offer();
      return { loaded: true };
    });
    app.focusPage();
  }

  /** The products of the supplier's price list. */
  async offer() {
    const { supplier_id: id } = this.order;
    this.list = id
      ? (await this.app.get("/api/suppliers/:id/products", { id }, { limit: 500 })).items.filter(
          ({ state }) => state === "active",
        )
      : [];
    await needProducts(this.app, [...this.list.map(({ sku }) => sku), ...this.order.lines.map(({ sku }) => sku)]);
    this.requestUpdate();
  }

  keys() {
    return { Escape: () => this.app.go("orders"), "Ctrl+Enter": () => void this.save() };
  }

  set(changed) {
    this.order = { ...this.order, ...changed };
    localStorage.setItem(this.draft, JSON.stringify(this.order));
    this.requestUpdate();
  }

  line(index, changed) {
    this.set({ lines: this.order.lines.map((line, at) => (at === index ? { ...line, ...changed } : line)) });
  }

  async add(sku) {
    if (!sku) return;
    const row = this.list.find((one) => one.sku === sku);
    await needProducts(this.app, [sku]);
    this.set({ lines: [...this.order.lines, { sku, qty: row?.min_qty ?? 1, unit_cost: null }] });
    await this.updateComplete;
    this.querySelector(`#qty-${this.order.lines.length - 1}`)?.select();
  }

  async save() {
    if (this.busy || !this.loaded) return;
    const { store_id: store, supplier_id: supplier, expected_at: expected, note, lines } = this.order;
    this.problem = null;
    if (!store || !supplier || !lines.length) {
      this.problem = t("Enter a store, a supplier and at least one product");
      this.requestUpdate();
      return;
    }
    const body = {
      store_id: store,
      supplier_id: supplier,
      ...(expected || this.of ? { expected_at: expected || null } : {}),
      ...(note || this.of ? { note: note || null } : {}),
      lines: lines.map(({ sku, qty, unit_cost: cost }) => ({
        sku,
        qty,
        ...(cost === null ? {} : { unit_cost: cost }),
      })),
    };
    this.busy = true;
    try {
      const made = await this.app.command({
        method: this.of ? "PATCH" : "POST",
        url: this.of ? path("/api/purchase-orders/:id", { id: this.of }) : "/api/purchase-orders",
        body,
        label: t("Order"),
      });
      localStorage.removeItem(this.draft);
      location.hash = address(["orders", made.po_id]);
    } catch (error) {
      this.problem = words(error);
    } finally {
      this.busy = false;
    }
  }

  row(line, index) {
    const offered = this.list.find(({ sku }) => sku === line.sku);
    return html`<tr>
      <td>
        <div><bdi>${productName(line.sku)}</bdi> <span class="muted">${line.sku}</span></div>
      </td>
      <td class="num in">
        ${countInput({
          id: `qty-${index}`,
          value: line.qty,
          label: t("{name}: quantity", { name: productName(line.sku) }),
          onValue: (qty) => this.line(index, { qty }),
        })}
      </td>
      <td class="num wide-in">
        ${moneyInput({
          id: `cost-${index}`,
          value: line.unit_cost,
          label: t("{name}: cost each", { name: productName(line.sku) }),
          onValue: (cost) => this.line(index, { unit_cost: cost }),
        })}
      </td>
      <td class="num muted">
        ${offered ? t("list {amount}", { amount: number(offered.unit_cost) }) : t("not on the list")}
      </td>
      <td class="num">
        <button
          class="btn small"
          aria-label=${t("Remove {name}", { name: productName(line.sku) })}
          @click=${() => this.set({ lines: this.order.lines.filter((_, at) => at !== index) })}
        >
          ${icon("trash-2", "icon-s")}
        </button>
      </td>
    </tr>`;
  }

  render() {
    const { order } = this;
    if (!this.loaded) return this.awaited(() => this.load());
    const stores = rows("stores");
    const left = this.list.filter(({ sku }) => !order.lines.some((line) => line.sku === sku));
    const store = stores.length
      ? html`<select
          class="input"
          id="store"
          data-focus
          @change=${(event) => this.set({ store_id: event.target.value })}
        >
          <option value="">${t("Choose\u2026")}</option>
          ${stores.map(
            (one) =>
              html`<option value=${one.store_id} ?selected=${one.store_id === order.store_id}>
                ${apart(one.name)} ${one.store_id}
              </option>`,
          )}
        </select>`
      : html`<input
          class="input"
          id="store"
          data-focus
          autocomplete="off"
          .value=${order.store_id}
          @input=${(event) => this.set({ store_id: event.target.value.trim() })}
        />`;
    return html`${head(
        ["orders", t("Orders")],
        this.of ? t("Change order") : t("New order"),
        html`<span class="badge plain">${t("draft on this device")}</span>`,
        html`<button class="btn primary" ?disabled=${this.busy} @click=${() => this.save()}>
          ${icon("check")}${this.busy ? t("Saving\u2026") : t("Save draft")}
        </button>`,
      )}
      <div class="stack">
        ${problem(this.problem)}
        <section class="panel pad">
          <div class="filters unfolded flat">
            <div class="field">
              <label for="supplier">${t("Supplier")}</label
              ><select
                class="input"
                id="supplier"
                @change=${(event) => {
                  this.set({ supplier_id: event.target.value });
                  this.offer().catch((error) => this.app.fail(error));
                }}
              >
                <option value="">${t("Choose\u2026")}</option>
                ${rows("suppliers")
                  .filter(({ state }) => state === "active")
                  .map(
                    (one) =>
                      html`<option value=${one.supplier_id} ?selected=${one.supplier_id === order.supplier_id}>
                        ${one.name}
                      </option>`,
                  )}
              </select>
            </div>
            <div class="field"><label for="store">${t("For store")}</label>${store}</div>
            <div class="field">
              <label for="expected">${t("Expected on")}</label
              ><input
                class="input"
                id="expected"
                type="date"
                .value=${order.expected_at}
                @change=${(event) => this.set({ expected_at: event.target.value })}
              />
            </div>
            <div class="field grow">
              <label for="note">${t("Note")}</label
              ><input
                class="input"
                id="note"
                autocomplete="off"
                .value=${order.note}
                @input=${(event) => this.set({ note: event.target.value })}
              />
            </div>
          </div>
        </section>
        <section class="panel part">
          <header class="part-head"><h2>${t("Lines")}</h2></header>
          ${
            order.lines.length
              ? html`<div class="scroll">
                  <table class="grid fold lines">
                    <thead>
                      <tr>
                        <th>${t("Product")}</th>
                        <th class="num">${t("Pieces")}</th>
                        <th class="num">${t("Cost each")}</th>
                        <th></th>
                        <th></th>
                      </tr>
                    </thead>
                    <tbody>
                      ${order.lines.map((line, index) => this.row(line, index))}
                    </tbody>
                  </table>
                </div>`
              : html`<p class="empty">${t("Choose a product of the price list, or type its code")}</p>`
          }
          <form
            class="rowx pad"
            @submit=${(event) => {
              event.preventDefault();
              const field = event.target.elements.sku;
              this.add(field.value.trim());
              field.value = "";
            }}
          >
            <div class="field">
              <label for="sku">${t("Product code")}</label
              ><input class="input" id="sku" name="sku" list="price-list" autocomplete="off" />
            </div>
            <datalist id="price-list">
              ${left.map(
                (one) =>
                  html`<option value=${one.sku}>${apart(productName(one.sku))}, ${number(one.unit_cost)}</option>`,
              )}</datalist
            ><button class="btn end-of">${icon("plus")}${t("Add")}</button>
          </form>
        </section>
      </div>`;
  }
}
customElements.define("page-order-form", PageOrderForm);
