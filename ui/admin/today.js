// Today: is anything wrong, and how is the day.
import { html, nothing } from "../vendor/lit.js";
import { icon, vars } from "../shared/controls.js";
import { day, money, number, time } from "../shared/format.js";
import { t } from "../shared/i18n.js";
import { Page, title } from "../shared/page.js";

const AGAIN_MS = 30_000;
const WEEK_DAYS = 7;

const earlier = (date, days) => new Date(Date.parse(`${date}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);

class PageToday extends Page {
  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
    this.timer = setInterval(() => this.load(), AGAIN_MS);
  }

  told(name, data) {
    if (name !== "ready" || !data.resumed) this.soon();
  }

  disconnectedCallback() {
    clearInterval(this.timer);
    super.disconnectedCallback();
  }

  async load() {
    const { app } = this;
    const date = app.settings.business_date;
    try {
      [this.report, this.before, this.sync, this.low, this.negative, this.pending, this.orders] = await Promise.all([
        app.get("/api/reports/daily", {}, { date }), app.get("/api/reports/daily", {}, { date: earlier(date, WEEK_DAYS) }), app.get("/api/sync/status"),
        app.get("/api/stock", {}, { below_reorder: true, limit: 100 }), app.get("/api/stock", {}, { negative: true, limit: 100 }),
        app.get("/api/adjustments", {}, { state: "pending", limit: 100 }), app.get("/api/purchase-orders", {}, { limit: 100 }),
      ]);
      this.at = Date.now();
    } catch (error) {
      app.fail(error);
    }
    this.requestUpdate();
  }

  /** What needs a person, the worst first. */
  alerts() {
    const { report, sync, negative, pending } = this;
    const differing = report.shifts.filter(({ variance }) => variance);
    const found = [];
    for (const problem of sync.problems) found.push(["bad", "triangle-alert", problem.message, "sync"]);
    if (differing.length) found.push(["bad", "calculator", t("Tills closed with a difference: {n}", { n: number(differing.length) }), `days/${this.app.settings.business_date}`]);
    if (negative.items.length) found.push(["warn", "package", t("Products below zero: {n}", { n: number(negative.items.length) }), "stock"]);
    if (pending.items.length) found.push(["warn", "shield-check", t("Adjustments that wait for approval: {n}", { n: number(pending.items.length) }), "adjustments?state=pending"]);
    if (!found.length) return html`<p class="calm">${icon("circle-check")}${t("Nothing needs you")}</p>`;
    return html`<ul class="alerts panel">${found.map(([kind, name, text, place]) => html`<li class=${kind}>${icon(name)}<span>${text}</span>${place ? html`<a href="#/${place}">${t("See")}</a>` : nothing}</li>`)}</ul>`;
  }

  figures() {
    const { report, before, low, orders } = this;
    const sum = (field) => report.shifts.reduce((all, { totals }) => all + totals[field], 0);
    const total = sum("net_total");
    const past = before.shifts.reduce((all, { totals }) => all + totals.net_total, 0);
    const change = past ? Math.round((total - past) * 100 / past) : null;
    const box = (label, value, note) => html`<div><dt>${label}</dt><dd>${value}</dd><dd class="muted">${note}</dd></div>`;
    return html`<dl class="figures panel">${box(t("Sales today"), money(total), change === null ? t("no sales on this day last week") : t("{change} % to last week", { change: number(change) }))}
      ${box(t("Sales"), number(sum("sales_count")), t("{n} pieces", { n: number(sum("items_count")) }))}
      ${box(t("Returns"), number(sum("returns_total")), t("{n} receipts", { n: number(sum("returns_count")) }))}
      ${box(t("Below reorder level"), number(low.items.length), html`<a href="#/stock">${t("Stock")}</a>`)}
      ${box(t("Orders to come"), number(orders.items.length), html`<a href="#/receiving">${t("Receiving")}</a>`)}</dl>`;
  }

  bars(rows, label, value) {
    const most = Math.max(1, ...rows.map(value));
    return html`<table class="grid bars"><tbody>${rows.map((row) => html`<tr><th scope="row">${label(row)}</th><td><div class="bar-of" ${vars({ "--part": `${Math.max(0, value(row)) * 100 / most}%` })}></div></td><td class="num">${number(value(row))}</td></tr>`)}</tbody></table>`;
  }

  tills() {
    const { shifts } = this.report;
    if (!shifts.length) return html`<p class="empty">${t("No till was opened today")}</p>`;
    return html`<table class="grid fold"><thead><tr><th>${t("Till")}</th><th>${t("State")}</th><th class="num">${t("Sales")}</th><th class="num">${t("Total")}</th><th class="num">${t("In drawer")}</th><th class="num">${t("Difference")}</th></tr></thead><tbody>
      ${shifts.map((one) => html`<tr><td><a href="#/shifts/${one.shift_id}">${one.register_id}</a></td><td><span class="badge ${one.state === "open" ? "ok" : "plain"}">${t(one.state)}</span></td><td class="num">${number(one.totals.sales_count)}</td><td class="num">${number(one.totals.net_total)}</td><td class="num">${number(one.cash.expected)}</td>
        <td class="num ${one.variance ? "differs" : ""}">${one.variance === null ? nothing : number(one.variance)}</td></tr>`)}</tbody></table>`;
  }

  render() {
    const { report } = this;
    const head = title(`${t("Today")}, ${day(this.app.settings.business_date)}`, this.at ? html`<span class="muted">${t("as of {time}", { time: time(this.at) })}</span>` : nothing, this.app.find());
    if (!report || !this.orders) return html`${head}<p class="empty panel">${t("Loading\u2026")}</p>`;
    return html`${head}<div class="stack">${this.alerts()}${this.figures()}<div class="halves"><section class="panel"><h2 class="pad">${t("Tills")}</h2>${this.tills()}</section>
      <section class="panel"><h2 class="pad">${t("Payments")}</h2>${report.by_method.length ? this.bars(report.by_method, ({ method }) => t(method), ({ net }) => net) : html`<p class="empty">${t("Nothing was sold yet")}</p>`}</section>
      <section class="panel"><h2 class="pad">${t("By hour")}</h2>${report.by_hour.length ? this.bars(report.by_hour, ({ hour }) => hour.slice(11, 16), (row) => row.net_total) : html`<p class="empty">${t("Nothing was sold yet")}</p>`}</section></div></div>`;
  }
}
customElements.define("page-today", PageToday);
