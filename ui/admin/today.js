// Today: problems and the figures of the day; takings only for managers, goods also for the stock room.
import { html, nothing } from "../vendor/lit.js";
import { icon, vars } from "../kit/controls.js";
import { date, day, decimal, money, number, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { Page, title } from "../kit/page.js";
import { firstDay, unfinished } from "./first_day.js";

const MANAGE = ["store_manager", "admin"];
/** Upper limit of counts; above it a plus is shown. */
const COUNTED = { limit: 100 };
const WORST = { sort: "worst", with_total: true };
/** Returns the number of items, or the lowest possible number if the list continues. */
const many = ({ items, total, next_cursor: more }) =>
  total === undefined ? `${number(items.length)}${more ? "+" : ""}` : number(total);
const WEEK_DAYS = 7;
/** Number of days in which to find the last one that head office has compared. */
const PROOFS = 10;
/** Number of products that are named. */
const SHOWN = 20;

const earlier = (date, days) =>
  new Date(Date.parse(`${date}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);

class PageToday extends Page {
  before;
  counts;
  orders;
  report;
  sync;
  negative;
  waiting;
  coming;
  verify;
  proof;
  low;
  setup;
  at;

  timed = true;

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  onEvent(name, data) {
    if (name !== "ready" || !data.resumed) this.soon();
  }

  load() {
    const { app } = this;
    const list = (pattern, query) => app.get(pattern, {}, { ...query, ...COUNTED });
    return this.readBy(
      async () => {
        await app.readSettings();
        const [low, negative, waiting, orders, coming, counts, takings] = await Promise.all([
          list("/api/stock", { below_reorder: true, ...WORST }),
          list("/api/stock", { negative: true, ...WORST }),
          list("/api/adjustments", { state: "pending" }),
          list("/api/purchase-orders"),
          list("/api/transfers", { direction: "in", state: "in_transit" }),
          list("/api/opname", { state: "counting" }),
          this.takings(),
        ]);
        return { low, negative, waiting, orders, coming, counts, ...takings, at: Date.now() };
      },
      () => this.counts,
    );
  }

  /** Reads the figures that only managers may see. */
  async takings() {
    const { app } = this;
    if (!app.may(MANAGE)) return {};
    const today = app.settings.business_date;
    const [report, before, sync, proofs, work, setup] = await Promise.all([
      app.get("/api/reports/daily", {}, { date: today }),
      app.get("/api/reports/daily", {}, { date: earlier(today, WEEK_DAYS) }),
      app.get("/api/sync/status"),
      app.get("/api/sync/digests", {}, { limit: PROOFS }),
      app.get("/api/admin/work"),
      app.get("/api/admin/setup"),
    ]);
    return {
      report,
      before,
      sync,
      setup,
      proof: proofs.items.find(({ result }) => result && result !== "not_yet"),
      verify: work.verify,
    };
  }

  /** Orders whose goods should have arrived by now. */
  get due() {
    return {
      ...this.orders,
      items: this.orders.items.filter(({ expected_at: at }) => at && at <= this.app.settings.business_date),
    };
  }

  /** Returns the alerts that need a person, worst first. */
  alerts() {
    const { report, sync, negative, waiting, coming, counts, due, app } = this;
    const differing = (report?.shifts ?? []).filter(({ variance }) => variance);
    const found = [];
    for (const problem of sync?.problems ?? [])
      found.push(["bad", "triangle-alert", t(`problem.${problem.code}`), "sync"]);
    if (differing.length)
      found.push([
        "bad",
        "calculator",
        t("Shifts closed with a difference: {n}", { n: number(differing.length) }),
        `days/${app.settings.business_date}`,
      ]);
    if (this.wrong) found.push(["bad", "shield-check", t("The last data check found problems"), "machine"]);
    const say = (list, kind, image, text, place) =>
      list.items.length && found.push([kind, image, t(text, { n: many(list) }), place]);
    say(negative, "warn", "package", "Products below zero: {n}", "stock?show=negative");
    say(waiting, "warn", "shield-check", "Adjustments to approve: {n}", "adjustments?state=pending");
    say(due, "plain", "truck", "Deliveries due: {n}", "receiving");
    say(coming, "plain", "store", "Incoming transfers: {n}", "transfers?direction=in&state=in_transit");
    say(counts, "plain", "clipboard-list", "Counts in progress: {n}", "counts");
    if (!found.length && unfinished(this.setup)) return nothing;
    if (!found.length) return html`<p class="calm">${icon("circle-check")}${t("Nothing to do")}</p>`;
    return html`<ul class="alerts panel">
      ${found.map(
        ([kind, name, text, place]) =>
          html`<li class=${kind}>
            ${icon(name)}<span>${text}</span>${place ? html`<a href="#/${place}">${t("View")}</a>` : nothing}
          </li>`,
      )}
    </ul>`;
  }

  /** Whether the last verification found a problem or did not finish. */
  get wrong() {
    const { verify } = this;
    return Boolean(verify?.error || verify?.result?.problems.length);
  }

  /** Returns whether head office has the same counts, and whether the stored data is intact. */
  checks() {
    const { proof, verify } = this;
    const row = (label, place, text, bad) =>
      html`<div>
        <dt>${label}</dt>
        <dd class=${bad ? "differs" : ""}><a href="#/${place}">${text}</a></dd>
      </div>`;
    const found = this.wrong ? t("problems found") : t("no problems");
    const checked = verify?.finished_at
      ? `${date(verify.finished_at)} ${time(verify.finished_at)}: ${found}`
      : t("not since restart");
    return html`<section class="panel" id="checks">
      <h2 class="pad">${t("Data checks")}</h2>
      <dl class="facts pad">
        ${row(
          t("Last comparison with head office"),
          "sync",
          proof ? `${day(proof.business_date)}: ${t(`digest.${proof.result}`)}` : t("none yet"),
          proof?.result === "difference",
        )}
        ${row(t("Last data check"), "machine", checked, this.wrong)}
      </dl>
    </section>`;
  }

  box(label, value, note) {
    return html`<div>
      <dt>${label}</dt>
      <dd>${value}</dd>
      <dd class="muted">${note}</dd>
    </div>`;
  }

  /** Returns the goods in stock and in transit. */
  goods() {
    const { low, negative, orders, coming } = this;
    const to = (place, name) => html`<a href="#/${place}">${name}</a>`;
    return html`${this.box(
      t("Below reorder level"),
      many(low),
      to("stock?show=low", t("Stock")),
    )}${this.box(t("Incoming orders"), many(orders), to("receiving", t("Receiving")))}
    ${
      this.app.may(MANAGE)
        ? nothing
        : html`${this.box(t("Below zero"), many(negative), to("stock?show=negative", t("Stock")))}${this.box(
            t("In transit"),
            many(coming),
            to("transfers?direction=in&state=in_transit", t("Transfers")),
          )}`
    }`;
  }

  figures() {
    const { report, before } = this;
    if (!report) return html`<dl class="figures panel">${this.goods()}</dl>`;
    const sum = (field) => report.shifts.reduce((all, { totals }) => all + totals[field], 0);
    const total = sum("net_total");
    const past = before.shifts.reduce((all, { totals }) => all + totals.net_total, 0);
    const change = past ? Math.round(((total - past) * 100) / past) : null;
    return html`<dl class="figures panel">
      ${this.box(
        t("Sales today"),
        money(total),
        change === null
          ? t("no sales on the same day last week")
          : t("{change} % vs last week", { change: number(change) }),
      )}
      ${this.box(t("Sales"), number(sum("sales_count")), t("{n} pieces", { n: number(sum("items_count")) }))}
      ${this.box(
        t("Returns"),
        decimal(sum("returns_total")),
        t("{n} receipts", { n: number(sum("returns_count")) }),
      )}${this.goods()}
    </dl>`;
  }

  bars(rows, label, value) {
    const most = Math.max(1, ...rows.map(value));
    return html`<table class="grid bars">
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              <th scope="row">${label(row)}</th>
              <td><div class="bar-of" ${vars({ "--part": `${(Math.max(0, value(row)) * 100) / most}%` })}></div></td>
              <td class="num">${decimal(value(row))}</td>
            </tr>`,
        )}
      </tbody>
    </table>`;
  }

  tills() {
    const { shifts } = this.report;
    if (!shifts.length) return html`<p class="empty">${t("No shifts opened today")}</p>`;
    return html`<div class="scroll">
      <table class="grid fold">
        <thead>
          <tr>
            <th>${t("Till")}</th>
            <th>${t("Status")}</th>
            <th class="num">${t("Sales")}</th>
            <th class="num">${t("Total")}</th>
            <th class="num">${t("In drawer")}</th>
            <th class="num">${t("Difference")}</th>
          </tr>
        </thead>
        <tbody>
          ${shifts.map(
            (one) =>
              html`<tr>
                <td>
                  <a href="#/shifts/${one.shift_id}"><bdi>${this.app.till(one.register_id)}</bdi></a>
                </td>
                <td><span class="badge ${one.state === "open" ? "ok" : "plain"}">${t(one.state)}</span></td>
                <td class="num">${number(one.totals.sales_count)}</td>
                <td class="num">${decimal(one.totals.net_total)}</td>
                <td class="num">${decimal(one.cash.expected)}</td>
                <td class="num ${one.variance ? "differs" : ""}">
                  ${one.variance === null ? nothing : decimal(one.variance)}
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
  }

  render() {
    const { report } = this;
    const head = title(
      `${t("Today")}, ${day(this.app.settings.business_date)}`,
      this.at ? html`<span class="muted">${t("as of {time}", { time: time(this.at) })}</span>` : nothing,
      this.app.find(),
    );
    if (!this.counts) return html`${head}${this.awaited()}`;
    return html`${head}
      <div class="stack">
        ${firstDay(this.setup)}${this.alerts()}${this.figures()}${report ? this.sold(report) : this.below()}
      </div>`;
  }

  /** Returns low stock, ordered by what is left. */
  below() {
    const rows = [...new Map([...this.negative.items, ...this.low.items].map((one) => [one.sku, one])).values()]
      .sort((a, b) => a.on_hand - b.on_hand)
      .slice(0, SHOWN);
    if (!rows.length) return nothing;
    return html`<section class="panel">
      <h2 class="pad">${t("Low or below zero")}</h2>
      <table class="grid fold">
        <thead>
          <tr>
            <th>${t("Product")}</th>
            <th>${t("Shelf")}</th>
            <th class="num">${t("On hand")}</th>
            <th class="num">${t("In transit")}</th>
            <th class="num">${t("Reorder at")}</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (one) =>
              html`<tr>
                <td>
                  <a href="#/stock/${encodeURIComponent(one.sku)}"><bdi>${one.name}</bdi></a>
                </td>
                <td><bdi>${one.shelf_place}</bdi></td>
                <td class="num ${one.on_hand < 0 ? "differs" : ""}">${number(one.on_hand)}</td>
                <td class="num">${number(one.in_transit_in)}</td>
                <td class="num">${one.reorder_level === null ? nothing : number(one.reorder_level)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </section>`;
  }

  sold(report) {
    return html`<div class="halves">
      <section class="panel">
        <h2 class="pad">${t("Tills")}</h2>
        ${this.tills()}
      </section>
      <section class="panel">
        <h2 class="pad">${t("Payments")}</h2>
        ${
          report.by_method.length
            ? this.bars(
                report.by_method,
                ({ method }) => t(method),
                ({ net }) => net,
              )
            : html`<p class="empty">${t("No sales yet")}</p>`
        }
      </section>
      <section class="panel">
        <h2 class="pad">${t("By hour")}</h2>
        ${
          report.by_hour.length
            ? this.bars(
                report.by_hour,
                ({ hour }) => hour.slice(11, 16),
                (row) => row.net_total,
              )
            : html`<p class="empty">${t("No sales yet")}</p>`
        }
      </section>
      ${this.checks()}
    </div>`;
  }
}
customElements.define("page-today", PageToday);
