// What a count still lacks: by words, a page at a time; a press counts it.
import { html, nothing } from "../vendor/lit.js";
import { t } from "../shared/i18n.js";
import { ListPage } from "../shared/list.js";

const SEARCH_AFTER_MS = 250;

class CountLeft extends ListPage {
  constructor() {
    super();
    this.pattern = "/api/opname/:id/uncounted";
    this.text = "";
  }

  params() {
    return { id: this.id };
  }

  query() {
    return this.text ? { q: this.text } : {};
  }

  /** Products that were seen have their names while the store can't be reached. */
  async load(more) {
    await super.load(more);
    for (const { sku, name, shelf_place: place } of this.items ?? []) this.queue.knows(sku, this.queue.known.get(sku) ?? { sku, name, place });
  }

  typed(text) {
    this.text = text.trim();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load(), SEARCH_AFTER_MS);
  }

  row(one) {
    const { sku, name, shelf_place: place } = one;
    return html`<li><button class="btn quiet" @click=${() => this.choose({ sku, name, place })}><bdi>${name}</bdi>${place ? html`<span class="muted"><bdi>${place}</bdi></span>` : nothing}</button></li>`;
  }

  render() {
    if (!this.items) return this.awaited();
    const waiting = new Set(this.queue.of(this.id).map(({ sku }) => sku));
    const left = this.items.filter(({ sku }) => !waiting.has(sku));
    if (!left.length && !this.text && !this.next) return nothing;
    return html`<section class="panel"><h2 class="pad">${t("Not counted yet")}</h2><div class="pad"><label class="vh" for="left">${t("Search what is not counted")}</label><input class="input" id="left" autocomplete="off" placeholder=${t("Search what is not counted")} @input=${(event) => this.typed(event.target.value)}></div>
      <ul class="left">${left.map((one) => this.row(one))}</ul>${left.length ? nothing : html`<p class="empty">${t("Nothing of this is left")}</p>`}${this.next ? html`<button class="btn" @click=${() => this.load(true)}>${t("Load more")}</button>` : nothing}</section>`;
  }
}
customElements.define("count-left", CountLeft);
