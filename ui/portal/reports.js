// The reports: who may see each, its figures, and the lists behind them.
import { decimal, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";

const F = ["admin", "ho_finance"];
const ALL = ["admin", "ho_finance", "ho_purchasing"];
/**
 * Roles, groupings, whether the report is of the end of one day; figures in reading order, and which of them are
 * counts: each `_count` and `_qty` is one, the others are amounts.
 */
export const REPORTS = {
  sales: {
    url: "/api/reports/sales",
    roles: F,
    by: ["day", "hour", "store", "register", "cashier", "sku", "category", "method", "tax", "promotion"],
    counts: ["uses"],
    figures: [
      "sales_count",
      "items_count",
      "gross_sales",
      "discounts",
      "net_sales",
      "tax",
      "rounding",
      "total",
      "returns_count",
      "returns_total",
      "returns_rounding",
      "net_total",
    ],
    main: ["net_total", "sales_count", "returns_total", "discounts", "tax"],
  },
  margin: {
    url: "/api/reports/margin",
    roles: F,
    by: ["day", "store", "sku", "category", "supplier"],
    figures: ["items_count", "net_sales", "cost", "correction", "margin", "margin_bp"],
  },
  payments: {
    url: "/api/reports/payments",
    roles: F,
    by: ["day", "store", "method", "cashier"],
    figures: ["payments_count", "sales", "refunds", "net", "settled", "fees", "open"],
  },
  cash: {
    url: "/api/reports/cash",
    roles: F,
    by: ["day", "store", "register", "cashier", "shift"],
    counts: ["shifts", "recounts"],
    figures: [
      "shifts",
      "opening_float",
      "sales",
      "refunds",
      "pay_in",
      "pay_out",
      "drops",
      "expected",
      "counted",
      "variance",
      "recounts",
      "deposited",
      "banked",
    ],
  },
  stock: {
    url: "/api/reports/stock",
    roles: ALL,
    by: ["store", "sku", "category"],
    asOf: true,
    counts: ["on_hand", "damaged", "in_transit"],
    figures: ["on_hand", "average_cost", "value", "damaged", "damaged_value", "in_transit", "in_transit_value"],
    main: ["on_hand", "value", "in_transit", "in_transit_value", "damaged_value"],
  },
  "sell-through": {
    url: "/api/reports/sell-through",
    roles: ALL,
    by: ["sku", "category", "store", "supplier"],
    counts: ["days_of_stock"],
    figures: [
      "opening_qty",
      "received_qty",
      "sold_qty",
      "returned_qty",
      "other_qty",
      "closing_qty",
      "sell_through_bp",
      "days_of_stock",
    ],
  },
  purchases: {
    url: "/api/reports/purchases",
    roles: ALL,
    by: ["supplier", "store", "sku", "month"],
    counts: ["ordered", "received", "rejected", "returned", "invoiced", "receipts"],
    figures: [
      "ordered",
      "received",
      "rejected",
      "returned",
      "invoiced",
      "variance",
      "receipts",
      "on_time_bp",
      "open_qty",
    ],
    main: ["ordered", "received", "invoiced", "variance", "open_qty"],
  },
  settlements: {
    url: "/api/reports/settlements",
    roles: F,
    by: ["day", "store", "method"],
    counts: ["exceptions", "approved"],
    figures: ["expected", "matched", "fee", "net", "open", "carried", "exceptions", "approved"],
    main: ["expected", "matched", "fee", "open", "exceptions"],
  },
  shrinkage: {
    url: "/api/reports/shrinkage",
    roles: F,
    by: ["day", "store", "sku", "category", "reason"],
    counts: ["pieces"],
    figures: ["pieces", "total", "net_sales", "sales_bp"],
  },
  members: {
    url: "/api/reports/members",
    roles: F,
    by: ["day", "store", "tier"],
    counts: ["members_new", "points_earned", "points_redeemed", "points_reversed", "points_expired"],
    figures: [
      "members_new",
      "sales_count",
      "total",
      "member_sales_count",
      "member_total",
      "points_earned",
      "points_redeemed",
      "points_reversed",
      "points_expired",
    ],
  },
  "points-liability": {
    url: "/api/reports/points-liability",
    roles: F,
    by: ["month"],
    asOf: true,
    counts: ["earned", "redeemed", "reversed", "expired", "adjusted", "points"],
    figures: ["earned", "redeemed", "reversed", "expired", "adjusted", "points", "value"],
  },
  profit: {
    url: "/api/reports/profit",
    roles: F,
    statement: ["month", "store"],
    by: ["month", "store", "account"],
    figures: [
      "gross_sales",
      "discounts",
      "returns",
      "points",
      "net_sales",
      "cost_of_goods",
      "cost_corrections",
      "purchase_variance",
      "shrinkage",
      "gross_profit",
      "other_income",
      "expenses",
      "result",
    ],
  },
  exceptions: {
    url: "/api/reports/exceptions",
    roles: F,
    by: ["code", "store", "day"],
    counts: ["open", "settled"],
    figures: ["open", "settled", "amount"],
  },
};
export const title = (name) =>
  ({
    sales: t("Sales"),
    margin: t("Margin"),
    payments: t("Payments"),
    cash: t("Cash of shifts"),
    stock: t("Stock"),
    "sell-through": t("Sell-through"),
    purchases: t("Purchases"),
    settlements: t("Settlement"),
    shrinkage: t("Shrinkage"),
    members: t("Members"),
    "points-liability": t("Points liability"),
    profit: t("Profit and loss"),
    exceptions: t("Exceptions"),
  })[name];
export const group = (name) =>
  ({
    day: t("Day"),
    hour: t("Hour"),
    store: t("Store"),
    register: t("Till"),
    cashier: t("Cashier"),
    sku: t("Product"),
    category: t("Category"),
    method: t("Payment method"),
    tax: t("Tax rate"),
    promotion: t("Promotion"),
    tier: t("Tier"),
    month: t("Month"),
    account: t("Account"),
    shift: t("Shift"),
    supplier: t("Supplier"),
    reason: t("Reason"),
    code: t("Type"),
  })[name];
export const head = (name) => t(`figure.${name}`);
/** Returns the name of a figure that stands alone, without a column to compare it with. */
export const alone = (name) => (name === "net_total" ? t("Net sales") : head(name));
/** Returns the formatter of a figure: money or a number. */
export const inUnit = (report, name) =>
  /_(count|qty)$/.test(name) || REPORTS[report].counts?.includes(name) ? number : decimal;
/** The figure of each report that its chart shows. */
export const DRAWN = {
  sales: "net_total",
  margin: "margin",
  payments: "net",
  cash: "counted",
  stock: "value",
  "sell-through": "sold_qty",
  purchases: "received",
  settlements: "expected",
  shrinkage: "total",
  members: "member_total",
  "points-liability": "value",
  profit: "result",
  exceptions: "open",
};
/** Highest number of rows that are compared by bars. */
export const BARS = 12;
/** Reports in which a day of a store links to its shifts. */
export const OF_SHIFTS = ["sales", "payments", "cash"];
/** Groupings with a natural order. */
export const IN_TIME = ["day", "hour", "month"];

const within = (row, { from, to, store_id: store }) => ({
  store_id: row.store_id ?? store,
  from: row.business_date ?? from,
  to: row.business_date ?? to,
});
/** The list behind a figure of a row. */
export const DOWN = {
  sales_count: (row, asked) =>
    address(["sales"], { ...within(row, asked), sku: row.sku, method: row.method, cashier_id: row.cashier_id }),
  returns_count: (row, asked) => address(["returns"], within(row, asked)),
  shifts: (row, asked) => address(["shifts"], within(row, asked)),
  deposited: (row, asked) => address(["deposits"], within(row, asked)),
  receipts: (row, asked) => address(["receipts"], { ...within(row, asked), supplier_id: row.supplier_id }),
  open_qty: (row, asked) =>
    row.supplier_id ? address(["orders"], { store_id: asked.store_id, supplier_id: row.supplier_id }) : null,
  exceptions: (row, asked) => address(["settlements"], { ...within(row, asked), state: "discrepant" }),
  approved: (row, asked) => address(["settlements"], { ...within(row, asked), state: "approved" }),
  expected: (row, asked) =>
    asked.group_by === "method" && row.method
      ? address(["items"], { ...within(row, asked), method: row.method })
      : null,
};
