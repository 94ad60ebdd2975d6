// Order suggestions for a store, with reason and supplier: chosen rows become drafts in one step.
import { html, nothing } from "../vendor/lit.js";
import { countInput, icon } from "../kit/controls.js";
import { decimal, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { title } from "../kit/list.js";
import { address, refilter } from "../kit/menu.js";
import { Page } from "../kit/page.js";
import "./texts.js";
import { since } from "../records/cells.js";
import { nameOf, need, rows } from "../records/names.js";
import { pick } from "../records/picks.js";

const RATE = 1000;

class PageSuggestions extends Page {
  store;
  found;

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  /** Clears the rows of another store, so that they can't be ordered while the answer is pending. */
  load() {
    const { store_id: store, supplier_id: supplier, category } = this.app.params.query;
    Object.assign(this, { store: undefined, found: null, rows: [], error: null });
    this.requestUpdate();
    return this.readBy(async () => {
      await Promise.all([need(this.app, "stores"), need(this.app, "suppliers")]);
      this.stores = rows("stores");
      const of = store ?? (this.stores.length === 1 ? this.stores[0].store_id : "");
      const found = of
        ? await this.app.get("/api/purchase-orders/suggestions", {}, { store_id: of, supplier_id: supplier, category })
        : null;
      return {
        store: of,
        found,
        rows: (found?.items ?? []).map((one) => ({ ...one, take: !one.problem && one.qty > 0, asked: one.qty })),
      };
    });
  }

  keys() {
    return { "Ctrl+Enter": () => void this.order() };
  }

  set(name, value) {
    this.app.params.query = { ...this.app.params.query, [name]: value };
    refilter(["suggestions"], this.app.params.query);
    this.load();
  }

  row(index, changed) {
    this.rows = this.rows.map((one, at) => (at === index ? { ...one, ...changed } : one));
    this.requestUpdate();
  }

  /** Groups chosen rows by supplier: each group becomes one draft. */
  chosen() {
    const found = new Map();
    for (const one of this.rows ?? [])
      if (one.take && one.asked > 0 && one.supplier_id)
        found.set(one.supplier_id, [...(found.get(one.supplier_id) ?? []), one]);
    return found;
  }

  async order() {
    const chosen = this.chosen();
    if (!chosen.size) return;
    await this.once(async () => {
      const { store } = this;
      const made = [];
      for (const [supplier, list] of chosen) {
        const lines = list.map(({ sku, asked, unit_cost: cost }) => ({
          sku,
          qty: asked,
          ...(cost === null ? {} : { unit_cost: cost }),
        }));
        made.push(
          await this.app.command({
            url: "/api/purchase-orders",
            body: { store_id: store, supplier_id: supplier, lines },
            label: t("Order"),
          }),
        );
        // Created drafts are not created again if the next one is refused.
        if (this.store === store)
          this.rows = this.rows.map((one) => (one.supplier_id === supplier ? { ...one, take: false } : one));
      }
      if (made.length === 1) {
        this.app.go("orders", made[0].po_id);
        return;
      }
      location.hash = address(["orders"], { store_id: store, state: "draft" });
    });
  }

  bar() {
    const { query } = this.app.params;
    const asked = query.store_id ?? this.store;
    const store = this.stores.length
      ? html`<select
          class="input"
          id="filter-store_id"
          data-focus
          @change=${(event) => this.set("store_id", event.target.value)}
        >
          <option value="">${t("Choose\u2026")}</option>
          ${this.stores.map(
            (one) => html`<option value=${one.store_id} ?selected=${one.store_id === asked}>${one.name}</option>`,
          )}
        </select>`
      : html`<input
          class="input"
          id="filter-store_id"
          data-focus
          autocomplete="off"
          .value=${asked ?? ""}
          @change=${(event) => this.set("store_id", event.target.value.trim())}
        />`;
    return html`<div class="filters unfolded">
      <div class="field"><label for="filter-store_id">${t("For store")}</label>${store}</div>
      <div class="field">
        <label for="filter-supplier">${t("Supplier")}</label>${pick(this, "supplier", {
          id: "filter-supplier",
          value: query.supplier_id,
          onChoose: (id) => this.set("supplier_id", id),
        })}
      </div>
      <div class="field">
        <label for="filter-category">${t("Category")}</label>${pick(this, "category", {
          id: "filter-category",
          value: query.category,
          onChoose: (code) => this.set("category", code),
        })}
      </div>
    </div>`;
  }

  /** The reason of the quantity: stock and incoming goods compared with sales until delivery. */
  why(one) {
    const sold = number(Math.round((one.rate_milli * 7) / RATE));
    return html`<span class="muted"
      >${t("sells {n} per week, delivered in {days} days", {
        n: sold,
        days: number(one.lead_days),
      })}${one.late_incoming ? html` <span class="badge warn">${t("runs out first")}</span>` : nothing}</span
    >`;
  }

  table() {
    const line = (one, index) =>
      html`<tr>
        <td>
          <label class="rowx"
            ><input
              type="checkbox"
              ?disabled=${Boolean(one.problem)}
              .checked=${one.take}
              @change=${(event) => this.row(index, { take: event.target.checked })}
            /><span><bdi>${one.name}</bdi> <span class="muted">${one.sku}</span></span></label
          >
        </td>
        <td>
          <div>
            ${
              one.supplier_id
                ? html`<bdi>${nameOf("suppliers", one.supplier_id)}</bdi>`
                : html`<span class="badge warn">${t(one.problem)}</span>`
            }
          </div>
        </td>
        <td class="d"><div>${this.why(one)}</div></td>
        <td class="num">${number(one.on_hand)}</td>
        <td class="num d">${number(one.on_order + one.in_draft + one.in_transit_in)}</td>
        <td class="num d2">${number(one.reorder_point)}</td>
        <td class="num d2">${number(one.order_up_to)}</td>
        <td class="num in">
          ${countInput({
            id: `qty-${index}`,
            value: one.asked,
            label: t("{name}: quantity", { name: one.name }),
            onValue: (asked) => this.row(index, { asked: asked ?? 0 }),
          })}
        </td>
        <td class="num d">${one.unit_cost === null ? nothing : decimal(one.unit_cost)}</td>
      </tr>`;
    const heads = [
      [t("Product")],
      [t("Supplier")],
      [t("Reason"), "d"],
      [t("On hand"), "num"],
      [t("Incoming"), "num d"],
      [t("Reorder at"), "num d2"],
      [t("Order up to"), "num d2"],
      [t("Pieces"), "num"],
      [t("Cost each"), "num d"],
    ];
    return html`<div class="panel scroll">
      <table class="grid fold lines">
        <thead>
          <tr>
            ${heads.map(([label, kind]) => html`<th scope="col" class=${kind ?? nothing}>${label}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${this.rows.map(line)}
        </tbody>
      </table>
    </div>`;
  }

  body() {
    if (this.error || this.store === undefined) return this.awaited();
    if (!this.store) return html`<p class="empty panel">${t("Choose a store")}</p>`;
    const [missing] = this.found.completeness.missing;
    const stale = missing
      ? html`<p class="notice warn complete">
          ${icon("triangle-alert")}<span
            >${t("Data from this store is incomplete: stock may have moved. Last contact")}
            ${since(missing.last_seen)}</span
          >
        </p>`
      : nothing;
    return html`${stale}${
      this.rows.length
        ? this.table()
        : html`<p class="empty panel">${t("Nothing to order: all products are above their reorder point")}</p>`
    }`;
  }

  render() {
    const chosen = [...this.chosen().values()];
    const label = chosen.length > 1 ? t("Create {n} drafts", { n: number(chosen.length) }) : t("Create draft");
    return html`${title(
        t("Suggestions"),
        this.app.find(),
        html`<button class="btn primary" ?disabled=${this.busy || !chosen.length} @click=${() => this.order()}>
          ${icon("clipboard-list")}${this.busy ? t("Saving\u2026") : label}
        </button>`,
      )}${this.app.tabs()}${this.stores ? this.bar() : nothing}
      <div class="stack">${this.body()}</div>`;
  }
}
customElements.define("page-suggestions", PageSuggestions);
