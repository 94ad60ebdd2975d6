// Shifts of the tills: cashier, times, count; one shift with its X or Z report, its cash and its sales.
import { html, nothing } from "../vendor/lit.js";
import { badge, col, days, differsBy, figure, ifSome, inMoney, link, moment, person } from "../records/cells.js";
import { facts, figures, section, table } from "../records/record.js";
import { ofDays, ofState } from "../records/records.js";
import { path } from "../kit/api.js";
import { decimal, money, number, rate } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { printText } from "../kit/print.js";
import { trailOf, withTrail } from "../goods/trail.js";
import "../goods/texts.js";

const COUNTED = ["closed", "interrupted"];
const isAtOwn = ({ register_id: own, register_ids: tills }) => tills.join() === own;
/** The tills where a shift stands. */
const tillsOf = (page, one) =>
  html`<bdi>${one.register_ids.map((id) => page.app.till(id)).join(", ") || t("suspended")}</bdi>`;
const stateOf = (one) =>
  html`${badge(one.state)}${one.overdue ? html` <span class="badge warn">${t("its day has ended")}</span>` : nothing}`;

const shifts = {
  path: "/api/shifts",
  needs: ["people"],
  live: ["shift"],
  list: (page) => ({
    title: t("Shifts"),
    filters: [
      ofState(["open", "ended", "closed", "interrupted"]),
      {
        name: "register_id",
        label: t("Till"),
        kind: "choice",
        choices: page.app.settings.registers.map((one) => [one.register_id, one.name ?? one.register_id]),
      },
      ...ofDays(),
    ],
    open: (one) => address(["shifts", one.shift_id]),
    columns: [
      col(t("Till"), (one) =>
        one.state === "open" ? tillsOf(page, one) : html`<bdi>${page.app.till(one.register_id)}</bdi>`,
      ),
      col(t("Day"), (one) => days(one.business_date)),
      col(t("Opened"), (one) => html`${moment(one.opened_at)} ${person(one.opened_by)}`, "d"),
      col(t("Closed"), (one) => moment(one.closed_at), "d2"),
      col("Z", (one) => figure(one.z_no), "num d"),
      col(t("Expected"), (one) => inMoney(one.expected_cash), "num d2"),
      col(t("Counted"), (one) => inMoney(one.counted_cash), "num"),
      col(t("Difference"), (one) => differsBy(one.variance), "num"),
      col(t("Status"), stateOf),
    ],
    none: t("No shifts yet"),
  }),
};

const cash = (sums) =>
  section(
    t("Cash in the drawer"),
    facts([
      [t("Opening float"), decimal(sums.opening_float)],
      [t("Sales"), decimal(sums.sales)],
      [t("Refunds"), decimal(-sums.refunds)],
      [t("pay_in"), decimal(sums.pay_in)],
      [t("pay_out"), decimal(-sums.pay_out)],
      [t("drop"), decimal(-sums.drops)],
      [t("Expected"), html`<b>${decimal(sums.expected)}</b>`],
    ]),
  );
const moves = (list) =>
  table(
    t("Money in and out"),
    [
      col(t("Time"), (one) => moment(one.at)),
      col(t("Type"), (one) => t(one.type)),
      col(
        t("Reason"),
        (one) =>
          html`<bdi>${one.reason}</bdi>${one.bag_no ? html` <span class="muted">${one.bag_no}</span>` : nothing}`,
      ),
      col(t("Person"), (one) => person(one.user_id), "d"),
      col(t("Amount"), (one) => inMoney(one.type === "pay_in" ? one.amount : -one.amount), "num"),
    ],
    list,
    t("No cash movements yet"),
  );

