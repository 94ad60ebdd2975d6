// Tax of a period: sales, purchases and late entries.
import { html, nothing } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { decimal, isoDay, rate } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import "./texts.js";
import { col, days, figure, inMoney, store } from "../records/cells.js";
import { figures, table } from "../records/record.js";
import { ofStore } from "../records/records.js";

/** The tax of a period: sales in its rows, with purchases and late entries below. */
const base = ["code", "day", "store"];
const taxBelow = ({ answer }) =>
  answer
    ? html`<div class="stack">
        ${table(
          t("Purchase tax"),
          [
            col(t("Rate"), (row) => (row.tax_rate_bp === null ? t("credit notes") : rate(row.tax_rate_bp))),
            col(t("Base"), (row) => inMoney(row.base), "num"),
            col(t("Tax"), (row) => inMoney(row.tax), "num"),
            col(t("Documents"), (row) => figure(row.documents), "num"),
          ],
          answer.input,
          t("No invoices"),
        )}
        ${
          answer.late.length
            ? table(
                t("From earlier days, posted here"),
                [
                  col(t("Store"), (row) => store(row.store_id)),
                  col(t("Effective date"), (row) => days(row.reference_date)),
                  col(t("Posting date"), (row) => days(row.entry_date)),
                  col(t("Tax"), (row) => inMoney(row.tax), "num"),
                ],
                answer.late,
              )
            : nothing
        }
      </div>`
    : nothing;
const tax = {
  path: "/api/finance/tax",
  whole: true,
  rows: "output",
  get defaults() {
    return { from: `${isoDay().slice(0, 8)}01`, to: isoDay(), group_by: "code" };
  },
  list: (page) => ({
    title: t("Tax"),
    filters: [
      { name: "from", label: t("From"), kind: "date" },
      { name: "to", label: t("Until"), kind: "date" },
      ofStore(),
      {
        name: "group_by",
        label: t("Group by"),
        kind: "choice",
        always: true,
        choices: base.map((name) => [name, t(`tax.${name}`)]),
      },
    ],
    above: ({ answer }) =>
      answer
        ? html`<div class="stack s above">
            ${figures([
              [
                t("Output tax"),
                html`<a href=${address(["balance", "2030"], { from: page.filters.from, to: page.filters.to })}
                  >${decimal(answer.output_tax)}</a
                >`,
              ],
              [
                t("Input tax"),
                html`<a href=${address(["balance", "1310"], { from: page.filters.from, to: page.filters.to })}
                  >${decimal(answer.input_tax)}</a
                >`,
              ],
              [t("Tax payable"), decimal(answer.payable)],
            ])}
            <p class="notice ${answer.ledger.agrees ? "plain" : "bad"} complete">
              ${icon(answer.ledger.agrees ? "circle-check" : "triangle-alert")}<span
                >${
                  answer.ledger.agrees
                    ? t("Matches accounts 2030 and 1310")
                    : t("The books show {out} and {in}. Contact your accountant", {
                        out: decimal(answer.ledger.output_tax),
                        in: decimal(answer.ledger.input_tax),
                      })
                }</span
              >
            </p>
          </div>`
        : nothing,
    columns: [
      col(
        page.filters.group_by === "store" ? t("Store") : page.filters.group_by === "day" ? t("Day") : t("Tax code"),
        (row) =>
          page.filters.group_by === "store"
            ? store(row.store_id)
            : page.filters.group_by === "day"
              ? days(row.entry_date)
              : html`${row.tax_code ?? t("(none)")}`,
      ),
      col(t("Rate"), (row) => rate(row.tax_rate_bp), "num"),
      col(t("Sales, base"), (row) => inMoney(row.sales_base), "num d"),
      col(t("Tax"), (row) => inMoney(row.sales_tax), "num d"),
      col(t("Returned base"), (row) => inMoney(row.returns_base), "num d2"),
      col(t("Returned tax"), (row) => inMoney(row.returns_tax), "num d2"),
      col(t("Base"), (row) => inMoney(row.base), "num"),
      col(t("Base, 11/12"), (row) => inMoney(row.base_11_12), "num d"),
      col(t("Tax"), (row) => inMoney(row.tax), "num"),
    ],
    below: taxBelow,
    none: t("No tax in this period"),
  }),
};

export const pages = { tax };
