// One page for all reports: period, store, grouping; chart, table with totals, CSV; completeness.
import { html, nothing } from "../vendor/lit.js";
import { change, columns, length, moved, weekend } from "../kit/chart.js";
import { icon } from "../kit/controls.js";
import { brief, day, isoDay, money, number, rate } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address, refilter } from "../kit/menu.js";
import { Page } from "../kit/page.js";
import { bars, completeness } from "../records/cells.js";
import { need, nameOf, needProducts, productName } from "../records/names.js";
import { filters, monthBegin } from "./report_filters.js";
import { REPORTS, title, group, head, alone, inUnit, DRAWN, BARS, OF_SHIFTS, IN_TIME, DOWN } from "./reports.js";

/** Highest number of columns of a statement. */
const STATEMENT_MAX = 6;

class PageReport extends Page {
  before;
  past;

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  get mine() {
    return Object.keys(REPORTS).filter((name) => this.app.may(REPORTS[name].roles));
  }

  get name() {
    return this.mine.includes(this.app.params.id) ? this.app.params.id : this.mine[0];
  }

  get spec() {
    return REPORTS[this.name];
  }

  get by() {
    const asked = this.app.params.query.group_by;
    return this.spec.by.includes(asked) ? asked : this.spec.by[0];
  }

  /** The parameters of the address; by default the month until today. */
  get asked() {
    const { from, to, as_of: asOf, store_id: store, dates } = this.app.params.query;
    const days = this.spec.asOf
      ? { as_of: asOf ?? isoDay() }
      : { from: from ?? monthBegin(), to: to ?? isoDay(), dates };
    return { ...days, store_id: store, group_by: this.by };
  }

  /** The same number of days right before, or none without a comparison. */
  get earlier() {
    const { asked } = this;
    if (this.spec.asOf || this.app.params.query.compare !== "previous") return null;
    return { ...asked, from: moved(asked.from, -length(asked)), to: moved(asked.from, -1) };
  }

  set(changed) {
    const query = { ...this.app.params.query, ...changed };
    this.app.params.query = query;
    refilter(["reports", this.name], query);
    this.load();
  }

  async load() {
    const { app, spec, asked, earlier } = this;
    // Figures of another choice must not be shown under this title.
    const choice = JSON.stringify([this.name, asked, earlier]);
    if (choice !== this.choice) this.found = null;
    this.choice = choice;
    this.busyNow = true;
    this.requestUpdate();
    await this.readBy(async () => {
      const [found, past] = await Promise.all([
        app.get(spec.url, {}, asked),
        earlier && app.get(spec.url, {}, earlier),
        need(app, "stores"),
        need(app, "people"),
        need(app, "accounts"),
        need(app, "suppliers"),
      ]);
      if (this.by === "sku")
        await needProducts(
          app,
          found.items.map(({ sku }) => sku),
        );
      const before = new Map(
        found.items.length && past ? past.items.map((row) => [this.place(row, 0, found), row]) : [],
      );
      return { found, past, before, busyNow: false };
    });
    if (!this.error) return;
    this.found = null;
    this.requestUpdate();
  }

  /** Returns the subject of a row as text, `days` later if it is a day or an hour. */
  place(row, days, found = this.found) {
    const { keys } = this.parts(found);
    return JSON.stringify(
      keys.map((name) =>
        /_date$|^hour$/.test(name) && row[name]
          ? `${moved(row[name].slice(0, 10), days)}${row[name].slice(10)}`
          : row[name],
      ),
    );
  }

  /** Returns the row of the former period with which a row is compared. */
  earlierOf(row) {
    return this.before.get(this.place(row, -length(this.asked)));
  }

  async download() {
    await this.once(async () => {
      const text = await this.app.get(this.spec.url, {}, this.asked, "text/csv");
      const way = document.createElement("a");
      way.href = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv" }));
      way.download = `${this.name}-${this.asked.as_of ?? `${this.asked.from}-${this.asked.to}`}.csv`;
      way.click();
      URL.revokeObjectURL(way.href);
    });
  }

