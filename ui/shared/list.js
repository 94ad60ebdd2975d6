// A page with a list by cursor: loading, nothing found, load more.
import { html, nothing } from "../vendor/lit.js";
import { words } from "./codes.js";
import { icon } from "./controls.js";
import { t } from "./i18n.js";
import { Page } from "./page.js";

export { title } from "./page.js";

const AT_ONCE = 50;
/** A list of which more than this was loaded stays as it is under whoever reads it. */
const RENEWED_MAX = 50;

/** Why there is nothing to see, and another try. */
export const failed = (error, again) => html`<div class="empty panel" role="alert"><p class="rowx mid">${icon("triangle-alert")}${words(error)}</p><button class="btn" @click=${again}>${icon("refresh-cw")}${t("Try again")}</button></div>`;

export class ListPage extends Page {
  constructor() {
    super();
    this.items = null;
    this.next = null;
    this.asked = 0;
  }

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  /** What happened: a list that is about it (`live`) is read anew, and so is one that may have missed something. */
  told(name, data) {
    const missed = name === "reload" || (name === "ready" && !data.resumed);
    if (this.live && (missed || this.live.includes(name))) this.renew();
  }

  renew() {
    if (this.items && this.items.length <= RENEWED_MAX) this.soon();
  }

  /** Subclasses say `pattern`, and `query()` of the filters that are set. */
  query() {
    return {};
  }

  async load(more = false) {
    this.asked += 1;
    const mine = this.asked;
    try {
      const found = await this.app.get(this.pattern, this.params?.() ?? {}, { ...(this.whole ? {} : { limit: AT_ONCE, cursor: more ? this.next : undefined }), ...this.query() });
      if (mine !== this.asked) return;
      const items = found[this.itemsIn ?? "items"];
      this.items = more ? [...this.items, ...items] : items;
      this.next = found.next_cursor ?? null;
      this.answer = found;
      this.error = null;
    } catch (error) {
      if (mine !== this.asked) return;
      this.error = error;
      if (this.items || error.status === 401) this.app.fail(error);
    }
    this.requestUpdate();
  }

  /** A table, or why there is none. */
  table(head, row, none) {
    if (this.items === null && this.error) return failed(this.error, () => this.load());
    if (this.items === null) return html`<p class="empty panel">${t("Loading\u2026")}</p>`;
    if (!this.items.length) return html`<p class="empty panel">${none}</p>`;
    return html`<div class="panel scroll"><table class="grid fold"><thead><tr>${head.map(([label, kind]) => html`<th class=${kind ?? ""}>${label}</th>`)}</tr></thead><tbody>${this.items.map(row)}</tbody></table></div>
      ${this.next ? html`<button class="btn" @click=${() => this.load(true)}>${t("Load more")}</button>` : nothing}`;
  }
}
