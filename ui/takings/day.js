// One business day: its totals, hours and shifts; it can be sealed here, and reopened by an administrator.
import { html } from "../vendor/lit.js";
import { badge, col, differsBy, figure, ifSome, inMoney, link, moment, person } from "../records/cells.js";
import { facts, figures, section, table } from "../records/record.js";
import { path } from "../kit/api.js";
import { day as inWords, decimal, money, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { bar, columns } from "../kit/chart.js";
import { stateOfDay } from "./days.js";
import { download } from "./download.js";
import "../goods/texts.js";

const DAILY = "/api/reports/daily";

const actions = (one, page) => {
  const { app } = page;
  const date = one.business_date;
  // A document that is dated on a sealed day moves to the next day.
  const after = () => app.readSettings();
  const csv = {
    label: "CSV",
    image: "download",
    act: () => page.once(() => download(app, DAILY, { date }, `day-${date}`)),
  };
  if (one.state === "sealed") {
    return [
      csv,
      {
        label: t("Reopen"),
        image: "lock",
        why: app.may(["admin"]) ? undefined : t("administrators only"),
        act: page.step({
          label: t("Reopen"),
          url: path("/api/days/:date/unseal", { date }),
          message: t("Day reopened"),
          after,
          question: {
            title: t("Reopen {day}?", { day: inWords(date) }),
            danger: true,
            text: t("Final figures may change. The day stays open until you close it again, or today ends"),
            list: [{ name: "reason", label: t("Reason"), kind: "area", required: true, focus: true }],
          },
        }),
      },
    ];
  }
  const over = date < app.settings.business_date;
  const why = one.missing.length
    ? t("{n} shifts are still open. Close them first", { n: number(one.missing.length) })
    : undefined;
  const question = over
    ? {
        title: t("Close {day}?", { day: inWords(date) }),
        text: t("A closed day does not change. Corrections are dated on a later day"),
      }
    : {
        title: t("Close {day} before it ends?", { day: inWords(date) }),
        text: t("Later sales count for the next day"),
        list: [{ name: "reason", label: t("Reason"), kind: "area", required: true, focus: true }],
        body: (given) => ({ ...given, force: true }),
      };
  return [
    csv,
    {
      label: t("Close the day"),
      image: "lock",
      kind: "primary",
      why,
      act: page.step({
        label: t("Close the day"),
        url: path("/api/days/:date/seal", { date }),
        message: t("Day closed"),
        after,
        question,
      }),
    },
  ];
};

const shiftsOf = (one, app) =>
  table(
    t("Shifts"),
    [
      col(t("Till"), (row) =>
        link(
          ["shifts", row.shift_id],
          row.z_no
            ? t("{till}, Z {n}", { till: app.till(row.register_id), n: number(row.z_no) })
            : app.till(row.register_id),
        ),
      ),
      col(t("Opened"), (row) => moment(row.opened_at), "d"),
      col(t("Opened by"), (row) => person(row.opened_by), "d2"),
      col(t("Expected"), (row) => inMoney(row.expected_cash), "num d"),
      col(t("Counted"), (row) => inMoney(row.counted_cash), "num"),
      col(t("Difference"), (row) => differsBy(row.variance), "num"),
      col(t("Status"), (row) => badge(row.state)),
    ],
    one.shifts,
    t("No shifts on this day"),
  );

/** Returns the counts of both sides by type, or the first difference. */
const proofOf = (found) => {
  const differing = found.first_difference;
  const words = {
    match: t("Matches head office"),
    difference: t("Head office has different figures"),
    not_yet: t("Head office has not received all records yet"),
  };
  return section(
    t("Daily comparison"),
    html`<div class="pad stack">
      <p class="rowx">
        ${badge(found.result)}<span>${words[found.result] ?? t("Not compared yet")}</span>${
          found.compared_at ? html`<span class="muted">${moment(found.compared_at)}</span>` : ""
        }
      </p>
      ${differing ? html`<p class="problem">${t("First difference: {type}", { type: differing.type })}</p>` : ""}
      <details class="raw">
        <summary>${t("The store's figures")}</summary>
        <dl class="facts-grid">
          ${Object.entries(found.types).map(
            ([type, { count, total }]) =>
              html`<div>
                <dt>${type}</dt>
                <dd>${number(count)}, ${decimal(total)}</dd>
              </div>`,
          )}
        </dl>
      </details>
    </div>`,
  );
};

const day = {
  back: () => ["days", t("Days")],
  needs: ["people"],
  load: async (app, { id: date }) => {
    const [one, report, proofs] = await Promise.all([
      app.get("/api/days/:date", { date }),
      app.get(DAILY, {}, { date }),
      app.get("/api/sync/digests", {}, { limit: 500 }),
    ]);
    return { ...one, report, proof: proofs.items.find(({ business_date: of }) => of === date) };
  },
  view: (one, page) => {
    const { totals, report } = one;
    const most = Math.max(1, ...one.by_method.map(({ net }) => net));
    const sold = { from: one.business_date, to: one.business_date };
    return {
      name: inWords(one.business_date),
      badges: stateOfDay(one),
      actions: actions(one, page),
      parts: [
        figures([
          [t("Net sales"), money(totals.net_total), t("tax {amount}", { amount: decimal(totals.tax) })],
          [
            t("Sales"),
            html`<a href=${address(["sales"], sold)}>${number(totals.sales_count)}</a>`,
            t("{n} pieces", { n: number(totals.items_count) }),
          ],
          [t("Returns"), decimal(totals.returns_total), t("{n} receipts", { n: number(totals.returns_count) })],
          [
            t("Discounts"),
            decimal(totals.discounts),
            totals.price_overrides ? t("prices changed: {n}", { n: number(totals.price_overrides) }) : null,
          ],
          [t("Voided"), decimal(totals.voids_total), t("{n} receipts", { n: number(totals.voids_count) })],
        ]),
        columns(
          report.by_hour.map((row) => ({ name: row.hour.slice(11, 16), value: row.net_total })),
          t("Net sales by {group}", { group: t("by.hour") }),
        ),
        shiftsOf(one, page.app),
        html`<div class="halves">
          ${table(
            t("By method"),
            [
              col(t("Method"), (row) => t(row.method)),
              col(t("Sales"), (row) => inMoney(row.sales), "num d"),
              col(t("Refunds"), (row) => inMoney(row.refunds || null), "num d"),
              col(t("Net"), (row) => inMoney(row.net), "num"),
              col(t("Share"), (row) => bar(row.net, most), "d share"),
            ],
            one.by_method,
            t("No payments"),
          )}
          ${table(
            t("By cashier"),
            [
              col(
                t("Cashier"),
                (row) =>
                  html`<a href=${address(["sales"], { ...sold, cashier_id: row.cashier_id })}
                    >${person(row.cashier_id)}</a
                  >`,
              ),
              col(t("Sales"), (row) => figure(row.sales_count), "num"),
              col(t("Total"), (row) => inMoney(row.net_total), "num"),
            ],
            report.by_cashier,
            t("No sales"),
          )}
        </div>`,
        ifSome(report.by_hour, (rows) =>
          table(
            t("By hour"),
            [
              col(t("Hour"), (row) => row.hour.slice(11, 16)),
              col(t("Sales"), (row) => figure(row.sales_count), "num"),
              col(t("Pieces"), (row) => figure(row.items_count), "num d"),
              col(t("Returns"), (row) => inMoney(row.returns_total || null), "num d"),
              col(t("Total"), (row) => inMoney(row.net_total), "num"),
            ],
            rows,
          ),
        ),
        one.proof ? proofOf(one.proof) : "",
        one.state === "sealed"
          ? section(
              t("Details"),
              facts([
                [
                  t("Closed"),
                  html`${moment(one.sealed_at)} ${one.sealed_by ? person(one.sealed_by) : t("automatically")}`,
                ],
              ]),
            )
          : "",
      ],
    };
  },
};

export const pages = { day };
