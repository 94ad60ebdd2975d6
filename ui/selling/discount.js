// Discounts by hand, as an amount or per cent, each with its reason.
import { html, live, nothing } from "../vendor/lit.js";
import { field, regroup } from "../kit/controls.js";
import { amount, decimal, money } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import "./texts.js";

/** Percentages with a button. */
const QUICK = [5, 10, 20];
const PERCENT_MAX = 100;

/** The typed percentage, with at most two decimals. Null if the text is not a percentage. */
const percentOf = (text) => {
  const [, typed] = /^\s*(\d{1,3}(?:[.,]\d{1,2})?)\s*%\s*$/.exec(text) ?? [];
  return typed === undefined ? null : Number(typed.replace(",", "."));
};

/** Whether a text may be the beginning of a percentage: it has decimals, and the currency has none. */
const mayBePercent = (text) => decimal(0) === "0" && /^\d{1,2}[.,]\d{0,2}$/.test(text);

/**
 * The typed discount in the smallest unit of the currency: an amount, or a percentage of `base`. An empty text is 0;
 * any other text is null.
 */
export const discountOf = (text, base) => {
  if (!text.includes("%")) return mayBePercent(text) && !/[.,]$/.test(text) ? null : (amount(text) ?? 0);
  const percent = percentOf(text);
  return percent === null || percent > PERCENT_MAX ? null : Math.round((base * percent) / 100);
};

/** The field for the reason: one of the store's reasons, or any text if the store has none. */
export const reasonField = (codes, chosen) =>
  field(
    t("Reason"),
    codes.length
      ? html`<select class="input" id="reason" name="reason">
          ${codes.map((code) => html`<option value=${code} ?selected=${code === chosen}>${t(code)}</option>`)}
        </select>`
      : html`<input class="input" id="reason" name="reason" maxlength="64" autocomplete="off" value=${chosen ?? ""} />`,
    "reason",
  );

/** Reason of the sale's discount. */
const reasonOfSale = (sale) =>
  sale?.items.flatMap(({ discounts }) => discounts).find(({ source }) => source === "basket")?.reason;

/** Formats the text while it is typed. */
const format = (input, before) => {
  if (input.value.includes("%")) {
    // The digits before the sign were formatted as an amount: 10 as 0.10.
    if (decimal(0) !== "0" && !before.includes("%")) input.value = `${amount(input.value) ?? ""}%`;
    return;
  }
  if (mayBePercent(input.value)) return;
  const typed = amount(input.value);
  regroup(input, typed === null ? "" : decimal(typed));
};

/** The field with its buttons, and the amount of a typed percentage. */
const entry = (state, base, again) => {
  const off = discountOf(state.text, base);
  return html`${field(
      t("Discount, as an amount or with %"),
      html`<input
        class="input num l"
        id="off"
        name="off"
        data-keys
        data-focus
        autocomplete="off"
        inputmode="decimal"
        aria-describedby="off-is"
        .value=${live(state.text)}
        @focus=${(event) => event.target.select()}
        @input=${(event) => {
          format(event.target, state.text);
          state.text = event.target.value;
          again();
        }}
      />`,
      "off",
    )}
    <div class="rowx">
      ${QUICK.map(
        (percent) =>
          html`<button
            type="button"
            class="btn big grow"
            id="off-${percent}"
            @click=${() => {
              state.text = `${percent}%`;
              again();
              /** @type {HTMLElement} */ (document.querySelector("#off")).focus();
            }}
          >
            ${percent} %
          </button>`,
      )}
    </div>
    <p class="muted" id="off-is" aria-live="polite">
      ${
        state.text.includes("%") && off !== null
          ? t("{percent} of {base} is {amount}", { percent: state.text, base: money(base), amount: money(off) })
          : nothing
      }
    </p>`;
};

/** The amount that a discount on the line or the sale applies to: promotions are taken off first. */
const baseOf = (basket, line, whole) => {
  const { sale } = basket;
  if (whole) return sale ? sale.subtotal - sale.discount + basket.basketDiscount : 0;
  const promotions = line.item?.discounts.filter(({ source }) => source === "promotion") ?? [];
  return promotions.reduce((left, { amount: part }) => left - part, line.price * line.qty);
};

/** Asks for a discount on the selected line or the whole sale, and applies it. */
export const discount = async (app, whole) => {
  const { basket } = app;
  await basket.settled();
  const at = basket.selected;
  const line = basket.lines[at];
  if (!line) return;
  const before = whole ? basket.basketDiscount : line.discount;
  const base = baseOf(basket, line, whole);
  const reason = whole ? reasonOfSale(basket.sale) : line.why;
  const state = { text: before ? decimal(before) : "" };
  const done = await app.dialog.ask({
    title: whole ? t("Discount on the sale") : t("Discount on {name}", { name: line.name }),
    yes: t("Apply"),
    text: whole ? t("Sale total {amount}", { amount: money(base) }) : t("Line total {amount}", { amount: money(base) }),
    body: (again) => html`${entry(state, base, again)}${reasonField(app.reasons.discounts, reason)}`,
    act: ({ reason: chosen }) => {
      const off = discountOf(state.text, base);
      if (off === null) throw new Error(t("Enter an amount, or a percentage up to 100 %"));
      if (off > base) throw new Error(t("The discount is more than {amount}", { amount: money(base) }));
      return { off, reason: chosen };
    },
  });
  if (!done) return;
  if (whole) basket.changed({ discount: done.off, discount_reason: done.reason, label: "Discount" });
  else {
    // An answer may have replaced the lines meanwhile.
    Object.assign(basket.lines[at] ?? line, { discount: done.off, why: done.reason, item: null });
    basket.changed({ label: "Discount" });
  }
};
