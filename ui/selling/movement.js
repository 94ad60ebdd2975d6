// Cash in and out without a sale: amount, reason, and the bag of a drop to the safe.
import { html, nothing } from "../vendor/lit.js";
import { field, moneyInput } from "../kit/controls.js";
import { t } from "../kit/i18n.js";
import "./texts.js";

const REASON_MAX = 200;

const amountField = (state) =>
  field(
    t("Amount"),
    moneyInput({
      id: "cash-amount",
      // What was typed: the question is drawn again with each refusal.
      value: state.amount,
      large: true,
      focus: true,
      onValue: (value) => {
        state.amount = value;
      },
    }),
    "cash-amount",
  );

const bagField = () =>
  field(
    t("Bag number (optional)"),
    html`<input class="input" id="bag" name="bag_no" maxlength="64" autocomplete="off" />`,
    "bag",
  );

const reasonField = (type) =>
  field(
    type === "drop" ? t("Note (optional)") : t("Reason"),
    html`<input
      class="input"
      id="cash-reason"
      name="reason"
      maxlength=${REASON_MAX}
      autocomplete="off"
      ?data-focus=${type === "no_sale"}
    />`,
    "cash-reason",
  );

/** Asks for a movement of this kind: the body of its request, or null. A drop needs no reason. */
export const askMovement = (app, type) => {
  const state = { amount: null };
  const drawer = type === "no_sale";
  return app.dialog.ask({
    title: t(type),
    yes: t("Save"),
    body: () =>
      html`${drawer ? nothing : amountField(state)}${type === "drop" ? bagField() : nothing}${reasonField(type)}`,
    act: ({ reason, bag_no: bag }) => {
      const { amount } = state;
      if (!drawer && !amount) throw new Error(t("Enter the amount"));
      const why = reason.trim() || (type === "drop" ? t(type) : "");
      if (!why) throw new Error(t("Enter a reason"));
      return { type, reason: why, amount: amount ?? 0, ...(bag ? { bag_no: bag } : {}) };
    },
  });
};
