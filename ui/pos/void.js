// Voids a basket with a reason.
import { html } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { money } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { givenBack } from "../returns/refunds.js";

export const reasonField = (codes) =>
  html`<div class="field">
    <label for="why">${t("Reason")}</label
    ><select class="input" id="why" name="reason">
      ${codes.map((code) => html`<option value=${code}>${t(code)}</option>`)}
    </select>
  </div>`;

/** Voids the open basket after a reason was given. */
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
