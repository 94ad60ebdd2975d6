// Refunds or charges of a voided sale or return, in words.
import { money } from "../kit/format.js";
import { t } from "../kit/i18n.js";

const byMethod = (refunds) => {
  const sums = new Map();
  for (const { method, amount, rounding } of refunds)
    sums.set(method, (sums.get(method) ?? 0) + amount + (rounding ?? 0));
  return [...sums].map(([method, amount]) => `${t(method)} ${money(amount)}`).join(", ");
};

/** Returns the refund by method: a card refund is not paid from the drawer. */
export const givenBack = (refunds) =>
  refunds.length ? t("Voided. Refund: {parts}", { parts: byMethod(refunds) }) : t("Voided. No payment to refund");

/** Returns what the customer has to pay back when a return is voided. */
export const takenBack = (refunds) => t("Return voided. Collect: {parts}", { parts: byMethod(refunds) });
