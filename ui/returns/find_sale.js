// A sale without its receipt is found by day, member, product or method of payment.
import { html, nothing } from "../vendor/lit.js";
import { date, isoDay, money, shortReceipt, time } from "../kit/format.js";
import { fields } from "../kit/form.js";
import { t } from "../kit/i18n.js";
import "./texts.js";

const SHOWN = 8;
const LOOKED_AT = 200;

const oneOf = (items, none, several) => {
  if (items.length === 1) return items[0];
  throw Object.assign(new Error(), { words: items.length ? several : none });
};

const memberOf = async (app, text) => {
  const by = /^[+\d][\d\s-]{4,}$/.test(text) ? { phone: text } : { q: text };
  const { items } = await app.get("/api/members/search", {}, by);
  return oneOf(items, t("No member found"), t("Several members match. Enter the phone number")).member_id;
};

const productOf = async (app, text) => {
  const product = await app.basket.find(text);
  if (product) return product.sku;
  const { items } = await app.get("/api/pos/products", {}, { q: text, limit: 2 });
  return oneOf(items, t("No product matches “{text}”", { text }), t("Several products match. Scan one")).sku;
};

const questions = (app) => [
  { name: "day", label: t("Day"), kind: "date", value: isoDay(), focus: true },
  { name: "member", label: t("Member: phone or name") },
  { name: "product", label: t("Product: code or name") },
  {
    name: "method",
    label: t("Payment method"),
    kind: "choice",
    choices: [["", t("any")], ...app.settings.payments.methods.map((one) => [one, t(one)])],
  },
];

const search = async (app, { day, member, product, method }) => {
  const query = {
    state: "paid",
    limit: LOOKED_AT,
    ...(day ? { from: day, to: day } : {}),
    ...(member.trim() ? { member_id: await memberOf(app, member.trim()) } : {}),
    ...(product.trim() ? { sku: await productOf(app, product.trim()) } : {}),
  };
  const { items } = await app.get("/api/pos/transactions", {}, query);
  const paidBy = ({ payments }) => payments.some((one) => one.state === "accepted" && one.method === method);
  return items.filter((sale) => !method || paidBy(sale));
};

const row = (sale, index) =>
  html`<button class="btn big" name="sale" value=${index}>
    <span>${shortReceipt(sale.receipt_no)}</span><span class="muted">${date(sale.paid_at)} ${time(sale.paid_at)}</span
    ><b class="end">${money(sale.total)}</b>
  </button>`;

/** Returns the receipt number of the selected sale, or null. */
export const findSale = async (app) => {
  let found = [];
  // Cashiers may list only their own shift.
  const own =
    app.user.role === "cashier" ? t("You can search the sales of your own shift. A manager can search all") : "";
  const chosen = await app.dialog.ask({
    title: t("Find a sale"),
    text: own,
    yes: t("Search"),
    body: () =>
      html`${fields(questions(app))}${
        found.length
          ? html`<div class="stack s menu" id="found-sales">${found.slice(0, SHOWN).map(row)}</div>`
          : nothing
      }`,
    act: async (answer) => {
      if (answer.sale) return found[Number(answer.sale)];
      try {
        found = await search(app, answer);
      } catch (error) {
        error.words ??= error.code === "no_open_shift" ? t("error.no_open_shift") : error.message;
        throw error;
      }
      throw Object.assign(new Error(), { words: found.length ? null : t("No sale found") });
    },
  });
  return chosen?.receipt_no ?? null;
};

/** Returns which of several receipts with the same last digits is meant, or null. */
export const whichReceipt = async (app, receipts) => {
  const sales = receipts.map(({ transaction }) => transaction);
  const chosen = await app.dialog.ask({
    title: t("Which receipt?"),
    yes: null,
    body: html`<div class="stack s menu" id="same-number">${sales.map(row)}</div>`,
    act: ({ sale }) => sales[Number(sale)],
  });
  return chosen?.receipt_no ?? null;
};
