// Sales of the store, by day, number, till, person and product; one sale with its lines, payments and returns.
import { html, nothing } from "../vendor/lit.js";
import { badge, col, days, figure, inMoney, link, moment, person } from "../records/cells.js";
import { rows } from "../records/names.js";
import { facts, figures, section, table } from "../records/record.js";
import { ofDays, ofState } from "../records/records.js";
import { decimal, money, number, rate, shortReceipt } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { printText } from "../kit/print.js";
import { path } from "../kit/api.js";
import { givenBack } from "../returns/refunds.js";
import { trailOf, withTrail } from "../goods/trail.js";
import { ofProduct, product } from "../goods/transfers.js";
import { low } from "../kit/messages.js";
import "../goods/texts.js";

export const receipt = (one) =>
  one.receipt_no
    ? html`<span title=${one.receipt_no}>${shortReceipt(one.receipt_no)}</span>`
    : html`<span class="muted">${t("no receipt")}</span>`;

const NEAR = 5;
/** Digits of a receipt number, without store and till. */
const SHORT = /^\d{1,8}$/;
/** Names of members by ID, for the filter and the shown documents. */
const members = new Map();
export const memberOf = (id) => members.get(id) ?? id;
export const memberIn = (app, documents) => {
  const ids = new Set([app.params.query?.member_id, ...(documents.length === 1 ? [documents[0].member_id] : [])]);
  return Promise.all(
    [...ids]
      .filter((id) => id && !members.has(id))
      .map(async (id) => members.set(id, (await app.get("/api/members/:id", { id }).catch(() => null))?.name ?? id)),
  );
};

/** Finds one member by card, phone or name, and shows a message for none or several. */
const findMember = async (app, text) => {
  const by = (query) => app.get("/api/members/search", {}, { ...query, limit: NEAR }).then(({ items }) => items);
  let found = await by({ code: text });
  if (!found.length) found = await by({ q: text });
  if (found.length === 1) {
    members.set(found[0].member_id, found[0].name);
    return found[0].member_id;
  }
  low();
  app.say(
    "warn",
    found.length
      ? t("{n} members match {text}. Enter a phone or card number", { n: number(found.length), text })
      : t("No member matches {text}", { text }),
  );
  return null;
};

export const ofMember = () => ({
  name: "member_id",
  label: t("Member"),
  kind: "found",
  find: findMember,
  shown: memberOf,
});
export const ofTill = (app) => ({
  name: "register_id",
  label: t("Till"),
  kind: "choice",
  choices: app.settings.registers.map((one) => [one.register_id, one.name ?? one.register_id]),
});

/** Finds sales by the last digits of their receipt number, of all tills or the selected one. */
const byShort = async (app, { receipt_no: no, register_id: till }) => {
  if (!SHORT.test(no ?? "")) return null;
  const { store_id: store, registers } = app.settings;
  const asked = registers.map((one) => one.register_id).filter((id) => !till || id === till);
  const found = await Promise.all(
    asked.map((id) =>
      app.get("/api/pos/receipts/:no", { no: `${store}-${id}-${no.padStart(8, "0")}` }).catch((error) => {
        if (error.code !== "not_found") throw error;
        return null;
      }),
    ),
  );
  return found.flatMap((one) => (one?.kind === "sale" ? [one.transaction] : []));
};

const sales = {
  path: "/api/pos/transactions",
  needs: ["people"],
  scans: "receipt_no",
  finds: byShort,
  list: (page) => ({
    title: t("Sales"),
    filters: [
      { name: "receipt_no", label: t("Receipt number"), kind: "search" },
      ...ofDays(),
      ofState(["paid", "voided", "open", "held", "partially_paid"]),
      ofTill(page.app),
      {
        name: "cashier_id",
        label: t("Cashier"),
        kind: "choice",
        choices: rows("people").map((one) => [one.user_id, one.name]),
      },
      ofMember(),
      ofProduct(),
    ],
    open: (one) => address(["sales", one.transaction_id]),
    columns: [
      col(t("Receipt"), receipt),
      col(t("When"), (one) => moment(one.paid_at ?? one.created_at)),
      col(t("Till"), (one) => html`<bdi>${page.app.till(one.register_id)}</bdi>`, "d"),
      col(t("Cashier"), (one) => person(one.cashier_id), "d2"),
      col(t("Pieces"), (one) => figure(one.items.reduce((all, { qty }) => all + qty, 0)), "num d2"),
      col(t("Discount"), (one) => inMoney(one.discount || null), "num d3"),
      col(t("Paid by"), (one) => [...new Set(one.payments.map(({ method }) => t(method)))].join(", "), "d"),
      col(t("Total"), (one) => inMoney(one.total), "num"),
      col(t("Status"), (one) => badge(one.state)),
    ],
    none: t("No sales in this period"),
  }),
  loaded: memberIn,
  // A receipt and a member's purchases are found whenever they were; else the list begins with today.
  defaults: (app, { receipt_no: no, member_id: member }) => (no || member ? {} : { from: app.settings.business_date }),
};

