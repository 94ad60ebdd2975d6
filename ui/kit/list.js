// A page with a list by cursor: loading, nothing found, load more.
import { html, nothing, repeat } from "../vendor/lit.js";
import { t } from "./i18n.js";
import { walkOf } from "./menu.js";
import { Page } from "./page.js";

export { title } from "./page.js";

const AT_ONCE = 50;
/** Longer lists are not reloaded while they are read. */
const RENEWED_MAX = 50;

export class ListPage extends Page {
  constructor() {
    super();
    this.items = null;
    this.next = null;
  }

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  /** Reloads the list for its events (`live`), and if events may have been missed. */
  onEvent(name, data) {
    const missed = name === "reload" || (name === "ready" && !data.resumed);
    if (this.live && (missed || this.live.includes(name))) this.renew();
  }

  renew() {
    if ((this.items?.length ?? 0) <= RENEWED_MAX) this.soon();
  }

  /** Subclasses set `pattern`, and return the filters from `query()`. */
  query() {
    return {};
  }

  /** Reads a page of the list. `more`: it is appended. */
  async listed(more) {
    const answer = await this.app.get(this.pattern, this.params?.() ?? {}, {
      ...(this.whole ? {} : { limit: AT_ONCE, cursor: more ? this.next : undefined }),
      ...this.query(),
    });
    const items = answer[this.itemsIn ?? "items"];
    return { answer, items: more ? [...this.items, ...items] : items, next: answer.next_cursor ?? null };
  }

  async load(more = false) {
    await this.readBy(
      () => this.listed(more),
      () => this.items,
      () => this.load(more),
    );
    const { place, items } = /** @type {any} */ (this);
    if (place && this.isConnected) walkOf((items ?? []).map((one) => place(one)));
  }

  /**
   * The rows, each with its document: one that comes before it leaves the focus where it is. `place(one)` is a
   * document's address.
   */
  rows(row) {
    const { place, items } = /** @type {any} */ (this);
    if (!place) return items.map(row);
    // Several rows may lead to one document.
    const seen = new Map();
    const known = (one) => {
      const at = place(one);
      seen.set(at, (seen.get(at) ?? 0) + 1);
      return `${at} ${seen.get(at)}`;
    };
    return repeat(items, known, row);
  }

  /** A table, or the reason why it is empty. */
  table(head, row, none, kind = "") {
    if (this.items === null) return this.awaited();
    if (!this.items.length) return html`<p class="empty panel">${none}</p>`;
    return html`<div class="panel scroll">
        <table class="grid fold ${kind}">
          <thead>
            <tr>
              ${head.map(([label, kind]) => html`<th class=${kind ?? ""}>${label || html`<span class="vh">${t("Actions")}</span>`}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${this.rows(row)}
          </tbody>
        </table>
      </div>
      ${this.next ? html`<button class="btn" @click=${() => this.load(true)}>${t("Load more")}</button>` : nothing}`;
  }
}
