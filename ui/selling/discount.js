// Discounts by hand, as an amount or per cent, each with its reason.
import { html, live, nothing } from "../vendor/lit.js";
import { field, regroup } from "../kit/controls.js";
import { amount, decimal, money } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import "./texts.js";

/** Percentages with a button. */
const QUICK = [5, 10, 20];
const PER = 100;

/** The typed percentage, with at most two decimals. Null if the text is not a percentage. */
const percentOf = (text) => {
  const [, typed] = /^\s*(\d{1,3}(?:[.,]\d{1,2})?)\s*%\s*$/.exec(text) ?? [];
  return typed === undefined ? null : Number(typed.replace(",", "."));
};

/** Whether a text may become a percentage with decimals: it is no amount of a currency without decimals. */
const isBegun = (text) => decimal(0) === "0" && /^\d{1,2}[.,]\d{0,2}$/.test(text);

/**
 * The typed discount in the smallest unit of the currency: an amount, or a percentage of `base`. An empty text is 0;
 * any other text is null.
 */
export const discountOf = (text, base) => {
  if (!text.includes("%")) return isBegun(text) && !/[.,]$/.test(text) ? null : (amount(text) ?? 0);
  const percent = percentOf(text);
  return percent === null || percent > PER ? null : Math.round((base * percent) / PER);
};

/** Why something is taken off: one of the shop's reasons, or any text where it names none. */
export const reasons = (codes, chosen) =>
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

const typedIn = (input, before) => {
  if (input.value.includes("%")) {
    // Its digits stood there as an amount: 10 as 0.10.
    if (decimal(0) !== "0" && !before.includes("%")) input.value = `${amount(input.value) ?? ""}%`;
    return;
  }
  if (isBegun(input.value)) return;
  const typed = amount(input.value);
  regroup(input, typed === null ? "" : decimal(typed));
};

/** The field with its buttons and the percentage's amount. */
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
          typedIn(event.target, state.text);
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

/** What a discount on the line, or on the whole sale, is taken off: promotions come first. */
const baseOf = (basket, line, whole) => {
  const { sale } = basket;
  if (whole) return sale ? sale.subtotal - sale.discount + basket.basketDiscount : 0;
  const promotions = line.item?.discounts.filter(({ source }) => source === "promotion") ?? [];
  return promotions.reduce((left, { amount: part }) => left - part, line.price * line.qty);
};

/** A discount on the selected line, or on the whole sale. */
export const discount = async (app, whole) => {
  const { basket } = app;
  await basket.settled();
  const at = basket.selected;
  const line = basket.lines[at];
  if (!line) return;
  const before = whole ? basket.basketDiscount : line.discount;
  const base = baseOf(basket, line, whole);
  const state = { text: before ? decimal(before) : "" };
  const done = await app.dialog.ask({
    title: whole ? t("Discount on the sale") : t("Discount on {name}", { name: line.name }),
    yes: t("Apply"),
    text: whole ? t("Sale total {amount}", { amount: money(base) }) : t("Line total {amount}", { amount: money(base) }),
    body: (again) =>
      html`${entry(state, base, again)}${reasons(app.reasons.discounts, whole ? reasonOfSale(basket.sale) : line.why)}`,
    act: ({ reason }) => {
      const off = discountOf(state.text, base);
      if (off === null) throw new Error(t("Enter an amount, or a percentage up to 100 %"));
      if (off > base) throw new Error(t("The discount is more than {amount}", { amount: money(base) }));
      return { off, reason };
    },
  });
  if (!done) return;
  if (whole) basket.changed({ discount: done.off, discount_reason: done.reason, label: "Discount" });
  else {
    // Meanwhile an answer may have brought the lines anew.
    Object.assign(basket.lines[at] ?? line, { discount: done.off, why: done.reason, item: null });
    basket.changed({ label: "Discount" });
  }
};