  /** Returns a key of a row in words, with a link to its details. */
  key(name, row) {
    const value = row[name];
    if (value === null || value === undefined || value === "") return html`<span class="muted">${t("(none)")}</span>`;
    const { store_id: store } = this.asked;
    const down = (query) =>
      html`<a href=${address(["reports", this.name], { ...this.app.params.query, ...query })}
        >${this.word(name, value)}</a
      >`;
    if (name === "business_date" || name === "entry_date")
      return this.spec.by.includes("store") && !store
        ? down({ from: value, to: value, group_by: "store" })
        : html`<a
            href=${address([OF_SHIFTS.includes(this.name) ? "shifts" : "sales"], {
              store_id: store,
              from: value,
              to: value,
            })}
            >${day(value)}</a
          >`;
    if (name === "hour")
      return html`<a href=${address(["sales"], { store_id: store, from: value.slice(0, 10), to: value.slice(0, 10) })}
        >${value}</a
      >`;
    if (name === "store_id")
      return this.name === "sales" && this.by === "store"
        ? html`<a href=${address(["shifts"], { store_id: value, from: this.asked.from, to: this.asked.to })}
            >${this.word(name, value)}</a
          >`
        : down({ store_id: value, group_by: this.spec.by.find((by) => by !== "store" && by !== "day") ?? this.by });
    if (name === "sku")
      return html`<a href=${address(["products", value])}>${this.word(name, value)}</a>
        <span class="muted">${value}</span>`;
    if (name === "shift_id")
      return html`<a href=${address(["shifts", value], { store_id: row.store_id ?? store })} title=${value}
        >…${value.slice(-6)}</a
      >`;
    if (name === "supplier_id") return html`<a href=${address(["suppliers", value])}>${this.word(name, value)}</a>`;
    if (name === "account")
      return html`<a href=${address(["balance", value])}>${value} ${nameOf("accounts", value)}</a>`;
    return this.word(name, value);
  }

  word(name, value) {
    if (name === "store_id") return nameOf("stores", value);
    if (name === "supplier_id") return nameOf("suppliers", value);
    if (name === "cashier_id") return nameOf("people", value);
    if (name === "sku") return productName(value);
    if (name === "tax_rate_bp") return rate(value);
    if (name.endsWith("_date")) return day(value);
    return ["method", "code", "reason"].includes(name) ? t(value) : value;
  }

  /** Returns a figure, with a link to its documents if there are any. */
  figure(name, row) {
    const shown = this.cell(name, row[name]);
    const to = DOWN[name]?.(row, this.asked);
    return to && row[name] ? html`<a href=${to}>${shown}</a>` : shown;
  }

  cell(name, value) {
    if (value === null || value === undefined) return nothing;
    if (name.endsWith("_bp")) return rate(value);
    return html`<span class=${value < 0 ? "minus" : nothing}>${inUnit(this.name, name)(value)}</span>`;
  }

  /** Names of a row's figures and of its subject. */
  parts({ items, totals } = this.found) {
    const all = Object.keys(items[0]);
    const names = this.spec.figures
      .filter((name) => all.includes(name) || name in totals)
      .concat(all.filter((name) => ["base", "returns_base", "returns_tax", "uses"].includes(name)));
    return { names, keys: all.filter((name) => !names.includes(name)) };
  }

  chart() {
    const { items } = this.found;
    const { keys } = this.parts();
    const figure = DRAWN[this.name];
    const key =
      keys.find((name) => name === this.by || name === `${this.by}_id`) ??
      keys.find((name) => name.endsWith("_date")) ??
      keys[0];
    if (!items.some((row) => row[figure])) return nothing;
    if (!IN_TIME.includes(this.by))
      return bars(
        alone(figure),
        [...items].sort((a, b) => b[figure] - a[figure]).slice(0, BARS),
        (row) => this.key(key, row),
        (row) => row[figure] ?? 0,
        nothing,
        inUnit(this.name, figure),
      );
    const name = (row) =>
      ({ day: () => brief(`${row[key]}T12:00:00Z`), hour: () => String(row[key]).slice(-5) })[this.by]?.() ?? row[key];
    const what = t("{report} by {group}", { report: title(this.name), group: group(this.by).toLowerCase() });
    return items.length > 1
      ? columns(
          items.map((row) => ({
            name: name(row),
            value: row[figure] ?? 0,
            before: this.past && this.by !== "month" ? (this.earlierOf(row)?.[figure] ?? 0) : undefined,
            quiet: this.by === "day" && weekend(row[key]),
            href:
              this.by === "day"
                ? address(["reports", this.name], {
                    ...this.app.params.query,
                    from: row[key],
                    to: row[key],
                    group_by: this.spec.by.includes("store") ? "store" : undefined,
                  })
                : undefined,
          })),
          what,
          inUnit(this.name, figure) === number ? number : money,
        )
      : nothing;
  }

  /** A statement: figures that add up from line to line, with a column for each period or store. */
  statement() {
    const { items, totals } = this.found;
    const { names, keys } = this.parts();
    const cells = (row) => html`<td class="num">${row}</td>`;
    return html`<div class="panel scroll">
      <table class="grid records">
        <thead>
          <tr>
            <th scope="col"><span class="vh">${t("Figure")}</span></th>
            ${items.map((row) => html`<th scope="col" class="num">${keys.map((name) => this.key(name, row))}</th>`)}${
              items.length > 1 ? html`<th scope="col" class="num">${t("Total")}</th>` : nothing
            }
          </tr>
        </thead>
        <tbody>
          ${names.map(
            (name) =>
              html`<tr>
                <th scope="row">${head(name)}</th>
                ${items.map((row) => cells(this.figure(name, row)))}${
                  items.length > 1 ? cells(this.cell(name, totals[name])) : nothing
                }
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
  }