const shift = {
  back: () => ["shifts", t("Shifts")],
  needs: ["people"],
  load: async (app, { id }) => {
    const [summary, moved, paper] = await Promise.all([
      withTrail(app, id, app.get("/api/shifts/:id/summary", { id })),
      app.get("/api/shifts/:id/cash-movements", { id }, { limit: 200 }),
      app.get("/api/shifts/:id/report", { id }, {}, "text/plain"),
    ]);
    return { ...summary, ...summary.shift, moved: moved.items, paper };
  },
  view: (one, page) => {
    const done = COUNTED.includes(one.state);
    const count = {
      label: t("Recount"),
      image: "calculator",
      act: page.step({
        label: t("Recount"),
        url: path("/api/shifts/:id/recounts", { id: one.shift_id }),
        message: t("Recount saved. The first count stays in the list"),
        question: {
          title: t("Recount the drawer of {till}", { till: one.register_id }),
          text: t("The first count stays in the list. The difference changes"),
          list: [
            { name: "counted_cash", label: t("Counted cash"), kind: "money", required: true, focus: true },
            { name: "reason", label: t("Reason"), required: true },
          ],
        },
      }),
    };
    return {
      name: one.z_no
        ? t("{till}, Z {n}", { till: page.app.till(one.register_id), n: number(one.z_no) })
        : page.app.till(one.register_id),
      badges: stateOf(one),
      actions: [
        done && count,
        {
          label: one.z_no ? t("Print Z report") : t("Print X report"),
          image: "printer",
          kind: "primary",
          act: () => printText(page.app, one.paper),
        },
      ],
      parts: [
        figures([
          [t("Sold"), money(one.total), t("{n} sales", { n: number(one.sales_count) })],
          [t("Returns"), decimal(one.returns_total), t("{n} receipts", { n: number(one.returns_count) })],
          [t("Expected"), decimal(one.expected_cash ?? one.cash.expected), t("in the drawer")],
          [
            t("Counted"),
            one.counted_cash === null ? "\u2013" : decimal(one.counted_cash),
            one.counted_cash === null ? t("at the till, when it is closed") : null,
          ],
          [t("Difference"), one.variance === null ? "\u2013" : differsBy(one.variance)],
        ]),
        html`<div class="halves">
          ${table(
            t("By method"),
            [
              col(t("Method"), (row) => t(row.method)),
              col(t("Sales"), (row) => inMoney(row.sales), "num d"),
              col(t("Refunds"), (row) => inMoney(row.refunds), "num d2"),
              col(t("Net"), (row) => inMoney(row.net), "num"),
              col(t("Counted"), (row) => inMoney(row.counted), "num d"),
              col(t("Difference"), (row) => differsBy(row.variance), "num"),
            ],
            one.by_method,
            t("No payments yet"),
            html`<a
              class="btn small"
              href=${address(["sales"], {
                shift_id: one.shift_id,
                from: one.business_date,
                to: one.business_date,
                register_id: one.register_id,
              })}
              >${t("Sales")}</a
            >`,
          )}${cash(one.cash)}
        </div>`,
        html`<div class="halves">
          ${moves(one.moved)}
          <section class="panel part">
            <header class="part-head"><h2>${one.z_no ? t("Z report") : t("X report")}</h2></header>
            <pre class="paper" role="region" tabindex="0" aria-label=${one.z_no ? t("Z report") : t("X report")}>
${one.paper}</pre>
          </section>
        </div>`,
        ifSome(one.recounts, (rows) =>
          table(
            t("Recounted"),
            [
              col(t("When"), (row) => moment(row.at)),
              col(t("Person"), (row) => person(row.user_id), "d"),
              col(t("Before"), (row) => inMoney(row.before), "num"),
              col(t("Counted"), (row) => inMoney(row.counted_cash), "num"),
              col(t("Difference"), (row) => differsBy(row.variance), "num"),
              col(t("Reason"), (row) => html`<bdi>${row.reason}</bdi>`),
            ],
            rows,
          ),
        ),
        ifSome(one.by_tax, (rows) =>
          table(
            t("Tax"),
            [
              col(t("Rate"), (row) => rate(row.tax_rate_bp)),
              col(t("Base"), (row) => inMoney(row.base), "num"),
              col(t("Tax"), (row) => inMoney(row.tax), "num"),
              col(t("Returned tax"), (row) => inMoney(row.returns_tax || null), "num d"),
            ],
            rows,
          ),
        ),
        section(
          t("Details"),
          facts([
            [t("Business date"), link(["days", one.business_date], days(one.business_date))],
            [t("Tills"), isAtOwn(one) ? null : tillsOf(page, one)],
            [t("Opened"), html`${moment(one.opened_at)} ${person(one.opened_by)}`],
            [t("Ended, not counted"), one.ended_at && !one.closed_at ? moment(one.ended_at) : null],
            [t("Closed"), one.closed_at ? html`${moment(one.closed_at)} ${person(one.closed_by)}` : null],
            [t("Difference approved by"), one.approved_by ? person(one.approved_by) : null],
            [t("Receipts"), one.first_receipt ? `${one.first_receipt} \u2013 ${one.last_receipt}` : null],
            [t("Voided"), one.voids_count ? `${number(one.voids_count)}, ${decimal(one.voids_total)}` : null],
            [t("Prices changed by hand"), one.price_overrides ? number(one.price_overrides) : null],
            [t("Note"), one.note && html`<bdi>${one.note}</bdi>`],
          ]),
        ),
        trailOf(one),
      ],
    };
  },
};

export const pages = { shifts, shift };
