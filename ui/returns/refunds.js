// Refunds or charges of a voided sale or return, in words.
import { money } from "../kit/format.js";
import { t } from "../kit/i18n.js";

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
