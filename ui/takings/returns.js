// Returns to the store, by receipt, member and day; one return with its lines and refunds.
import { html } from "../vendor/lit.js";
import { badge, col, days, figure, inMoney, link, moment, person } from "../records/cells.js";
import { rows } from "../records/names.js";
import { facts, figures, section, table } from "../records/record.js";
import { ofDays, ofState } from "../records/records.js";
import { decimal, money, number, shortReceipt } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { printText } from "../kit/print.js";
import { ofProduct, product } from "../goods/transfers.js";
import { trailOf, withTrail } from "../goods/trail.js";
import { memberIn, memberOf, ofMember, ofTill, receipt } from "./sales.js";

const sold = (one) => {
  const no = one.origin_receipt_no ? shortReceipt(one.origin_receipt_no) : t("View");
  if (one.transaction_id) return link(["sales", one.transaction_id], no);
  return one.origin_receipt_no ? t("{no} of another store", { no }) : t("without a receipt");
};

const returns = {
  path: "/api/pos/returns",
  needs: ["people"],
  scans: "receipt_no",
  list: (page) => ({
    title: t("Returns"),
    filters: [
      { name: "receipt_no", label: t("Return or sale receipt"), kind: "search" },
      ...ofDays(),
      ofMember(),
      ofState(["posted", "voided"]),
      ofTill(page.app),
      {
        name: "cashier_id",
        label: t("Cashier"),
        kind: "choice",
        choices: rows("people").map((one) => [one.user_id, one.name]),
      },
      ofProduct(),
    ],
    open: (one) => address(["returns", one.return_id]),
    columns: [
      col(t("Receipt"), receipt),
      col(t("When"), (one) => moment(one.created_at)),
      col(t("Sale"), sold, "d"),
      col(t("Till"), (one) => html`<bdi>${page.app.till(one.register_id)}</bdi>`, "d2"),
      col(t("Cashier"), (one) => person(one.cashier_id), "d"),
      col(t("Pieces"), (one) => figure(one.items.reduce((all, { qty }) => all + qty, 0)), "num d2"),
      col(t("Method"), (one) => [...new Set(one.refunds.map(({ method }) => t(method)))].join(", "), "d"),
      col(t("Refund"), (one) => inMoney(one.refund_total), "num"),
      col(t("Status"), (one) => badge(one.state)),
    ],
    none: t("No returns in this period"),
  }),
  loaded: memberIn,
  // A receipt's or a member's returns are found on any day; else the list begins with today.
  defaults: (app, { receipt_no: no, member_id: member }) => (no || member ? {} : { from: app.settings.business_date }),
};

const returned = {
  back: () => ["returns", t("Returns")],
  needs: ["people"],
  load: async (app, { id }) => {
    const one = await withTrail(app, id, app.get("/api/pos/returns/:id", { id }));
    const [sale] = await Promise.all([
      one.transaction_id && app.get("/api/pos/transactions/:id", { id: one.transaction_id }),
      memberIn(app, [one]),
    ]);
    return { ...one, origin_receipt_no: sale?.receipt_no ?? one.origin_receipt_no };
  },
  view: (one, page) => ({
    name: t("Return {no}", { no: shortReceipt(one.receipt_no) }),
    badges: badge(one.state),
    actions: [
      {
        label: t("Print a copy"),
        image: "printer",
        act: () => page.once(async () => printText(page.app, await page.app.receiptPaper(one.receipt_no))),
      },
    ],
    parts: [
      figures([
        [t("Refund"), money(one.refund_total), moment(one.created_at)],
        [t("Tax"), decimal(one.tax)],
        [t("Points reversed"), number(one.points_reversed)],
        [t("Points restored"), number(one.points_back)],
      ]),
      table(
        t("Lines"),
        [
          col(t("Product"), product),
          col(t("Qty"), (row) => figure(row.qty), "num"),
          col(t("Price"), (row) => inMoney(row.price), "num d"),
          col(t("Reason"), (row) => (row.reason ? t(row.reason) : "")),
          col(t("Condition"), (row) => t(row.disposition)),
          col(t("Refund"), (row) => inMoney(row.refund), "num"),
        ],
        one.items,
      ),
      table(
        t("Refunded"),
        [
          col(t("Method"), (row) => t(row.method)),
          col(t("Reference"), (row) => (row.method === "exchange" ? "" : (row.reference ?? ""))),
          col(t("Amount"), (row) => inMoney(row.amount), "num"),
        ],
        one.refunds,
        t("No refunds"),
      ),
      section(
        t("Details"),
        facts([
          [t("Receipt number"), one.receipt_no],
          [t("Sale"), sold(one)],
          [t("Business date"), link(["days", one.business_date], days(one.business_date))],
          [t("Shift"), link(["shifts", one.shift_id], page.app.till(one.register_id))],
          [t("Cashier"), person(one.cashier_id)],
          [t("Approved by"), one.approved_by ? person(one.approved_by) : null],
          [t("Member"), one.member_id ? link(["members", one.member_id], memberOf(one.member_id)) : null],
          [t("Voided"), one.voided_at ? moment(one.voided_at) : null],
          [t("Reason for voiding"), one.void_reason],
          [t("Note"), one.note],
        ]),
      ),
      trailOf(one),
    ],
  }),
};

export const pages = { returns, return: returned };
