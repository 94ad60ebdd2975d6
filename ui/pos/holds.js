// Baskets that wait, oldest first.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../shared/api.js";
import { icon, key } from "../shared/controls.js";
import { money, number, time } from "../shared/format.js";
import { t } from "../shared/i18n.js";
import { Page } from "../shared/page.js";

class PageHolds extends Page {
  constructor() {
    super();
    this.items = null;
    this.picked = 0;
  }

  connectedCallback() {
    super.connectedCallback();
    this.load();
  }

  async load() {
    await Promise.resolve();
    try {
      this.items = (await this.app.get("/api/pos/holds", {}, { limit: 100 })).items;
    } catch (error) {
      this.app.fail(error);
    }
    this.requestUpdate();
    this.app.focusPage();
  }

  /** Another till put one away, or took one. */
  told(name) {
    if (["hold", "ready", "reload"].includes(name) && !this.busy) this.load();
  }

  keys() {
    const move = (by) => {
      this.picked = Math.max(0, Math.min(this.picked + by, (this.items?.length ?? 1) - 1));
      this.requestUpdate();
    };
    return { ArrowUp: () => move(-1), ArrowDown: () => move(1), Enter: () => this.recall(this.items?.[this.picked]), Escape: () => void this.app.show("sell") };
  }

  recall(hold) {
    if (!hold) return undefined;
    const { app } = this;
    if (!app.basket.isEmpty) {
      app.say("warn", t("Finish or hold the basket that is open first"));
      return undefined;
    }
    return this.once(async () => {
      const sale = await this.taken(hold);
      await app.basket.take(sale);
      app.countHolds();
      await app.show("sell");
      if (sale.changes.length) app.say("warn", t("Prices changed while it waited: {n} lines", { n: number(new Set(sale.changes.map(({ line_no: no }) => no)).size) }));
    });
  }

  /** Two tills may press at once: one has it. */
  async taken(hold) {
    try {
      return await this.app.command({ url: path("/api/pos/holds/:id/recall", { id: hold.hold_id }), label: "Recall basket", amount: hold.total });
    } catch (error) {
      if (error.code === "invalid_state") error.words = t("Another till took this basket");
      await this.load();
      throw error;
    }
  }

  render() {
    const { items } = this;
    return html`<div class="bar"><button class="btn quiet" @click=${() => this.app.show("sell")}>${icon("arrow-left")}${t("Sell")}${key("Esc")}</button><h1>${t("Baskets that wait")}</h1></div>
      <div class="work">${items === null ? nothing : items.length === 0 ? html`<p class="empty panel">${t("No basket waits. F6 puts the open one away")}</p>`
        : html`<div class="panel scroll"><table class="grid"><thead><tr><th>${t("Since")}</th><th>${t("Till")}</th><th>${t("Note")}</th><th class="num">${t("Lines")}</th><th class="num">${t("Total")}</th><th></th></tr></thead><tbody>
        ${items.map((hold, index) => html`<tr class="open" aria-selected=${index === this.picked} @click=${() => this.recall(hold)}><td>${time(hold.held_at)}</td><td>${hold.register_id}</td><td>${hold.note}</td><td class="num">${number(hold.item_count)}</td><td class="num"><b>${money(hold.total)}</b></td>
          <td class="num"><button class="btn" ?data-focus=${index === 0}>${t("Recall")}</button></td></tr>`)}</tbody></table></div>`}</div>`;
  }
}
customElements.define("page-holds", PageHolds);
