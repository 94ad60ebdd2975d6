// Products that were not counted yet, page by page, with a search. Pressing one opens it for counting.
import { html, nothing } from "../vendor/lit.js";
import { t } from "../kit/i18n.js";
import { ListPage } from "../kit/list.js";

const SEARCH_AFTER_MS = 250;
const PAGE_ITEMS = 50;
/** Highest number of items in one answer. */
const LIMIT_MAX = 500;

class CountLeft extends ListPage {
  queue;
  choose;

  constructor() {
    super();
    this.pattern = "/api/opname/:id/uncounted";
    this.text = "";
    this.limit = PAGE_ITEMS;
  }

  params() {
    return { id: this.id };
  }

  /** Reads as many items as were shown, so that users keep their position. */
  query() {
    return { q: this.text, limit: this.limit };
  }

  /** Products that were seen keep their names while the store can't be reached. */
  async load(more) {
    this.limit = more ? PAGE_ITEMS : Math.min(Math.max(this.items?.length ?? 0, PAGE_ITEMS), LIMIT_MAX);
    await super.load(more);
    for (const { sku, name, shelf_place: place } of this.items ?? [])
      this.queue.knows(sku, this.queue.known.get(sku) ?? { sku, name, place });
  }

  typed(text) {
    this.text = text.trim();
    this.items = this.items.slice(0, PAGE_ITEMS);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load(), SEARCH_AFTER_MS);
  }

  /** Products that are neither counted nor being sent; skipped ones come last. */
  get left() {
    const waiting = new Set(
      this.queue
        .of(this.id)
        .filter(({ qty }) => qty !== null)
        .map(({ sku }) => sku),
    );
    const left = (this.items ?? []).filter(({ sku }) => !waiting.has(sku));
    const skipped = ({ sku }) => this.queue.skipped.has(sku);
    return [...left.filter((one) => !skipped(one)), ...left.filter(skipped)];
  }

  product({ sku, name, shelf_place: place }) {
    return { sku, name, place, listed: true };
  }

  /** Returns the next product of the list, or none if only skipped ones are left. */
  after(sku) {
    const open = this.left.filter((one) => !this.queue.skipped.has(one.sku) && one.sku !== sku);
    const next = open.find((one) => one.sku > sku) ?? open[0];
    return next ? this.product(next) : null;
  }

  row(one) {
    const { sku, name, shelf_place: place } = one;
    const skipped = this.queue.skipped.has(sku) ? html`<span class="badge plain">${t("skipped")}</span>` : nothing;
    return html`<li>
      <button class="btn quiet" @click=${() => this.choose(this.product(one))}>
        <bdi>${name}</bdi>${skipped}${place ? html`<span class="muted"><bdi>${place}</bdi></span>` : nothing}
      </button>
    </li>`;
  }

  render() {
    if (!this.items) return this.awaited();
    const { left } = this;
    if (!left.length && !this.text && !this.next) return nothing;
    return html`<section class="panel">
      <h2 class="pad">${t("Not counted yet")}</h2>
      <div class="pad">
        <label class="vh" for="left">${t("Search uncounted products")}</label
        ><input
          class="input"
          id="left"
          autocomplete="off"
          placeholder=${t("Search uncounted products")}
          @input=${(event) => this.typed(event.target.value)}
        />
      </div>
      <ul class="left">
        ${left.map((one) => this.row(one))}
      </ul>
      ${left.length ? nothing : html`<p class="empty">${t("No entries")}</p>`}${
        this.next ? html`<button class="btn" @click=${() => this.load(true)}>${t("Load more")}</button>` : nothing
      }
    </section>`;
  }
}
customElements.define("count-left", CountLeft);
