// All products as tiles by category, for cashiers without a scanner.
import { html, nothing } from "../vendor/lit.js";
import { fits, icon, key } from "../kit/controls.js";
import { decimal, number, symbol } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { Page } from "../kit/page.js";
import { quickKeys } from "../pos/side.js";
import "./texts.js";

const AT_ONCE = 60;
/** The entry before the categories: the till's quick keys, and products of every category. */
const QUICK = Symbol("quick");
const ALL = Symbol("all");

class PageProducts extends Page {
  constructor() {
    super();
    this.categories = [];
    this.chosen = null;
    this.items = null;
    this.next = null;
  }

  connectedCallback() {
    super.connectedCallback();
    this.chosen = quickKeys(this.app).length ? QUICK : ALL;
    this.begins();
  }

  async begins() {
    await Promise.resolve();
    this.load();
    await this.readBy(
      async () => ({ categories: (await this.app.get("/api/categories", {}, { limit: 100 })).items }),
      () => true,
      () => this.begins(),
    );
  }

  keys() {
    return { Escape: () => void this.leaves(), F9: () => void this.pay() };
  }

  leaves() {
    return this.app.show("sell");
  }

  async pay() {
    await this.leaves();
    return this.app.current.firstElementChild.pay();
  }

  /** Passes a scan to the basket. */
  async scanned(code) {
    await this.leaves();
    this.app.current.firstElementChild.scanned(code);
  }

  choose(category) {
    Object.assign(this, { chosen: category, items: null, next: null });
    this.load();
  }

  async listed(cursor) {
    if (this.chosen === QUICK) return { items: quickKeys(this.app).filter(({ state }) => state !== "inactive") };
    const category = this.chosen === ALL ? {} : { category: this.chosen };
    const query = { ...category, limit: AT_ONCE, ...(cursor ? { cursor } : {}) };
    return this.app.get("/api/pos/products", {}, query);
  }

  async load(more = false) {
    const { chosen } = this;
    try {
      const { items, next_cursor: next = null } = await this.listed(more ? this.next : null);
      if (chosen !== this.chosen) return;
      Object.assign(this, { items: more ? [...this.items, ...items] : items, next });
    } catch (error) {
      this.app.fail(error);
    }
    this.requestUpdate();
  }

  /** Adds one piece to the basket. */
  async add(tile) {
    const { app } = this;
    const { basket } = app;
    if (app.unconfirmed || basket.isPaying || (basket.sale && basket.sale.state !== "open")) {
      basket.refuse(t("This sale is partly paid. Finish or undo its payments first"));
      return;
    }
    try {
      const product = tile.barcodes ? tile : await basket.find(tile.sku);
      if (product) basket.add({ ...product, pack_qty: 1 }, 1);
    } catch (error) {
      app.fail(error);
    }
    this.requestUpdate();
  }

  tile(one) {
    const qty = this.app.basket.lines.filter(({ sku }) => sku === one.sku).reduce((all, line) => all + line.qty, 0);
    return html`<button class="tile" @click=${() => this.add(one)}>
      <span class="name"><bdi>${one.label ?? one.name}</bdi></span
      ><span class="foot"
        ><span class="price" ${fits(decimal(one.price))}>${decimal(one.price)}</span>${
          qty ? html`<em aria-label=${t("In the sale: {n}", { n: number(qty) })}>${number(qty)}</em>` : nothing
        }</span
      >
    </button>`;
  }

  chips() {
    const chip = (category, label) =>
      html`<button class="btn" aria-pressed=${category === this.chosen} @click=${() => this.choose(category)}>
        ${label}
      </button>`;
    return html`<nav class="chips" aria-label=${t("Category")}>
      ${quickKeys(this.app).length ? chip(QUICK, t("Quick keys")) : nothing}${chip(ALL, t("All"))}${this.categories.map(
        ({ category }) => chip(category, html`<bdi>${category}</bdi>`),
      )}
    </nav>`;
  }

  render() {
    const { app } = this;
    const total = decimal(app.basket.sale?.total ?? 0);
    return html`<div class="tiles-page">
      <div class="bar">
        <button class="btn quiet" @click=${() => this.leaves()}>
          ${icon("arrow-left")}${t("Back to the sale")}${key("Esc")}
        </button>
        <h1>${t("Products")}</h1>
      </div>
      ${this.chips()}
      <div class="tiles-around">
        ${
          this.items === null
            ? this.awaited()
            : this.items.length
              ? html`<div class="tiles">${this.items.map((one) => this.tile(one))}</div>`
              : html`<p class="empty">${t("No products in this category")}</p>`
        }${
          this.next ? html`<button class="btn big" @click=${() => this.load(true)}>${t("Load more")}</button>` : nothing
        }
      </div>
      <footer class="tiles-foot">
        <p class="total"><span class="cur">${symbol()}</span><span class="figure" ${fits(total)}>${total}</span></p>
        <button class="pay" data-focus ?disabled=${app.basket.isEmpty} @click=${() => this.pay()}>
          ${icon("banknote")}<span>${t("Pay")}</span>${key("F9")}
        </button>
      </footer>
    </div>`;
  }
}
customElements.define("page-products", PageProducts);
