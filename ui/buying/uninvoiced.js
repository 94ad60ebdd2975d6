// Goods received, or cash paid at a till, without an invoice.
import { html, nothing } from "../vendor/lit.js";
import { decimal } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { ask } from "../kit/form.js";
import "./texts.js";
import { badge, col, days, figure, inMoney, store, supplier } from "../records/cells.js";
import { needProducts, productName } from "../records/names.js";
import { ofSupplier } from "./payables.js";
import { ofStore } from "../records/records.js";

const close = async (page, one) => {
  const done = await ask(page.app, {
    title: t("Close as never invoiced?"),
    yes: t("Close"),
    danger: true,
    text: t(
      "{amount} is cleared from account 2020 against payments from the till; the rest is posted to purchase variance. A later invoice will have no goods to match",
      { amount: decimal(one.open_value) },
    ),
    list: [{ name: "reason", label: t("Reason"), kind: "area", required: true }],
    act: ({ reason }) =>
      page.app.command({
        url: "/api/finance/uninvoiced/close",
        body: {
          store_id: one.store_id,
          reason,
          ...(one.kind === "pay_out"
            ? { cash_ids: [one.receiving_id] }
            : { lines: [{ receiving_id: one.receiving_id, line_no: one.line_no }] }),
        },
        label: t("Close"),
      }),
  });
  if (!done) return;
  await page.load();
  page.app.say("ok", t("Closed: {amount}", { amount: decimal(done.value) }));
};

const uninvoiced = {
  path: "/api/finance/uninvoiced",
  needs: ["suppliers"],
  loaded: (app, items) =>
    needProducts(
      app,
      items.map(({ sku }) => sku),
    ),
  list: (page) => ({
    title: t("Not invoiced"),
    filters: [
      ofSupplier(),
      ofStore(),
      { name: "older_than_days", label: t("Older than (days)") },
      { name: "as_of", label: t("As of"), kind: "date" },
    ],
    open: (one) =>
      one.kind === "receipt"
        ? address(["receipts", one.receiving_id], { store_id: one.store_id })
        : one.kind === "claim"
          ? address(["supplier-returns", one.receiving_id], { store_id: one.store_id })
          : address(["journal"], { cause_id: one.receiving_id }),
    columns: [
      col(t("Item"), (one) =>
        one.sku
          ? html`<bdi>${productName(one.sku)}</bdi>
              <span class="muted">${one.sku}</span
              >${one.kind === "receipt" ? nothing : html` ${badge(`uninvoiced.${one.kind}`)}`}`
          : t("Paid from the till"),
      ),
      col(t("Supplier"), (one) =>
        one.supplier_id ? supplier(one.supplier_id) : html`<span class="muted">${t("not given")}</span>`,
      ),
      col(t("Store"), (one) => store(one.store_id), "d"),
      col(t("Received"), (one) => days(one.business_date)),
      col(t("Pieces"), (one) => figure(one.open_qty), "num d2"),
      col(t("Cost each"), (one) => (one.kind === "claim" ? nothing : inMoney(one.unit_cost)), "num d2"),
      col(t("Value"), (one) => inMoney(one.open_value), "num"),
    ],
    actions: (one) => (page.filters.as_of ? [] : [{ label: t("Close\u2026"), act: () => close(page, one) }]),
    none: t("All received goods are invoiced"),
  }),
};

export const pages = { uninvoiced };
