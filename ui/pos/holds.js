// Held sales, oldest first.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { icon, key } from "../kit/controls.js";
import { date, money, number, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { Page } from "../kit/page.js";
import { holdSale, keepNote } from "../selling/hold.js";

/** Most price changes that are listed; the change of the total includes the others. */
const SHOWN = 3;

/** Held sales whose goods are shown, and how many of each. */
const LOOKED_INTO = 20;
const NAMED = 3;

/** The first goods of a sale. */
const goodsOf = ({ items }) => {
  const named = items.slice(0, NAMED).map(({ qty, name }) => (qty === 1 ? name : `${number(qty)} × ${name}`));
  const left = items.length - named.length;
  return left ? t("{names} and {n} more", { names: named.join(", "), n: number(left) }) : named.join(", ");
};

/** Text of the price changes since a sale was held. */
const priceChanges = ({ items, changes }) => {
  const prices = changes.filter(({ field }) => field === "price").slice(0, SHOWN);
  const all = [...prices, ...changes.filter(({ field, line_no: no }) => field === "total" && !no)];
  return all
    .map(
      ({ line_no: no, before, after }) =>
        `${items.find((item) => item.line_no === no)?.name ?? t("Total")} ${money(before)} \u2192 ${money(after)}`,
    )
    .join(" \u00b7 ");
};

class PageHolds extends Page {
  constructor() {
    super();
    this.items = null;
    this.people = null;
    this.goods = new Map();
    this.picked = 0;
  }

  connectedCallback() {
    super.connectedCallback();
    this.load();
  }

  async load() {
    await Promise.resolve();
    await this.readBy(
      async () => {
        const names = this.people ?? this.app.get("/api/staff", {}, { limit: 500 }).catch(() => null);
        const [{ items }, people] = await Promise.all([this.app.get("/api/pos/holds", {}, { limit: 100 }), names]);
        return { items, people };
      },
      () => this.items,
    );
    this.app.focusPage();
    await this.lookInto();
  }

  /** Loads the goods of the held sales, which are shown as soon as they are known. */
  async lookInto() {
    const unknown = (this.items ?? []).slice(0, LOOKED_INTO).filter(({ hold_id: id }) => !this.goods.has(id));
    await Promise.all(
      unknown.map(async ({ hold_id: hold, transaction_id: id }) => {
        const sale = await this.app.get("/api/pos/transactions/:id", { id }).catch(() => null);
        if (sale) this.goods.set(hold, goodsOf(sale));
      }),
    );
    this.requestUpdate();
  }

  /** Reloads the list when another till holds or recalls a sale, or when events were missed. */
  onEvent(name) {
    if (["hold", "ready", "reload"].includes(name) && !this.busy) this.load();
  }

  keys() {
    const move = (by) => {
      this.picked = Math.max(0, Math.min(this.picked + by, (this.items?.length ?? 1) - 1));
      this.requestUpdate();
      // The focus follows the selection, since Enter presses the focused button.
      this.querySelectorAll("tbody button")[this.picked]?.focus();
    };
    return {
      ArrowUp: () => move(-1),
      ArrowDown: () => move(1),
      Enter: () => this.recall(this.items?.[this.picked]),
      Escape: () => void this.app.show("sell"),
    };
  }

  recall(hold) {
    if (!hold) return undefined;
    const { app } = this;
    return this.once(async () => {
      if (!app.basket.isEmpty && !(await holdSale(app))) return;
      const sale = await this.taken(hold);
      keepNote(sale.transaction_id, hold.note);
      await app.basket.take(sale);
      app.countHolds();
      await app.show("sell");
      if (sale.changes.length)
        app.say("warn", t("Prices changed since the sale was held: {what}", { what: priceChanges(sale) }));
    });
  }

  /** Text that names the till that recalled a sale. */
  async takenBy({ transaction_id: id }) {
    const { app } = this;
    const sale = await app.get("/api/pos/transactions/:id", { id }).catch(() => null);
    if (!sale || sale.state === "voided") return t("This sale was already recalled");
    const { register_id: till } = sale;
    // A till that was added later has no name here yet.
    if (!app.settings.registers.some((one) => one.register_id === till)) {
      const { registers } = await app.get("/api/pos/settings").catch(() => app.settings);
      app.settings = { ...app.settings, registers };
    }
    return t("{till} recalled this sale", { till: app.till(till) });
  }

  /** Asks whether to recall a sale with its old prices, since it is too large with the current ones. */
  keptAsHeld() {
    return this.app.dialog.ask({
      title: t("Recall sale"),
      yes: t("Recall"),
      body: html`<p>
        ${t("With current prices and discounts this sale is too large. Recall it with the prices it was held at")}
      </p>`,
    });
  }

  /** Recalls a hold. If another till was faster, the error names it and the list is reloaded. */
  async taken(hold, body = {}) {
    try {
      return await this.app.command({
        url: path("/api/pos/holds/:id/recall", { id: hold.hold_id }),
        body,
        label: "Recall sale",
        amount: hold.total,
      });
    } catch (error) {
      if (error.details?.fields?.some(({ path: at }) => at === "keep_prices") && (await this.keptAsHeld()))
        return this.taken(hold, { keep_prices: true });
      if (error.code === "invalid_state") error.words = await this.takenBy(hold);
      await this.load();
      throw error;
    }
  }

  /** Cell with the till and the user that held a sale. */
  from({ register_id: of, held_by: by }) {
    const name = this.people?.items.find(({ user_id: id }) => id === by)?.name;
    return html`<div><bdi>${this.app.till(of)}</bdi>${name ? html` <bdi class="muted">${name}</bdi>` : nothing}</div>`;
  }

  render() {
    const { items } = this;
    const recall = this.app.basket.isEmpty ? t("Recall") : t("Hold this one and recall");
    const ends = items?.some(({ expires_at: at }) => at);
    return html`<div class="bar">
        <button class="btn quiet" @click=${() => this.app.show("sell")}>
          ${icon("arrow-left")}${t("Sell")}${key("Esc")}
        </button>
        <h1>${t("Held sales")}</h1>
      </div>
      <div class="work">
        ${
          items === null
            ? this.awaited()
            : items.length === 0
              ? html`<p class="empty panel">
                  ${t("No held sales. Press F6 to hold the current sale; type a note first if you need one")}
                </p>`
              : html`<div class="panel scroll">
                  <table class="grid fold">
                    <thead>
                      <tr>
                        <th>${t("Since")}</th>
                        <th>${t("Till")}</th>
                        <th>${t("Note")}</th>
                        <th>${t("Products")}</th>
                        <th class="num">${t("Lines")}</th>
                        <th class="num">${t("Total")}</th>
                        ${ends ? html`<th>${t("Kept until")}</th>` : nothing}
                        <th><span class="vh">${t("Actions")}</span></th>
                      </tr>
                    </thead>
                    <tbody>
                      ${items.map(
                        (hold, index) =>
                          html`<tr
                            class="open"
                            aria-selected=${index === this.picked}
                            @click=${() => this.recall(hold)}
                          >
                            <td>${time(hold.held_at)}</td>
                            <td>${this.from(hold)}</td>
                            <td>${hold.note ? html`<bdi>${hold.note}</bdi>` : nothing}</td>
                            <td>${this.goods.get(hold.hold_id) ?? nothing}</td>
                            <td class="num">${number(hold.item_count)}</td>
                            <td class="num"><b>${money(hold.total)}</b></td>
                            ${
                              ends
                                ? html`<td>
                                    ${hold.expires_at ? `${date(hold.expires_at)} ${time(hold.expires_at)}` : nothing}
                                  </td>`
                                : nothing
                            }
                            <td class="num whole">
                              <button class="btn big" ?data-focus=${index === 0}>${recall}</button>
                            </td>
                          </tr>`,
                      )}
                    </tbody>
                  </table>
                </div>`
        }
      </div>`;
  }
}
customElements.define("page-holds", PageHolds);
