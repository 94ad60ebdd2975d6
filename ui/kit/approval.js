// A manager's approval on the spot, for one action, with its reason.
import { html, nothing } from "../vendor/lit.js";
import { icon } from "./controls.js";
import { money, number, rate } from "./format.js";
import { t } from "./i18n.js";
import { able } from "./session.js";
import { Approver } from "../pins/approver.js";

/** Texts of reasons, by the setting with the limit. */
const BY_SETTING = {
  "pricing.discount_limit_bp": ({ value, limit }, app) => {
    const points = app.settings?.pricing?.discount_limit_bp;
    const most = points ? `${money(limit)} (${rate(points)})` : money(limit);
    return t("Discounts on this sale would be {value}. Cashiers may give up to {limit}", {
      value: money(value),
      limit: most,
    });
  },
  "pricing.override": ({ value, limit }) =>
    t("The price would be {value}. The catalogue price is {limit}", { value: money(value), limit: money(limit) }),
  "returns.cashier_limit": ({ value, limit }) =>
    t("The refund would be {value}. Cashiers may refund up to {limit}", { value: money(value), limit: money(limit) }),
  "returns.window_days": ({ limit }) => t("The sale is more than {days} days old", { days: number(limit) }),
  "approval.pay_out_value": ({ value, limit }) =>
    t("Pay-outs of this shift would be {value}. Cashiers may pay out up to {limit}", {
      value: money(value),
      limit: money(limit),
    }),
  "approval.adjustment_value": ({ value, limit }) =>
    t("Write-offs today: {value}. Up to {limit} needs no approval", {
      value: money(value),
      limit: money(limit),
    }),
  "shifts.variance_tolerance": ({ limit }) => t("The count differs by more than {limit}", { limit: money(limit) }),
};

/** The reason without a full stop, or an empty text. */
const whyApproved = (details, app) => {
  const { value, limit, setting } = details;
  if (setting && BY_SETTING[setting]) return BY_SETTING[setting](details, app);
  if (value === undefined || limit === undefined) return "";
  return t("{value} is over the limit of {limit}", { value: money(value), limit: money(limit) });
};

/** Asks until approved or cancelled. Returns the command's answer or null. */
export const approve = async (app, intent, refusal, repeat) => {
  const why = whyApproved(refusal.details, app);
  const what =
    intent.amount === null || intent.amount === undefined
      ? t(intent.label)
      : `${t(intent.label)} ${money(intent.amount)}`;
  const parts = [why || what, t("Requested by {name}", { name: app.user.name })];
  const approver = new Approver(app);
  return app.dialog.ask({
    title: t("Manager approval required"),
    text: parts.join(". "),
    yes: t("Approve"),
    body: () => approver.fields(),
    more: able()
      ? html`<button class="btn big" name="by" value="device">
          ${icon("key-round")}${t("Approve with a passkey")}
        </button>`
      : nothing,
    act: async (typed) => {
      try {
        return await repeat(await approver.approval(typed));
      } catch (error) {
        error.words ??= approver.words(error);
        throw error;
      }
    },
  });
};