/** A paid sale can be voided while its shift is open and nothing was returned; later it can only be returned. */
const giveUp = (one, page) => {
  const paid = one.state === "paid";
  const why = one.refunded
    ? t("partly returned already. Return the rest at the till")
    : paid && one.shift?.state !== "open"
      ? t("its shift is closed. Make a return at the till")
      : undefined;
  const text = one.amount_paid
    ? t("Refund each payment by its method and put the items back on the shelf")
    : t("No payment was taken. The sale is voided");
  return {
    label: t("Void sale"),
    image: "trash-2",
    why,
    act: page.step({
      label: t("Void sale"),
      url: path("/api/pos/transactions/:id/void", { id: one.transaction_id }),
      amount: one.total,
      after: ({ refunds }) => page.app.say("ok", givenBack(refunds)),
      question: {
        title: t("Void the sale of {amount}?", { amount: money(one.total) }),
        danger: true,
        text,
        list: [
          {
            name: "reason",
            label: t("Reason"),
            kind: "choice",
            required: true,
            choices: one.reasons.map((code) => [code, t(code)]),
          },
        ],
      },
    }),
  };
};
const VOIDABLE = ["paid", "open", "held", "partially_paid"];

const sale = {
  back: () => ["sales", t("Sales")],
  needs: ["people"],
  load: async (app, { id }) => {
    const [one, returns, { voids: reasons }] = await Promise.all([
      withTrail(app, id, app.get("/api/pos/transactions/:id", { id })),
      app.get("/api/pos/returns", {}, { transaction_id: id, limit: 100 }),
      app.get("/api/pos/reasons"),
    ]);
    const [shift] = await Promise.all([
      one.shift_id && app.get("/api/shifts/:id", { id: one.shift_id }),
      memberIn(app, [one]),
    ]);
    return { ...one, returns: returns.items, reasons, shift };
  },
  view: (one, page) => {
    const { app } = page;
    const paper = one.receipt_no && {
      label: t("Print a copy"),
      image: "printer",
      act: () => page.once(async () => printText(app, await app.receiptPaper(one.receipt_no))),
    };
    return {
      name: one.receipt_no ? t("Sale {no}", { no: shortReceipt(one.receipt_no) }) : t("Sale without a receipt"),
      badges: badge(one.state),
      actions: [VOIDABLE.includes(one.state) && giveUp(one, page), paper],
      parts: [
        figures([
          [t("Total"), money(one.total), t("tax {amount}", { amount: decimal(one.tax) })],
          [t("Discount"), decimal(one.discount)],
          [
            t("Paid"),
            decimal(one.amount_paid),
            one.change ? t("change {amount}", { amount: decimal(one.change) }) : null,
          ],
          [t("Refunded"), decimal(one.refunded)],
        ]),
        table(
          t("Lines"),
          [
            col(t("Product"), product),
            col(t("Qty"), (row) => figure(row.qty), "num"),
            col(
              t("Price"),
              (row) =>
                html`${decimal(row.price)}${
                  row.price_override ? html` <span class="badge warn">${t("changed")}</span>` : nothing
                }`,
              "num",
            ),
            col(t("Discount"), (row) => inMoney(row.discount || null), "num d"),
            col(
              t("Tax"),
              (row) =>
                row.tax_rate_bp
                  ? html`${decimal(row.tax)} <span class="muted">${rate(row.tax_rate_bp)}</span>`
                  : nothing,
              "num d2",
            ),
            col(t("Returned"), (row) => figure(row.returned_qty || null), "num d"),
            col(t("Total"), (row) => inMoney(row.total), "num"),
          ],
          one.items,
        ),
        html`<div class="halves">
          ${table(
            t("Payments"),
            [
              col(t("Method"), (row) => t(row.method)),
              col(t("Reference"), (row) => (row.method === "exchange" ? nothing : (row.reference ?? nothing)), "d"),
              col(t("Amount"), (row) => inMoney(row.amount), "num"),
              col(t("Status"), (row) => badge(row.state)),
            ],
            one.payments,
            t("No payments"),
          )}
          ${table(
            t("Returns"),
            [
              col(t("Receipt"), (row) => link(["returns", row.return_id], receipt(row))),
              col(t("When"), (row) => moment(row.created_at), "d"),
              col(t("Refund"), (row) => inMoney(row.refund_total), "num"),
              col(t("Status"), (row) => badge(row.state)),
            ],
            one.returns,
            t("No returns"),
          )}
        </div>`,
        section(
          t("Details"),
          facts([
            [t("Receipt number"), one.receipt_no],
            [t("Business date"), html`<a href=${address(["days", one.business_date])}>${days(one.business_date)}</a>`],
            [t("Shift"), link(["shifts", one.shift_id], app.till(one.register_id))],
            [t("Cashier"), person(one.cashier_id)],
            [t("Paid"), one.paid_at ? moment(one.paid_at) : null],
            [t("Member"), one.member_id ? link(["members", one.member_id], memberOf(one.member_id)) : null],
            [t("Points earned"), one.points_earned ? number(one.points_earned) : null],
            [t("Points redeemed"), one.points_redeemed ? number(one.points_redeemed) : null],
            [t("Voided"), one.voided_at ? moment(one.voided_at) : null],
            [t("Reason for voiding"), one.void_reason],
            [t("Note"), one.note && html`<bdi>${one.note}</bdi>`],
          ]),
        ),
        trailOf(one),
      ],
    };
  },
};

export const pages = { sales, sale };
