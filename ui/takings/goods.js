// Value of the store's goods: now, with low, negative or damaged stock; and at the end of a day.
import { html } from "../vendor/lit.js";
import { col, figure, inMoney } from "../records/cells.js";
import { rows } from "../records/names.js";
import { figures } from "../records/record.js";
import { day, money, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { download } from "./download.js";
import "../goods/texts.js";

const REPORT = "/api/reports/stock";
const name = (row) => html`<bdi>${row.name}</bdi>`;
const code = (row) => html`<span class="muted">${row.sku}</span>`;
const onHand = (row) => html`<span class=${row.on_hand < 0 ? "differs" : ""}>${number(row.on_hand)}</span>`;
export const ofCategory = () => ({
  name: "category",
  label: t("Category"),
  kind: "choice",
  choices: rows("categories").map(({ category }) => [category, category]),
});

const stock = {
  path: REPORT,
  needs: ["categories"],
  list: (page) => ({
    title: t("Stock on hand"),
    create: {
      label: "CSV",
      image: "download",
      kind: "",
      act: () => page.once(() => download(page.app, REPORT, { category: page.app.params.query.category }, "stock")),
    },
    filters: [ofCategory()],
    open: (row) => address(["stock", row.sku]),
    above: () => {
      // The first page has the sums of all pages.
      page.totals = page.answer?.totals ?? page.totals;
      const { totals } = page;
      return totals
        ? html`<div class="above">
            ${figures([
              [
                t("Value"),
                money(totals.value),
                t("products: {n}, pieces: {p}", { n: number(totals.products_count), p: number(totals.on_hand) }),
              ],
              [t("Damaged stock"), money(totals.damaged_value), t("{n} pieces", { n: number(totals.damaged) })],
              [t("Below reorder level"), number(totals.below_reorder_count)],
              [t("Below zero"), number(totals.negative_count)],
            ])}
          </div>`
        : "";
    },
    columns: [
      col(t("Product"), name),
      col(t("Code"), code, "d"),
      col(t("Category"), (row) => row.category ?? "", "d2"),
      col(t("On hand"), onHand, "num"),
      col(t("Reserved"), (row) => figure(row.reserved || null), "num d3"),
      col(t("In transit"), (row) => figure(row.in_transit_in || null), "num d2"),
      col(t("Damaged"), (row) => figure(row.damaged || null), "num d"),
      col(
        t("Reorder at"),
        (row) =>
          row.below_reorder
            ? html`<span class="badge warn">${number(row.reorder_level)}</span>`
            : figure(row.reorder_level),
        "num d",
      ),
      col(t("Average cost"), (row) => inMoney(row.average_cost), "num d"),
      col(t("Value"), (row) => inMoney(row.value), "num"),
    ],
    none: t("No stock yet. Receive a delivery to add stock"),
  }),
};

const valuation = {
  path: "/api/stock/valuation",
  needs: ["categories"],
  list: (page) => ({
    title: t("Stock value by date"),
    filters: [{ name: "date", label: t("As of"), kind: "date" }, ofCategory()],
    open: (row) => address(["stock", row.sku]),
    above: () =>
      page.answer
        ? html`<div class="above">
            ${figures([[t("Value"), money(page.answer.total_value), t("as of {day}", { day: day(page.answer.date) })]])}
          </div>`
        : "",
    columns: [
      col(t("Product"), name),
      col(t("Code"), code, "d"),
      col(t("Category"), (row) => row.category ?? "", "d2"),
      col(t("On hand"), onHand, "num"),
      col(t("Value"), (row) => inMoney(row.value), "num"),
    ],
    none: t("No stock at the end of this day"),
  }),
};

export const pages = { "goods-now": stock, valuation };
