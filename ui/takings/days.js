// Business days of the store: what each sold, what is missing until it is sealed, and whether head office counts the same.
import { html } from "../vendor/lit.js";
import { badge, col, differs, figure, grid } from "../portal/kit.js";
import { day, number } from "../shared/format.js";
import { t } from "../shared/i18n.js";
import { failed } from "../shared/list.js";
import { address } from "../shared/menu.js";
import { Page } from "../shared/page.js";
import "../goods/texts.js";

/** Days at once: each is asked for by itself. */
const AT_ONCE = 14;
const earlier = (date, days) => new Date(Date.parse(`${date}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);

/** Whether a day is sealed, or what it waits for. */
export const stateOfDay = (one) => {
  if (one.state === "sealed") return html`<span class="badge ok">${t("sealed")}</span>`;
  if (one.missing.length) return html`<span class="badge warn">${t("shifts open: {n}", { n: number(one.missing.length) })}</span>`;
  return html`<span class="badge plain">${t("not sealed")}</span>`;
};
export const proof = (found) => (found?.result ? badge(found.result) : html`<span class="muted">\u2013</span>`);

class PageDays extends Page {
  connectedCallback() {
    super.connectedCallback();
    this.days = [];
    Promise.resolve().then(() => this.load());
  }

  async load() {
    const { app } = this;
    const last = this.days.length ? earlier(this.days.at(-1).business_date, 1) : app.settings.business_date;
    const dates = Array.from({ length: AT_ONCE }, (_, index) => earlier(last, index));
    try {
      const [proofs, ...days] = await Promise.all([app.get("/api/sync/digests", {}, { limit: 500 }), ...dates.map((date) => app.get("/api/days/:date", { date }))]);
      this.proofs = new Map(proofs.items.map((one) => [one.business_date, one]));
      this.days = [...this.days, ...days];
      this.error = null;
    } catch (error) {
      this.error = error;
      if (error.status === 401) app.fail(error);
    }
    this.requestUpdate();
  }

  told(name) {
    if (name !== "shift" || this.days.length > AT_ONCE) return;
    this.days = [];
    this.load();
  }

  table() {
    const variance = (one) => one.shifts.reduce((all, { variance: found }) => all + (found ?? 0), 0);
    const quiet = (one) => !one.shifts.length && one.state !== "sealed";
    const shown = this.days.filter((one, index) => !quiet(one) || index === 0);
    const columns = [col(t("Day"), (one) => html`<a class="rowlink" href=${address(["days", one.business_date])}>${day(one.business_date)}</a>`), col(t("Shifts"), (one) => figure(one.shifts.length), "num d"), col(t("Sales"), (one) => figure(one.totals.sales_count), "num d"), col(t("Returns"), (one) => figure(one.totals.returns_total || null), "num d2"), col(t("Sold less returns"), (one) => figure(one.totals.net_total), "num"), col(t("Difference"), (one) => differs(variance(one) || null), "num"), col(t("State"), stateOfDay), col(t("Daily proof"), (one) => proof(this.proofs.get(one.business_date)), "d")];
    return html`<div class="panel">${grid(columns, shown)}</div>`;
  }

  render() {
    const head = html`<header class="title"><h1>${t("Days")}</h1><div class="rowx end">${this.app.find()}</div></header>`;
    if (this.error) return html`${head}${failed(this.error, () => this.load())}`;
    if (!this.days.length) return html`${head}<div class="panel bones" aria-busy="true"><p class="vh">${t("Loading\u2026")}</p>${Array.from({ length: 8 }, () => html`<i></i>`)}</div>`;
    return html`${head}<p class="muted about">${t("A day seals itself when the next one begins and its shifts are closed. What is sealed does not change")}</p>${this.table()}<button class="btn more" @click=${() => this.load()}>${t("Earlier days, before {day}", { day: day(this.days.at(-1).business_date) })}</button>`;
  }
}
customElements.define("page-days", PageDays);
