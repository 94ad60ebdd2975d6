// Sales of a period: totals compared with the period before, a chart, a table by a key, CSV, and one step down from
// each row.
import { html, nothing } from "../vendor/lit.js";
import { link, person } from "../records/cells.js";
import { need, nameOf } from "../records/names.js";
import { icon } from "../kit/controls.js";
import { dayField } from "../kit/date.js";
import { brief, day, decimal, isoDay, money, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { Page } from "../kit/page.js";
import { bar, change, columns, COLUMNS_MAX, length, moved, weekend } from "../kit/chart.js";
import { download } from "./download.js";
import { namesOfProducts } from "./products.js";
import "../goods/texts.js";

const URL_SALES = "/api/reports/sales";
const BY = ["day", "hour", "category", "sku", "cashier", "method"];
const KEYS = {
  day: "business_date",
  hour: "hour",
  category: "category",
  sku: "sku",
  cashier: "cashier_id",
  method: "method",
};
const FIGURES = [
  ["sales_count", "num"],
  ["items_count", "num d2"],
  ["gross_sales", "num d"],
  ["discounts", "num d"],
  ["tax", "num d"],
  ["total", "num d2"],
  ["returns_total", "num"],
  ["net_total", "num"],
];
const ROWS = 100;

class PageReport extends Page {
  names;
  found;
  past;

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  get by() {
    const { by } = this.app.params.query;
    return BY.includes(by) ? by : "day";
  }

  get asked() {
    const { from, to } = this.app.params.query;
    const today = this.app.settings.business_date;
    return { from: from ?? `${today.slice(0, 8)}01`, to: to ?? today, group_by: this.by };
  }

  /** The same number of days right before. */
  get earlier() {
    const days = length(this.asked);
    return {
      from: moved(this.asked.from, -days),
      to: moved(this.asked.from, -1),
      group_by: this.by === "hour" ? "hour" : "day",
    };
  }

  set(changed) {
    const query = { ...this.app.params.query, ...changed };
    this.app.params.query = query;
    history.replaceState(null, "", address(["reports"], query));
    this.all = false;
    this.load();
  }

  async load() {
    const { app, asked, earlier } = this;
    this.waits = true;
    this.requestUpdate();
    await this.readBy(async () => {
      const [found, past] = await Promise.all([
        app.get(URL_SALES, {}, asked),
        app.get(URL_SALES, {}, earlier),
        need(app, "people"),
      ]);
      return { found, past, names: asked.group_by === "sku" ? await namesOfProducts(app) : this.names, waits: false };
    });
    if (!this.error) return;
    [this.found, this.waits] = [null, false];
    this.requestUpdate();
  }

  keys() {
    return { Escape: () => (this.by === "day" ? false : void this.set({ by: "day" })) };
  }

  /** Returns the subject of a row in words. */
  name(row) {
    const value = row[KEYS[this.by]];
    if (!value) return t("(none)");
    switch (this.by) {
      case "day":
        return day(value);
      case "hour":
        return length(this.asked) === 1
          ? value.slice(11)
          : `${brief(`${value.slice(0, 10)}T12:00:00Z`)}, ${value.slice(11)}`;
      case "cashier":
        return nameOf("people", value);
      case "sku":
        return this.names?.get(value) ?? value;
      case "method":
        return t(value);
      default:
        return value;
    }
  }

  /** Links to the details of a row. */
  key(row) {
    const value = row[KEYS[this.by]];
    const { from, to } = this.asked;
    if (!value) return html`<span class="muted">${this.name(row)}</span>`;
    switch (this.by) {
      case "day":
        return link(["days", value], this.name(row));
      case "sku":
        return html`${link(["sales"], this.name(row), { from, to, sku: value })} <span class="muted">${value}</span>`;
      case "cashier":
        return html`<a href=${address(["sales"], { from, to, cashier_id: value })}>${person(value)}</a>`;
      case "hour":
        return link(["sales"], this.name(row), { from: value.slice(0, 10), to: value.slice(0, 10) });
      default:
        return html`<bdi>${this.name(row)}</bdi>`;
    }
  }

  figures() {
    const { totals } = this.found;
    const past = this.past.totals;
    const against = (name) =>
      past[name]
        ? t("{change} vs previous period", { change: change(totals[name], past[name]) })
        : t("no earlier data to compare");
    const box = (label, value, note) =>
      html`<div>
        <dt>${label}</dt>
        <dd>${value}</dd>
        <dd class="muted">${note ?? nothing}</dd>
      </div>`;
    return html`<dl class="figures panel">
      ${box(t("Net sales"), money(totals.net_total), against("net_total"))}${box(
        t("Sales"),
        number(totals.sales_count),
        against("sales_count"),
      )}${box(t("Pieces"), number(totals.items_count), against("items_count"))}${box(
        t("Returns"),
        decimal(totals.returns_total),
        t("{n} receipts", { n: number(totals.returns_count) }),
      )}${box(t("Discounts"), decimal(totals.discounts), t("tax {amount}", { amount: decimal(totals.tax) }))}
    </dl>`;
  }

  /** Every day of the period has a column, also one without sales. */
  columnsOfDays() {
    const { from } = this.asked;
    const of = ({ items }) => new Map(items.map((row) => [row.business_date, row.net_total]));
    const [now, past] = [of(this.found), of(this.past)];
    const days = length(this.asked);
    const before = (date) => (past.size ? (past.get(moved(date, -days)) ?? 0) : undefined);
    return Array.from({ length: Math.min(days, COLUMNS_MAX + 1) }, (_, index) => {
      const date = moved(from, index);
      return {
        name: brief(`${date}T12:00:00Z`),
        value: now.get(date) ?? 0,
        before: before(date),
        quiet: weekend(date),
      };
    });
  }

  chart() {
    const what = t("Net sales by {group}", { group: t(`by.${this.by}`) });
    if (this.by === "day" && length(this.asked) > 1) return columns(this.columnsOfDays(), what);
    if (this.by === "hour")
      return columns(
        this.found.items.map((row) => ({ name: this.name(row), value: row.net_total })),
        what,
      );
    return nothing;
  }

  table() {
    const { items, totals } = this.found;
    const ordered = ["day", "hour"].includes(this.by)
      ? items
      : [...items].sort((a, b) => (b.net_total ?? b.total ?? 0) - (a.net_total ?? a.total ?? 0));
    const rows = this.all ? ordered : ordered.slice(0, ROWS);
    const most = Math.max(1, ...items.map((row) => row.net_total ?? 0));
    const known = FIGURES.filter(([name]) => items.some((row) => row[name] !== null));
    const figure = (row, name) =>
      row[name] === null ? nothing : (name.endsWith("_count") ? number : decimal)(row[name]);
    return html`<div class="panel scroll">
        <table class="grid fold records compared">
          <thead>
            <tr>
              <th scope="col">${t(`By.${this.by}`)}</th>
              ${known.map(([name, kind]) => html`<th scope="col" class=${kind}>${t(`figure.${name}`)}</th>`)}
              <th scope="col" class="d"><span class="vh">${t("Share")}</span></th>
            </tr>
          </thead>
          <tbody>
            ${rows.map(
              (row) =>
                html`<tr>
                  <td><div>${this.key(row)}</div></td>
                  ${known.map(([name, kind]) => html`<td class=${kind}><div>${figure(row, name)}</div></td>`)}
                  <td class="d share">${bar(row.net_total ?? 0, most)}</td>
                </tr>`,
            )}
          </tbody>
          <tfoot>
            <tr>
              <td>${t("Total")}</td>
              ${known.map(([name, kind]) => html`<td class=${kind}><div>${figure(totals, name)}</div></td>`)}
              <td class="d"></td>
            </tr>
          </tfoot>
        </table>
      </div>
      ${
        rows.length < ordered.length
          ? html`<button
              class="btn more"
              @click=${() => {
                this.all = true;
                this.requestUpdate();
              }}
            >
              ${t("Show all {n}", { n: number(ordered.length) })}
            </button>`
          : nothing
      }`;
  }

  filters() {
    const { asked } = this;
    const today = this.app.settings.business_date;
    const periods = [
      ["today", today, today],
      ["yesterday", moved(today, -1), moved(today, -1)],
      ["week", moved(today, -6), today],
      ["month", `${today.slice(0, 8)}01`, today],
      ["quarter", moved(today, -89), today],
    ];
    const now = periods.find(([, from, to]) => asked.from === from && asked.to === to)?.[0];
    const field = (id, label, input, kind = "") =>
      html`<div class="field ${kind}"><label for=${id}>${label}</label>${input}</div>`;
    const date = (name, label) =>
      field(
        `filter-${name}`,
        label,
        dayField({
          id: `filter-${name}`,
          value: asked[name],
          max: isoDay(1),
          onChoose: (chosen) => chosen && this.set({ [name]: chosen }),
        }),
      );
    return html`<div class="filters report-filters unfolded">
      ${field(
        "filter-period",
        t("Period"),
        html`<select
          class="input"
          id="filter-period"
          data-focus
          @change=${(event) => {
            const [, from, to] = periods.find(([name]) => name === event.target.value) ?? [];
            if (from) this.set({ from, to });
          }}
        >
          <option value="" ?selected=${!now}>${t("Other days")}</option>
          ${periods.map(
            ([name]) => html`<option value=${name} ?selected=${name === now}>${t(`period.${name}`)}</option>`,
          )}
        </select>`,
      )}${date("from", t("From"))}${date("to", t("Until"))}
      ${field(
        "filter-by",
        t("Group by"),
        html`<select class="input" id="filter-by" @change=${(event) => this.set({ by: event.target.value })}>
          ${BY.map((name) => html`<option value=${name} ?selected=${name === this.by}>${t(`By.${name}`)}</option>`)}
        </select>`,
      )}
    </div>`;
  }

  body() {
    const { found } = this;
    if (!found) return this.awaited();
    const open = found.shifts_open
      ? html`<p class="muted">${t("Not final: {n} shifts still open", { n: number(found.shifts_open) })}</p>`
      : nothing;
    return html`<div class="stack" aria-busy=${this.waits}>
      ${open}${this.figures()}${
        found.items.length
          ? html`${this.chart()}
              <div>${this.table()}</div>`
          : html`<p class="empty panel">${t("No sales in this period")}</p>`
      }
    </div>`;
  }

  render() {
    const csv = html`<button
      class="btn"
      ?disabled=${!this.found || this.busy}
      @click=${() =>
        this.once(() => download(this.app, URL_SALES, this.asked, `sales-${this.asked.from}-${this.asked.to}`))}
    >
      ${icon("download")}CSV
    </button>`;
    return html`<header class="title">
        <h1>${t("Reports")}</h1>
        <div class="rowx end">${this.app.find()}${csv}</div>
      </header>
      ${this.app.tabs()}${this.filters()}${this.body()}`;
  }
}
customElements.define("page-report", PageReport);
