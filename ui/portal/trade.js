// Sales, returns and shifts of all stores, down to the document as its store reported it.
import { html, nothing } from "../vendor/lit.js";
import { decimal, number, rate, shortReceipt } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { ofMember } from "../catalogue/members.js";
import { badge, col, days, differsBy, figure, ifSome, inMoney, link, moment, person, store } from "../records/cells.js";
import { inBooks } from "./in_books.js";
import { facts, figures, section, table } from "../records/record.js";
import { ofDays, ofState, ofSku, ofStore } from "../records/records.js";

const METHODS = ["cash", "card", "qris", "bank_transfer", "voucher", "points"];
const of = (place, id) => (one) => address([place, one[id]], { store_id: one.store_id });
const receipt = (no) => (no ? html`<span title=${no}>${shortReceipt(no)}</span>` : nothing);
const shiftOf = (one) => link(["shifts", one.shift_id], one.register_id ?? one.shift_id, { store_id: one.store_id });

const sales = {
  path: "/api/transactions",
  needs: ["people"],
  list: (page) => ({
    title: t("Sales"),
    filters: [
      { name: "receipt_no", label: t("Receipt number") },
      ofStore(),
      ...ofDays(),
      ofState(["paid", "voided"]),
      {
        name: "method",
        label: t("Payment method"),
        kind: "choice",
        choices: METHODS.map((method) => [method, t(method)]),
      },
      ofSku(),
      ofMember(),
      ...(page.app.params.query?.shift_id ? [{ name: "shift_id", label: t("Shift") }] : []),
    ],
    open: of("sales", "transaction_id"),
    columns: [
      col(t("Receipt"), (one) => receipt(one.receipt_no)),
      col(t("When"), (one) => moment(one.paid_at, one.store_id)),
      col(t("Store"), (one) => store(one.store_id)),
      col(t("Till"), (one) => one.register_id, "d2"),
      col(t("Cashier"), (one) => person(one.cashier_id), "d"),
      col(t("Pieces"), (one) => figure(one.items_count), "num d2"),
      col(t("Discount"), (one) => inMoney(one.discount), "num d3"),
      col(t("Tax"), (one) => inMoney(one.tax), "num d3"),
      col(t("Total"), (one) => inMoney(one.total), "num"),
      col(t("Status"), (one) => badge(one.state)),
    ],
    none: t("No sales yet"),
  }),
};

const sale = {
  back: () => ["sales", t("Sales")],
  load: (app, { id, query }) => app.get("/api/transactions/:id", { id }, { store_id: query.store_id }),
  view: (one) => ({
    name: one.receipt_no ?? one.transaction_id,
    badges: badge(one.state),
    parts: [
      figures([
        [t("Total"), decimal(one.total), moment(one.paid_at, one.store_id)],
        [t("Discount"), decimal(one.discount)],
        [t("Tax"), decimal(one.tax), one.prices_include_tax ? t("included") : t("added")],
        [t("Paid"), decimal(one.amount_paid), t("change {amount}", { amount: decimal(one.change) })],
        [t("Refunded"), decimal(one.refunded)],
      ]),
      table(
        t("Lines"),
        [
          col("#", (line) => line.line_no, "no"),
          col(
            t("Product"),
            (line) =>
              html`<a href=${address(["products", line.sku])}><bdi>${line.name}</bdi></a>
                <span class="muted">${line.sku}</span>${line.discounts.map(
                  (given) =>
                    html`<br /><span class="muted"
                        >${t(given.source)} ${given.reason ? t(given.reason) : (given.promotion_id ?? "")}
                        −${decimal(given.amount)}</span
                      >`,
                )}`,
          ),
          col(t("Qty"), (line) => figure(line.qty), "num"),
          col(
            t("Each"),
            (line) =>
              html`${inMoney(line.price)}${
                line.price_override ? html` <span class="badge warn">${t("price override")}</span>` : nothing
              }`,
            "num",
          ),
          col(t("Discount"), (line) => inMoney(line.discount), "num d"),
          col(
            t("Tax"),
            (line) => html`${decimal(line.tax)} <span class="muted">${rate(line.tax_rate_bp)}</span>`,
            "num d2",
          ),
          col(t("Returned"), (line) => figure(line.returned_qty), "num d"),
          col(t("Amount"), (line) => inMoney(line.total), "num"),
        ],
        one.items,
      ),
      table(
        t("Payments"),
        [
          col(t("Method"), (paid) => t(paid.method)),
          col(t("Reference"), (paid) => paid.reference ?? nothing),
          col(t("When"), (paid) => moment(paid.paid_at, one.store_id)),
          col(t("Received"), (paid) => inMoney(paid.tendered), "num d"),
          col(t("Change"), (paid) => inMoney(paid.change), "num d"),
          col(t("Amount"), (paid) => inMoney(paid.amount), "num"),
          col(t("Status"), (paid) => badge(paid.state)),
        ],
        one.payments,
      ),
      section(
        t("Details"),
        facts([
          [t("Store"), store(one.store_id)],
          [t("Shift"), shiftOf(one)],
          [t("Cashier"), person(one.cashier_id)],
          [t("Business date"), days(one.business_date)],
          [t("Member"), one.member_id ? link(["members", one.member_id], t("View")) : null],
          [t("Points earned"), one.points_earned ? number(one.points_earned) : null],
          [t("Points redeemed"), one.points_redeemed ? number(one.points_redeemed) : null],
          [t("Note"), one.note],
          [t("Reason for voiding"), one.void_reason],
          [t("Voided"), one.voided_at ? moment(one.voided_at, one.store_id) : null],
          [t("Returns"), one.refunded ? link(["returns"], t("View"), { transaction_id: one.transaction_id }) : null],
        ]),
      ),
      inBooks(one.entries),
    ],
  }),
};

