// Stock: find a product by name, code or scan; low and negative stock.
import { html, nothing } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { decimal, number, symbol } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { codeOf } from "../kit/scan.js";
import { download } from "../takings/download.js";
import { need, rows } from "../records/names.js";
import { findProduct } from "./find.js";
import { ListPage, title } from "../kit/list.js";
import { address, refilter } from "../kit/menu.js";

const SEARCH_AFTER_MS = 200;
/**
 * Orders of the list: names at the store, and in words; the first is the order of codes.
 * @type {[order: string, label: () => string][]}
 */
const ORDERS = [
  ["", () => t("By code")],
  ["fewest", () => t("Fewest pieces first")],
  ["most", () => t("Most pieces first")],
  ["value", () => t("Highest value first")],
];
const FILTERS = { low: { below_reorder: true }, negative: { negative: true } };

class PageStock extends ListPage {
  category;
  sort;

  constructor() {
    super();
    this.pattern = "/api/stock";
    this.filter = "";
    this.text = "";
  }

  connectedCallback() {
    const { q: text = "", show: filter = "", category = "", sort = "" } = this.app.params.query ?? {};
    Object.assign(this, { text, filter, category, sort });
    super.connectedCallback();
    need(this.app, "categories").then(
      () => this.requestUpdate(),
      () => {},
    );
    this.totals = {};
    this.count().catch((error) => this.app.fail(error));
  }

  /** Counts the products for each filter. */
  async count() {
    for (const [filter, query] of Object.entries(FILTERS)) {
      const { total } = await this.app.get(this.pattern, {}, { ...query, with_total: true, limit: 1 });
      this.totals[filter] = total;
      this.requestUpdate();
    }
  }

  query() {
    const sought = this.filter || this.text || this.category;
    // The most urgent first; a search continues in order of codes.
    return {
      q: this.text || undefined,
      category: this.category,
      ...FILTERS[this.filter],
      ...(this.sort ? { sort: this.sort } : this.filter ? { sort: "worst" } : {}),
      ...(sought ? { with_total: true } : {}),
    };
  }

  keys() {
    return { "/": (event) => (event.target.matches("input") ? false : this.querySelector("#search").focus()) };
  }

  async scanned(code) {
    try {
      const found = await findProduct(this.app, code);
      if (found) this.app.go("stock", found.sku);
    } catch (error) {
      this.app.scanFailed(error, code);
    }
  }

  typed(text) {
    this.text = text.trim();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load(), SEARCH_AFTER_MS);
  }

  choose(filter) {
    this.set({ filter: this.filter === filter ? "" : filter });
  }

  set(changed) {
    Object.assign(this, changed);
    refilter(["stock"], { q: this.text, show: this.filter, category: this.category, sort: this.sort });
    this.load();
  }

  place(one) {
    return address(["stock", one.sku]);
  }

  row(one) {
    const low = one.reorder_level !== null && one.on_hand < one.reorder_level;
    return html`<tr class="open" @click=${() => this.app.go("stock", one.sku)}>
      <td>
        <a href=${this.place(one)}><bdi>${one.name}</bdi></a>
      </td>
      <td class="muted">${one.sku}</td>
      <td>${one.shelf_place}</td>
      <td class="num ${one.on_hand < 0 ? "differs" : ""}">
        ${one.on_hand < 0 ? icon("triangle-alert", "icon-s") : nothing} ${number(one.on_hand)}
      </td>
      <td class="num">${number(one.available)}</td>
      <td class="num">${number(one.in_transit_in)}</td>
      <td class="num">
        ${
          one.reorder_level === null
            ? nothing
            : low
              ? html`<span class="badge warn">${number(one.reorder_level)}</span>`
              : number(one.reorder_level)
        }
      </td>
      <td class="num">${decimal(one.value)}</td>
    </tr>`;
  }

  /** Exports the whole store for users who may see its value. */
  csv() {
    if (!this.app.may(["store_manager", "admin"])) return nothing;
    return html`<button
      class="btn"
      ?disabled=${this.busy}
      @click=${() => this.once(() => download(this.app, "/api/reports/stock", {}, "stock"))}
    >
      ${icon("download")}CSV
    </button>`;
  }

  categories() {
    const all = rows("categories").map(({ category }) => category);
    if (!all.length) return nothing;
    return html`<label class="vh" for="category">${t("Category")}</label
      ><select class="input short" id="category" @change=${(event) => this.set({ category: event.target.value })}>
        <option value="">${t("All categories")}</option>
        ${all.map((one) => html`<option value=${one} ?selected=${one === this.category}>${one}</option>`)}
      </select>`;
  }

  orders() {
    return html`<label class="vh" for="sort">${t("Sort by")}</label
      ><select class="input short" id="sort" @change=${(event) => this.set({ sort: event.target.value })}>
        ${ORDERS.map(
          ([order, label]) => html`<option value=${order} ?selected=${order === this.sort}>${label()}</option>`,
        )}
      </select>`;
  }

  render() {
    const chip = (filter, label) =>
      html`<button class="btn" aria-pressed=${this.filter === filter} @click=${() => this.choose(filter)}>
        ${label}${this.totals[filter] ? html` <b>${number(this.totals[filter])}</b>` : nothing}
      </button>`;
    const none =
      this.text || this.filter || this.category
        ? t("No products found")
        : t("No stock yet. Receive a delivery to add stock");
    return html`${title(t("Stock"), this.app.find(), this.csv())}${this.app.tabs()}
      <div class="rowx tools">
        <label class="vh" for="search">${t("Search or scan")}</label>
        <div class="searching">
          ${icon("search")}<input
            class="input"
            id="search"
            data-focus
            data-keys
            autocomplete="off"
            placeholder=${t("Search or scan")}
            .value=${this.text}
            @input=${(event) => this.typed(event.target.value)}
            @keydown=${(event) =>
              event.key === "Enter" &&
              /^\d{8,}$/.test(codeOf(event.target.value)) &&
              this.scanned(codeOf(event.target.value))}
          />
        </div>
        ${chip("low", t("Below reorder level"))}${chip("negative", t("Below zero"))}
        ${this.categories()}${this.orders()}${
          this.answer?.total
            ? html`<span class="muted" id="found" role="status"
                >${t("Products: {n}", { n: number(this.answer.total) })}</span
              >`
            : nothing
        }
      </div>
      ${this.table(
        [
          [t("Product")],
          [t("Code")],
          [t("Shelf")],
          [t("On hand"), "num"],
          [t("Available"), "num"],
          [t("In transit"), "num"],
          [t("Reorder at"), "num"],
          [`${t("Value")}, ${symbol()}`, "num"],
        ],
        (one) => this.row(one),
        none,
      )}`;
  }
}
customElements.define("page-stock", PageStock);
