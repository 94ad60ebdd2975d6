// Overview: what needs this person, and how the day is; each role sees its own part.
import { html, nothing } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { ago, day, isoDay, number, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { Page } from "../kit/page.js";
import { bars, completeness } from "../records/cells.js";
import { need, nameOf } from "../records/names.js";

const A = ["admin"];
const F = ["admin", "ho_finance"];
const P = ["admin", "ho_purchasing"];
const COUNT_MAX = 100;
const WEEK = -7;

/** How many there are, as far as one page tells. */
const count = async (app, pattern, query) => {
  const { items, next_cursor: next } = await app.get(pattern, {}, { ...query, limit: COUNT_MAX });
  return next ? `${number(items.length)}+` : items.length;
};
const some = (n) => n !== 0 && n !== undefined;

/** What may wait: who sees it, how it is asked for, and the line that it becomes. */
const WAITING = [
  {
    roles: A,
    ask: (app) => app.get("/api/admin/overview"),
    lines: (seen) => [
      [seen.exceptions_count, "bad", "triangle-alert", t("exceptions to resolve"), ["exceptions"]],
      [seen.stores_with_problems_count, "warn", "store", t("stores with a problem"), ["stores"]],
      [seen.parked_count, "warn", "inbox", t("records on hold"), ["parked"]],
      [
        seen.last_proof && !seen.last_proof.ok ? seen.last_proof.problems : 0,
        "bad",
        "scale",
        t("differences in the last check of the books"),
        ["balance"],
      ],
      [seen.last_backup_at ? 0 : 1, "warn", "download", t("head office has no backup"), null],
    ],
  },
  {
    roles: F,
    ask: (app) => count(app, "/api/settlement-exceptions", { state: "open" }),
    lines: (n) => [[n, "bad", "scale", t("settlement differences"), ["settlements"], { state: "discrepant" }]],
  },
  {
    roles: F,
    ask: (app) => count(app, "/api/settlements", { state: "reconciled" }),
    lines: (n) => [[n, "warn", "check", t("settlements to approve"), ["settlements"], { state: "reconciled" }]],
  },
  {
    roles: F,
    ask: (app) => count(app, "/api/finance/invoices", { state: "disputed" }),
    lines: (n) => [[n, "bad", "ticket", t("disputed invoices"), ["invoices"], { state: "disputed" }]],
  },
  {
    roles: F,
    ask: (app) => count(app, "/api/finance/invoices", { state: "matched" }),
    lines: (n) => [[n, "warn", "ticket", t("invoices to approve"), ["invoices"], { state: "matched" }]],
  },
  {
    roles: P,
    ask: (app) => count(app, "/api/purchase-orders", { state: "draft", submitted: true }),
    lines: (n) => [
      [n, "warn", "clipboard-list", t("orders to approve"), ["orders"], { state: "draft", submitted: "true" }],
    ],
  },
  {
    roles: P,
    ask: (app) => count(app, "/api/purchase-orders", { late: true }),
    lines: (n) => [[n, "warn", "truck", t("late orders"), ["orders"], { late: "true" }]],
  },
  {
    roles: P,
    ask: (app) => count(app, "/api/stock", { negative: true }),
    lines: (n) => [[n, "warn", "package", t("products below zero"), ["stock"], { negative: "true" }]],
  },
  {
    roles: P,
    ask: (app) => count(app, "/api/stock", { below_reorder: true }),
    lines: (n) => [
      [n, "warn", "package", t("products below their reorder level"), ["stock"], { below_reorder: "true" }],
    ],
  },
];

class PageOverview extends Page {
  before;
  lines;
  today;
  hours;
  at;

  timed = true;

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  told(name, data) {
    if (name !== "ready" || !data.resumed) this.soon();
  }

  async waiting() {
    const mine = WAITING.filter(({ roles }) => this.app.may(roles));
    const answers = await Promise.all(mine.map(({ ask }) => ask(this.app)));
    return mine.flatMap(({ lines }, index) => lines(answers[index])).filter(([n]) => some(n));
  }

  load() {
    const { app } = this;
    const sales = (offset, by) =>
      app.get("/api/reports/sales", {}, { from: isoDay(offset), to: isoDay(offset), group_by: by });
    return this.readBy(
      async () => {
        await need(app, "stores");
        const [lines, today, hours, before] = await Promise.all([
          this.waiting(),
          ...(app.may(F) ? [sales(0, "store"), sales(0, "hour"), sales(WEEK, "store")] : []),
        ]);
        return { lines, today, hours, before, at: Date.now() };
      },
      () => this.lines,
    );
  }

  alerts() {
    if (!this.lines.length) return html`<p class="calm panel pad">${icon("circle-check")}${t("Nothing to do")}</p>`;
    return html`<ul class="alerts panel">
      ${this.lines.map(
        ([n, kind, image, text, place, query]) =>
          html`<li class=${kind}>
            ${icon(image)}<span>${text[0].toUpperCase()}${text.slice(1)}${
              place ? html`: <b>${n}</b>` : nothing
            }</span>${place ? html`<a href=${address(place, query)}>${t("View")}</a>` : nothing}
          </li>`,
      )}
    </ul>`;
  }

  figures() {
    const {
      today: { totals },
      before,
    } = this;
    const past = before.totals.net_total;
    const change = past ? Math.round(((totals.net_total - past) * 100) / past) : null;
    const box = (label, value, note) =>
      html`<div>
        <dt>${label}</dt>
        <dd>${number(value)}</dd>
        <dd class="muted">${note}</dd>
      </div>`;
    return html`<dl class="figures panel">
      ${box(
        t("Net sales"),
        totals.net_total,
        change === null
          ? t("no sales on the same day last week")
          : t("{change} % vs last week, whole day", { change: number(change) }),
      )}
      ${box(t("Sales"), totals.sales_count, t("{n} pieces", { n: number(totals.items_count) }))}${box(
        t("Returns"),
        totals.returns_total,
        t("{n} receipts", { n: number(totals.returns_count) }),
      )}
      ${box(
        t("Discounts"),
        totals.discounts,
        t("of {amount} gross", { amount: number(totals.gross_sales) }),
      )}${box(t("Tax"), totals.tax, t("sales"))}
    </dl>`;
  }

  sales() {
    const best = [...this.today.items].sort((a, b) => b.net_total - a.net_total).slice(0, 12);
    const hours = [...this.hours.items].sort((a, b) => String(a.hour).localeCompare(String(b.hour)));
    return html`${completeness(this.today.completeness)}${this.figures()}
      <div class="halves">
        ${bars(
          t("By store"),
          best,
          (row) =>
            html`<a href=${address(["sales"], { store_id: row.store_id, from: isoDay(), to: isoDay() })}
              ><bdi>${nameOf("stores", row.store_id)}</bdi></a
            >`,
          (row) => row.net_total,
          t("No sales yet"),
        )}
        ${bars(
          t("By hour"),
          hours,
          (row) => String(row.hour).slice(-5),
          (row) => row.net_total,
          t("No sales yet"),
        )}
      </div>`;
  }

  render() {
    const head = html`<header class="title">
      <h1>${t("Overview")}</h1>
      <div class="rowx end">
        ${
          this.at
            ? html`<span class="live" title=${ago(this.at)}
                ><i aria-hidden="true"></i>${day(isoDay())}, ${time(this.at)}</span
              >`
            : nothing
        }${this.app.find()}
      </div>
    </header>`;
    if (!this.lines) return html`${head}${this.awaited()}`;
    return html`${head}
      <div class="stack">
        <h2 class="vh">${t("To do")}</h2>
        ${this.alerts()}${this.today ? this.sales() : nothing}
      </div>`;
  }
}
customElements.define("page-overview", PageOverview);