const returns = {
  path: "/api/returns",
  needs: ["people"],
  list: () => ({
    title: t("Returns"),
    filters: [
      { name: "receipt_no", label: t("Receipt number") },
      ofStore(),
      ...ofDays(),
      {
        name: "disposition",
        label: t("Condition"),
        kind: "choice",
        choices: ["restock", "damaged", "vendor", "none"].map((name) => [name, t(name)]),
      },
      { name: "transaction_id", label: t("Sale") },
    ],
    open: of("returns", "return_id"),
    columns: [
      col(t("Receipt"), (one) => receipt(one.receipt_no)),
      col(t("When"), (one) => moment(one.created_at, one.store_id)),
      col(t("Store"), (one) => store(one.store_id)),
      col(t("Original receipt"), (one) => receipt(one.origin_receipt_no), "d"),
      col(t("Cashier"), (one) => person(one.cashier_id), "d"),
      col(t("Tax"), (one) => inMoney(one.tax), "num d2"),
      col(t("Refund"), (one) => inMoney(one.refund_total), "num"),
      col(t("Status"), (one) => badge(one.state)),
    ],
    none: t("No returns yet"),
  }),
};

const returned = {
  back: () => ["returns", t("Returns")],
  load: (app, { id, query }) => app.get("/api/returns/:id", { id }, { store_id: query.store_id }),
  view: (one) => ({
    name: one.receipt_no,
    badges: badge(one.state),
    parts: [
      figures([
        [t("Refund"), decimal(one.refund_total), moment(one.created_at, one.store_id)],
        [t("Tax"), decimal(one.tax)],
        [t("Points reversed"), number(one.points_reversed)],
        [t("Points restored"), number(one.points_back)],
      ]),
      table(
        t("Lines"),
        [
          col(t("Product"), (line) => html`<bdi>${line.name}</bdi> <span class="muted">${line.sku}</span>`),
          col(t("Qty"), (line) => figure(line.qty), "num"),
          col(t("Each"), (line) => inMoney(line.price), "num d"),
          col(t("Reason"), (line) => (line.reason ? t(line.reason) : nothing)),
          col(t("Condition"), (line) => t(line.disposition)),
          col(t("Refund"), (line) => inMoney(line.refund), "num"),
        ],
        one.items,
      ),
      table(
        t("Refunds"),
        [
          col(t("Method"), (paid) => t(paid.method)),
          col(t("Reference"), (paid) => paid.reference ?? nothing),
          col(t("Amount"), (paid) => inMoney(paid.amount), "num"),
        ],
        one.refunds,
      ),
      section(
        t("Details"),
        facts([
          [t("Store"), store(one.store_id)],
          [t("Shift"), shiftOf(one)],
          [t("Cashier"), person(one.cashier_id)],
          [t("Approved by"), one.approved_by ? person(one.approved_by) : null],
          [t("Business date"), days(one.business_date)],
          [
            t("Original receipt"),
            one.transaction_id
              ? link(["sales", one.transaction_id], one.origin_receipt_no ?? t("View"))
              : t("without receipt"),
          ],
          [t("Note"), one.note],
          [t("Reason for voiding"), one.void_reason],
        ]),
      ),
      inBooks(one.entries),
    ],
  }),
};

