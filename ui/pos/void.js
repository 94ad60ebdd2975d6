// A basket or a sale is given up: with a reason, and what goes back by which method.
import { html } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { money } from "../kit/format.js";
import { t } from "../kit/i18n.js";

export const reasonField = (codes) =>
  html`<div class="field">
    <label for="why">${t("Reason")}</label
    ><select class="input" id="why" name="reason">
      ${codes.map((code) => html`<option value=${code}>${t(code)}</option>`)}
    </select>
  </div>`;

const byMethod = (refunds) => {
  const sums = new Map();
  for (const { method, amount, rounding } of refunds)
    sums.set(method, (sums.get(method) ?? 0) + amount + (rounding ?? 0));
  return [...sums].map(([method, amount]) => `${t(method)} ${money(amount)}`).join(", ");
};

/** What has to be handed out or sent back, each part by its method: a card's money is not in the drawer. */
export const givenBack = (refunds) =>
  refunds.length ? t("Voided. Refund: {parts}", { parts: byMethod(refunds) }) : t("Voided. No payment to refund");

/** What the customer hands back when a return is given up. */
export const takenBack = (refunds) => t("Return voided. Collect: {parts}", { parts: byMethod(refunds) });

/** The open basket is given up, if somebody says why. */
export const voidBasket = async (app) => {
  await app.basket.settled();
  const { sale } = app.basket;
  if (!sale) return;
  const chosen = await app.dialog.ask({
    title: t("Void this sale of {amount}?", { amount: money(sale.total) }),
    yes: t("Void sale"),
    no: t("Keep"),
    danger: true,
    body: reasonField(app.reasons.voids),
  });
  if (!chosen) return;
  try {
    const done = await app.command({
      url: path("/api/pos/transactions/:id/void", { id: sale.transaction_id }),
      body: { reason: chosen.reason },
      label: "Void sale",
      amount: sale.total,
    });
    app.basket.clear();
    if (done.refunds.length) app.say("ok", givenBack(done.refunds));
  } catch (error) {
    app.fail(error);
  }
};
