// Goods returned to suppliers, and the claims for them.
import { html } from "../vendor/lit.js";
import { col, days, figure, inMoney, moment, person, supplier } from "../records/cells.js";
import { nameOf, rows } from "../records/names.js";
import { facts, figures, section, table } from "../records/record.js";
import { ofDays } from "../records/records.js";
import { money, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { ofProduct, product } from "./transfers.js";
import "./texts.js";
import { trailOf, withTrail } from "./trail.js";

const pieces = (one) => one.lines.reduce((all, { qty }) => all + qty, 0);

const returned = {
  path: "/api/supplier-returns",
  needs: ["suppliers"],
  live: ["supplier_return"],
  list: (page) => ({
    title: t("Returns to suppliers"),
    create: { label: t("New return"), act: () => page.app.go("supplier-returns", "new") },
    filters: [
      {
        name: "supplier_id",
        label: t("Supplier"),
        kind: "choice",
        choices: rows("suppliers").map((one) => [one.supplier_id, one.name]),
      },
      ofProduct(),
      ...ofDays(),
    ],
    open: (one) => address(["supplier-returns", one.supplier_return_id]),
    columns: [
      col(t("Supplier"), (one) => supplier(one.supplier_id)),
      col(t("Day"), (one) => days(one.business_date)),
      col(t("Reference"), (one) => one.reference ?? "", "d"),
      col(t("Lines"), (one) => figure(one.lines.length), "num d2"),
      col(t("Pieces"), (one) => figure(pieces(one)), "num"),
      col(t("Claimed"), (one) => inMoney(one.claim), "num"),
    ],
    none: t("No returns to suppliers yet. Return and claim damaged or wrong items here"),
  }),
};

const supplierReturn = {
  back: () => ["supplier-returns", t("Returns to suppliers")],
  needs: ["suppliers", "people"],
  load: (app, { id }) => withTrail(app, id, app.get("/api/supplier-returns/:id", { id })),
  view: (one) => ({
    name: nameOf("suppliers", one.supplier_id),
    parts: [
      figures([
        [t("Claimed"), money(one.claim), t("credit expected from the supplier")],
        [t("Stock value"), money(one.stock_cost), t("value when they left stock")],
        [t("Pieces"), number(pieces(one)), t("lines: {n}", { n: number(one.lines.length) })],
        [t("Day"), days(one.business_date)],
      ]),
      table(
        t("Lines"),
        [
          col(t("Product"), product),
          col(t("Pieces"), (row) => figure(row.qty), "num"),
          col(t("Claimed"), (row) => inMoney(row.claim), "num"),
          col(t("Stock value"), (row) => inMoney(row.stock_cost), "num d"),
          col(t("Stock after"), (row) => figure(row.balance_after), "num d2"),
        ],
        one.lines,
      ),
      section(
        t("Details"),
        facts([
          [t("Taken from"), one.bucket === "damaged" ? t("damaged stock") : t("stock on hand")],
          [t("Reference"), one.reference && html`<bdi>${one.reference}</bdi>`],
          [t("Created by"), html`${person(one.created_by)} ${moment(one.created_at)}`],
          [t("Note"), one.note && html`<bdi>${one.note}</bdi>`],
        ]),
      ),
      trailOf(one),
    ],
  }),
};

export const pages = { "supplier-returns": returned, "supplier-return": supplierReturn };
