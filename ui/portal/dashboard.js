// Dashboard: today, yesterday, this week and this month compared with before; sales by day, store, product and hour.
// Each figure links to its report.
import { html } from "../vendor/lit.js";
import { change, columns, moved, weekend } from "../kit/chart.js";
import { brief, isoDay, money, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { bars } from "../records/cells.js";
import { nameOf, needProducts, productName } from "../records/names.js";

/** Number of days that are read: two whole months, so that each period has one before it. */
const DAYS = 62;
const DRAWN = 30;
const BEST = 8;
const WEEK = 7;

const sales = (app, from, to, by) => app.get("/api/reports/sales", {}, { from, to, group_by: by });
const report = (name, query) => address(["reports", name], query);

/** Returns the same day of the month before, or its last day if that month is shorter. */
const monthBefore = (date) => {
  const [year, month, of] = date.split("-").map(Number);
  const last = new Date(Date.UTC(year, month - 1, 0));
  return new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth(), Math.min(of, last.getUTCDate())))
    .toISOString()
    .slice(0, 10);
};

/** Returns the periods, each with the same days before it. The names are functions, because the language may change. */
const periods = (today) => {
  const monday = moved(today, -((new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % WEEK));
  const first = `${today.slice(0, 8)}01`;
  const yesterday = moved(today, -1);
  return [
    [
      () => t("Today"),
      today,
      today,
      moved(today, -WEEK),
      moved(today, -WEEK),
      () => t("same day last week, whole day"),
    ],
    [
      () => t("Yesterday"),
      yesterday,
      yesterday,
      moved(yesterday, -WEEK),
      moved(yesterday, -WEEK),
      () => t("same day last week"),
    ],
    [() => t("This week"), monday, today, moved(monday, -WEEK), moved(today, -WEEK), () => t("same days last week")],
    [() => t("This month"), first, today, monthBefore(first), monthBefore(today), () => t("same days last month")],
  ];
};

/** Reads the figures of the overview. Products and margin of the month are read once, because they change slowly. */
export const readDashboard = async (app, before) => {
  const today = isoDay();
  const first = `${today.slice(0, 8)}01`;
  const slow =
    before?.day === today
      ? before.slow
      : (async () => {
          const [products, margin] = await Promise.all([
            sales(app, moved(today, -DRAWN + 1), today, "sku"),
            app.get("/api/reports/margin", {}, { from: first, to: today, group_by: "store" }),
          ]);
          const best = [...products.items].sort((a, b) => b.net_total - a.net_total).slice(0, BEST);
          await needProducts(
            app,
            best.map(({ sku }) => sku),
          );
          return { best, margin: margin.totals };
        })();
  const [days, stores, hours, loaded] = await Promise.all([
    sales(app, moved(today, -DAYS), today, "day"),
    sales(app, moved(today, -DRAWN + 1), today, "store"),
    sales(app, today, today, "hour"),
    slow,
  ]);
  return { day: today, today: hours, days, stores, hours, slow: loaded };
};

const sum = (days, from, to, name) =>
  days.reduce((all, row) => (row.business_date >= from && row.business_date <= to ? all + (row[name] ?? 0) : all), 0);

const box = (label, value, note, href) =>
  html`<div>
    <dt>${label}</dt>
    <dd><a href=${href}>${value}</a></dd>
    <dd class="muted">${note}</dd>
  </div>`;

const against = (now, past, what) =>
  past ? t("{change} vs {what}", { change: change(now, past), what }) : t("nothing to compare: {what}", { what });

const figures = ({ day, days, slow }) =>
  html`<dl class="figures panel">
    ${periods(day).map(([name, from, to, past, until, what]) => {
      const [now, before] = [sum(days.items, from, to, "net_total"), sum(days.items, past, until, "net_total")];
      const count = sum(days.items, from, to, "sales_count");
      return box(
        name(),
        money(now),
        html`${against(now, before, what())}<br />${t("{n} sales", { n: number(count) })}`,
        report("sales", { from, to, group_by: from === to ? "store" : "day", compare: "previous" }),
      );
    })}${box(
      t("Margin this month"),
      money(slow.margin.margin ?? 0),
      slow.margin.margin_bp === null || slow.margin.margin_bp === undefined
        ? t("no sales yet")
        : t("{n} % of net sales", { n: number(Math.round(slow.margin.margin_bp / 100)) }),
      report("margin", { from: `${day.slice(0, 8)}01`, to: day, group_by: "store" }),
    )}
  </dl>`;

const daily = ({ day, days }) => {
  const from = moved(day, -DRAWN + 1);
  const known = new Map(days.items.map((row) => [row.business_date, row.net_total]));
  const rows = Array.from({ length: DRAWN }, (_, at) => moved(from, at)).map((date) => ({
    name: brief(`${date}T12:00:00Z`),
    value: known.get(date) ?? 0,
    quiet: weekend(date),
    href: report("sales", { from: date, to: date, group_by: "store" }),
  }));
  const whole = report("sales", { from, to: day, group_by: "day" });
  return html`<div class="charted">
    ${
      rows.some(({ value }) => value)
        ? columns(rows, t("Net sales, last 30 days"), money, t("all values are in the report"))
        : html`<p class="empty panel">${t("No sales in the last 30 days")}</p>`
    }<a href=${whole}>${t("Report of these days")}</a>
  </div>`;
};

export const dashboard = (seen) => {
  const { day, stores, hours, slow } = seen;
  const from = moved(day, -DRAWN + 1);
  const ranked = [...stores.items].sort((a, b) => b.net_total - a.net_total).slice(0, BEST);
  const inOrder = [...hours.items].sort((a, b) => String(a.hour).localeCompare(String(b.hour)));
  return html`${figures(seen)}${daily(seen)}
    <div class="halves">
      ${bars(
        t("Stores, last 30 days"),
        ranked,
        (row) =>
          html`<a href=${report("sales", { from, to: day, store_id: row.store_id, group_by: "day" })}
            ><bdi>${nameOf("stores", row.store_id)}</bdi></a
          >`,
        (row) => row.net_total,
        t("No sales yet"),
        money,
      )}
      ${bars(
        t("Products, last 30 days"),
        slow.best,
        (row) => html`<a href=${address(["products", row.sku])}><bdi>${productName(row.sku)}</bdi></a>`,
        (row) => row.net_total,
        t("No sales yet"),
        money,
      )}
      ${bars(
        t("Today by hour"),
        inOrder,
        (row) => html`<a href=${address(["sales"], { from: day, to: day })}>${String(row.hour).slice(-5)}</a>`,
        (row) => row.net_total,
        t("No sales yet"),
        money,
      )}
    </div>`;
};