  table() {
    const { items, totals } = this.found;
    if (!items.length) return html`<p class="empty panel">${t("No data for this period")}</p>`;
    if (this.spec.statement?.includes(this.by) && !this.past && items.length <= STATEMENT_MAX) return this.statement();
    const { names, keys } = this.parts();
    const drawn = DRAWN[this.name];
    // On a narrow screen, columns that are 0 throughout leave their space to the others.
    const kind = (name) => (totals[name] === 0 && items.every((row) => !row[name]) ? "num d" : "num");
    const against = (now, past) =>
      this.past ? html`<td class="num against">${now === undefined ? nothing : change(now, past)}</td>` : nothing;
    return html`<div class="panel scroll">
      <table class="grid fold records">
        <thead>
          <tr>
            ${keys.map((name) => html`<th scope="col">${head(name)}</th>`)}${names.map(
              (name) => html`<th scope="col" class=${kind(name)}>${head(name)}</th>`,
            )}${
              this.past
                ? html`<th scope="col" class="num" title=${t("{figure} vs previous period", { figure: head(drawn) })}>
                    +/−
                  </th>`
                : nothing
            }
          </tr>
        </thead>
        <tbody>
          ${items.map(
            (row) =>
              html`<tr>
                ${keys.map((name) => html`<td><div>${this.key(name, row)}</div></td>`)}${names.map(
                  (name) => html`<td class=${kind(name)}>${this.figure(name, row)}</td>`,
                )}${against(row[drawn], this.earlierOf(row)?.[drawn])}
              </tr>`,
          )}
        </tbody>
        <tfoot>
          <tr>
            ${keys.map((_, index) => html`<td>${index ? nothing : t("Total")}</td>`)}${names.map(
              (name) => html`<td class=${kind(name)}>${this.cell(name, totals[name])}</td>`,
            )}${against(totals[drawn], this.past?.totals[drawn])}
          </tr>
        </tfoot>
      </table>
    </div>`;
  }

  figures() {
    const { totals } = this.found;
    const shown = (this.spec.main ?? this.spec.figures).filter(
      (name) => totals[name] !== undefined && totals[name] !== null,
    );
    const most = shown.length > 5 ? shown.slice(-5) : shown;
    return html`<dl class="figures panel">
      ${most.map(
        (name) =>
          html`<div>
            <dt>${alone(name)}</dt>
            <dd>${this.cell(name, totals[name])}</dd>
            ${
              this.past
                ? html`<dd class="muted">
                    ${
                      this.past.totals[name]
                        ? t("{change} vs previous period", { change: change(totals[name], this.past.totals[name]) })
                        : t("no earlier data to compare")
                    }
                  </dd>`
                : nothing
            }
          </div>`,
      )}
    </dl>`;
  }

  render() {
    const { found } = this;
    const late = found?.late?.count
      ? html`<p class="muted">
          ${t("{n} of these documents, {amount}, are posted on other days", {
            n: number(found.late.count),
            amount: inUnit(this.name, DRAWN[this.name])(found.late.total),
          })}
        </p>`
      : nothing;
    const { from, to, as_of: at, store_id: store } = this.asked;
    const about = html`<p class="on-paper">
      ${at ? day(at) : `${day(from)} \u2013 ${day(to)}`}, ${store ? nameOf("stores", store) : t("all stores")}
    </p>`;
    const print = html`<button class="btn" ?disabled=${!found} @click=${() => window.print()}>
      ${icon("printer")}${t("Print")}
    </button>`;
    const csv = html`<button class="btn" ?disabled=${!found || this.busy} @click=${() => this.download()}>
      ${icon("download")}CSV
    </button>`;
    const body = () => {
      if (!found) return html`<div aria-busy=${!this.error}>${this.awaited()}</div>`;
      return html`<div class="stack report" aria-busy=${this.busyNow}>
        ${completeness(found.completeness)}${late}${
          found.items.length ? html`${this.figures()}${this.chart()}` : nothing
        }${this.table()}
      </div>`;
    };
    return html`<header class="title">
        <h1>${title(this.name)}</h1>
        <div class="rowx end">${csv}${print}${this.app.find()}</div>
      </header>
      ${about}${filters(this)}${body()}`;
  }
}
customElements.define("page-report", PageReport);