const shifts = {
  path: "/api/shifts",
  needs: ["people"],
  list: () => ({
    title: t("Shifts"),
    filters: [
      ofState(["open", "ended", "closed", "interrupted"]),
      ofStore(),
      ...ofDays(),
      { name: "variance_above", label: t("Difference above") },
    ],
    open: of("shifts", "shift_id"),
    columns: [
      col(
        t("Till"),
        (one) => html`${one.register_id}${one.z_no ? html` <span class="muted">Z ${one.z_no}</span>` : nothing}`,
      ),
      col(t("Day"), (one) => days(one.business_date)),
      col(t("Store"), (one) => store(one.store_id)),
      col(t("Opened"), (one) => moment(one.opened_at, one.store_id), "d"),
      col(t("Closed"), (one) => moment(one.closed_at, one.store_id), "d2"),
      col(t("Cashier"), (one) => person(one.opened_by), "d"),
      col(t("Expected"), (one) => inMoney(one.expected_cash), "num d"),
      col(t("Counted"), (one) => inMoney(one.counted_cash), "num"),
      col(t("Difference"), (one) => differsBy(one.variance), "num"),
      col(t("Status"), (one) => badge(one.state)),
    ],
    none: t("No shifts yet"),
  }),
};

const shift = {
  back: () => ["shifts", t("Shifts")],
  load: (app, { id, query }) => app.get("/api/shifts/:id", { id }, { store_id: query.store_id }),
  view: (one) => ({
    name: `${one.register_id}${one.z_no ? `, Z ${one.z_no}` : ""}`,
    badges: badge(one.state),
    parts: [
      figures([
        [t("Total"), decimal(one.total), t("{n} sales", { n: number(one.sales_count) })],
        [t("Returns"), decimal(one.returns_total), t("{n} receipts", { n: number(one.returns_count) })],
        [
          t("Expected"),
          one.expected_cash === null ? decimal(one.cash.expected) : decimal(one.expected_cash),
          t("in the drawer"),
        ],
        [t("Counted"), one.counted_cash === null ? "\u2013" : decimal(one.counted_cash)],
        [t("Difference"), one.variance === null ? "\u2013" : differsBy(one.variance)],
      ]),
      table(
        t("By method"),
        [
          col(t("Method"), (row) => t(row.method)),
          col(t("Sales"), (row) => inMoney(row.sales), "num"),
          col(t("Refunds"), (row) => inMoney(row.refunds), "num"),
          col(t("Net"), (row) => inMoney(row.net), "num"),
          col(t("Counted"), (row) => inMoney(row.counted), "num"),
          col(t("Difference"), (row) => differsBy(row.variance), "num"),
        ],
        one.by_method,
        t("No payments"),
      ),
      section(
        t("Cash"),
        facts([
          [t("Opening float"), decimal(one.cash.opening_float)],
          [t("Sales"), decimal(one.cash.sales)],
          [t("Refunds"), decimal(one.cash.refunds)],
          [t("pay_in"), decimal(one.cash.pay_in)],
          [t("pay_out"), decimal(one.cash.pay_out)],
          [t("drop"), decimal(one.cash.drops)],
          [t("Expected"), decimal(one.cash.expected)],
        ]),
      ),
      table(
        t("Tax"),
        [
          col(t("Rate"), (row) => rate(row.tax_rate_bp)),
          col(t("Base"), (row) => inMoney(row.base), "num"),
          col(t("Tax"), (row) => inMoney(row.tax), "num"),
          col(t("Returned base"), (row) => inMoney(row.returns_base), "num"),
          col(t("Returned tax"), (row) => inMoney(row.returns_tax), "num"),
        ],
        one.by_tax,
      ),
      ifSome(one.recounts, (rows) =>
        table(
          t("Recounts"),
          [
            col(t("When"), (row) => moment(row.at, one.store_id)),
            col(t("Person"), (row) => person(row.user_id)),
            col(t("Before"), (row) => inMoney(row.before), "num"),
            col(t("Counted"), (row) => inMoney(row.counted_cash), "num"),
            col(t("Difference"), (row) => differsBy(row.variance), "num"),
            col(t("Reason"), (row) => row.reason),
          ],
          rows,
        ),
      ),
      section(
        t("Details"),
        facts([
          [t("Store"), store(one.store_id)],
          [t("Business date"), days(one.business_date)],
          [t("Opened"), moment(one.opened_at, one.store_id)],
          [t("Opened by"), person(one.opened_by)],
          [t("Closed"), one.closed_at ? moment(one.closed_at, one.store_id) : null],
          [t("Closed by"), one.closed_by ? person(one.closed_by) : null],
          [t("Approved by"), one.approved_by ? person(one.approved_by) : null],
          [
            t("Receipts"),
            one.first_receipt ? html`${receipt(one.first_receipt)} – ${receipt(one.last_receipt)}` : null,
          ],
          [t("Voided"), one.voids_count ? `${number(one.voids_count)}, ${decimal(one.voids_total)}` : null],
          [t("Price overrides"), one.price_overrides ? number(one.price_overrides) : null],
          [t("Note"), one.note],
          [t("Sales"), link(["sales"], t("View"), { shift_id: one.shift_id, store_id: one.store_id })],
        ]),
      ),
      inBooks(one.entries),
    ],
  }),
};

export const pages = { sales, sale, returns, return: returned, shifts, shift };
