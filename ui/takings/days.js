// Business days of the store: sales of each, the conditions for sealing it, and the comparison with head office.
import { html } from "../vendor/lit.js";
import { badge, col, differsBy, figure, grid, inMoney } from "../records/cells.js";
import { day, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address, walkOf } from "../kit/menu.js";
import { Page } from "../kit/page.js";
import "../goods/texts.js";

const AT_ONCE = 14;

/** Returns whether a day is sealed, or what is missing. */
export const stateOfDay = (one) => {
  if (one.state === "sealed") return html`<span class="badge ok">${t("closed")}</span>`;
  if (one.missing.length)
    return html`<span class="badge warn">${t("shifts open: {n}", { n: number(one.missing.length) })}</span>`;
  return html`<span class="badge plain">${t("not closed")}</span>`;
};
export const proof = (found) => (found?.result ? badge(found.result) : html`<span class="muted">–</span>`);

class PageDays extends Page {
  proofs;

  connectedCallback() {
    super.connectedCallback();
    this.days = null;
    this.next = null;
    Promise.resolve().then(() => this.load());
  }

  /** Loads earlier days, or a fresh list; the old one is shown until then. */
  async load(fresh = false) {
    const { app } = this;
    await this.readBy(
      async () => {
        const [proofs, found] = await Promise.all([
          app.get("/api/sync/digests", {}, { limit: 500 }),
          app.get("/api/days", {}, { limit: AT_ONCE, cursor: fresh ? null : this.next }),
        ]);
        return {
          proofs: new Map(proofs.items.map((one) => [one.business_date, one])),
          days: [...(fresh ? [] : (this.days ?? [])), ...found.items],
          next: found.next_cursor,
        };
      },
      () => this.days,
      () => this.load(fresh),
    );
    if (this.isConnected) walkOf((this.days ?? []).map((one) => address(["days", one.business_date])));
  }

  onEvent(name) {
    if (name === "shift" && !(this.days?.length > AT_ONCE)) this.load(true);
  }

  table() {
    const variance = (one) => one.shifts.reduce((all, { variance: found }) => all + (found ?? 0), 0);
    const columns = [
      col(
        t("Day"),
        (one) => html`<a class="rowlink" href=${address(["days", one.business_date])}>${day(one.business_date)}</a>`,
      ),
      col(t("Shifts"), (one) => figure(one.shifts.length), "num d"),
      col(t("Sales"), (one) => figure(one.totals.sales_count), "num d"),
      col(t("Returns"), (one) => inMoney(one.totals.returns_total || null), "num d2"),
      col(t("Net sales"), (one) => inMoney(one.totals.net_total), "num"),
      col(t("Difference"), (one) => differsBy(variance(one) || null), "num"),
      col(t("Status"), stateOfDay),
      col(t("Daily comparison"), (one) => proof(this.proofs.get(one.business_date)), "d"),
    ];
    return html`<div class="panel">
      ${grid(columns, this.days, undefined, (one) => address(["days", one.business_date]))}
    </div>`;
  }

  render() {
    const head = html`<header class="title">
      <h1>${t("Days")}</h1>
      <div class="rowx end">${this.app.find()}</div>
    </header>`;
    if (!this.days || (this.error && !this.days.length)) return html`${head}${this.awaited()}`;
    if (!this.days.length)
      return html`${head}
        <p class="empty panel">${t("No days yet. A day starts with its first shift")}</p>`;
    return html`${head}
      <p class="muted about">
        ${t(
          "Days close automatically when all shifts are closed and the next day starts. A closed day does not change",
        )}
      </p>
      ${this.table()}${
        this.next
          ? html`<button class="btn more" @click=${() => this.load()}>
              ${t("Earlier days, before {day}", { day: day(this.days.at(-1).business_date) })}
            </button>`
          : ""
      }`;
  }
}
customElements.define("page-days", PageDays);
