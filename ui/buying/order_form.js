// Writes a purchase order: store, supplier, products; the price list offers its products.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { countInput, icon, moneyInput, problem } from "../kit/controls.js";
import { dayField } from "../kit/date.js";
import { words } from "../kit/codes.js";
import { decimal } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { Page } from "../kit/page.js";
import { need, needProducts, productName } from "../records/names.js";
import { adder, pick, sourceFor } from "../records/picks.js";
import { unclear } from "../records/form_page.js";
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

  /** Key of the draft on this device: one for new orders, and one for each changed order. */
  get draft() {
    const { supplier_id: supplier } = this.app.params.query;
    return [DRAFT, this.of || supplier].filter(Boolean).join(".");
  }

  /** Loads the order, or an empty one, with the draft of this device unless the order has changed since. */
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

  /** Each product has one line: a product that is on the order already is selected instead. */
  async add(sku) {
    if (!sku) return;
    const there = this.order.lines.findIndex((line) => line.sku === sku);
    if (there >= 0) {
      this.querySelector(`#qty-${there}`)?.select();
      return;
    }
    const row = this.list.find((one) => one.sku === sku);
    await needProducts(this.app, [sku]);
    this.set({ lines: [...this.order.lines, { sku, qty: row?.min_qty ?? 1, unit_cost: null }] });
    await this.updateComplete;
    this.querySelector(`#qty-${this.order.lines.length - 1}`)?.select();
  }

  /** Returns the cost of a line: the typed one, otherwise that of the price list. */
  cost(line) {
    return line.unit_cost ?? this.list.find(({ sku }) => sku === line.sku)?.unit_cost ?? null;
  }

  amount(line) {
    const cost = this.cost(line);
    return cost === null || line.qty === null ? null : cost * line.qty;
  }

  /** Before any text is typed, the products of the price list are offered. */
  offered() {
    const products = sourceFor(this, "product");
    return {
      ...products,
      find: async (text) => {
        if (text) return products.find(text);
        return this.list
          .filter(({ sku }) => !this.order.lines.some((line) => line.sku === sku))
          .map(({ sku, unit_cost: cost }) => ({ id: sku, text: productName(sku), note: `${sku}, ${decimal(cost)}` }));
      },
    };
  }

  async save() {
    if (this.busy || !this.loaded) return;
    const { store_id: store, supplier_id: supplier, expected_at: expected, note, lines } = this.order;
    this.problem = unclear(this);
    this.requestUpdate();
    if (this.problem) return;
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
      <td class="num">${this.amount(line) === null ? nothing : decimal(this.amount(line))}</td>
      <td class="num muted">
        ${offered ? t("price list {amount}", { amount: decimal(offered.unit_cost) }) : t("not on the list")}
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
              <label for="supplier">${t("Supplier")}</label>${pick(this, "supplier", {
                id: "supplier",
                value: order.supplier_id,
                focus: true,
                onChoose: (supplier) => {
                  this.set({ supplier_id: supplier });
                  this.offer().catch((error) => this.app.fail(error));
                },
              })}
            </div>
            <div class="field">
              <label for="store">${t("For store")}</label>${pick(this, "store", {
                id: "store",
                value: order.store_id,
                onChoose: (store) => this.set({ store_id: store }),
              })}
            </div>
            <div class="field">
              <label for="expected">${t("Expected on")}</label>${dayField({
                id: "expected",
                value: order.expected_at,
                onChoose: (chosen) => this.set({ expected_at: chosen }),
              })}
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
                        <th class="num">${t("Amount")}</th>
                        <th class="num">${t("Price list")}</th>
                        <th><span class="vh">${t("Actions")}</span></th>
                      </tr>
                    </thead>
                    <tbody>
                      ${order.lines.map((line, index) => this.row(line, index))}
                    </tbody>
                    <tfoot>
                      <tr>
                        <th scope="row" colspan="3">${t("Total before tax")}</th>
                        <td class="num" id="order-total">
                          ${decimal(order.lines.reduce((sum, line) => sum + (this.amount(line) ?? 0), 0))}
                        </td>
                        <td colspan="2" class="muted">
                          ${
                            order.lines.some((line) => this.amount(line) === null)
                              ? t("Some lines have no cost yet")
                              : nothing
                          }
                        </td>
                      </tr>
                    </tfoot>
                  </table>
                </div>`
              : html`<p class="empty">${t("Add a product: type its name or code, or choose from the price list")}</p>`
          }
          <div class="filters unfolded pad">
            <div class="field search">
              <label for="sku">${t("Add a product")}</label>
              ${adder(this, "product", {
                id: "sku",
                source: this.offered(),
                onChoose: (sku) => this.add(sku).catch((error) => this.app.fail(error)),
              })}
            </div>
          </div>
        </section>
      </div>`;
  }
}
customElements.define("page-order-form", PageOrderForm);
