// Parts of the payment page: the methods, the amount, and likely amounts of cash.
import { html, nothing } from "../vendor/lit.js";
import { field, fits, icon, key, moneyInput } from "../kit/controls.js";
import { decimal, money, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";

const LETTERS = { cash: "C", card: "K", qris: "Q", bank_transfer: "T", voucher: "V", points: "P" };
const ICONS = {
  cash: "banknote",
  card: "credit-card",
  qris: "qr-code",
  bank_transfer: "landmark",
  voucher: "ticket",
  points: "star",
};
export const POINTS = "points";
const OFFERS = 4;
/** Largest offered note, as a multiple of the sum, if smaller notes cover it. */
const MOST_TIMES = 2;
/** Smallest offered note, as a part of the sum: customers do not round up to a coin. */
const SMALLEST_PART = 0.025;

/** Likely amounts: the next round sums of the shop's notes. */
export const offers = (due, notes) => {
  const sums = new Set();
  for (const note of notes.filter((one) => one >= due * SMALLEST_PART)) {
    const sum = Math.ceil(due / note) * note;
    if (sum > due) sums.add(sum);
  }
  const sorted = [...sums].sort((a, b) => a - b);
  const offered = sorted.slice(0, OFFERS);
  // Large notes alone are common, also where several smaller sums come before them.
  const large = sorted.findLast((sum) => sum <= due * MOST_TIMES);
  if (large && !offered.includes(large)) offered[OFFERS - 1] = large;
  return offered;
};

/** The key that chooses a method. */
export const letterOf = (method) => LETTERS[method] ?? method[0].toUpperCase();

export const choices = (page) => {
  return html`<div class="methods" role="radiogroup" aria-label=${t("Payment method")}>
    ${page
      .methods()
      .map(
        (method) =>
          html`<button
            class="btn big"
            role="radio"
            aria-checked=${method === page.method}
            @click=${() => page.choose(method)}
          >
            ${icon(ICONS[method] ?? "wallet")}<span>${t(method)}</span>${key(letterOf(method))}
          </button>`,
      )}
  </div>`;
};

export const entry = (page) => {
  const { method, given, app } = page;
  const cash = method === "cash";
  const offered = cash ? [page.left, ...offers(page.left, app.settings.payments.denominations)] : [];
  const amount = given ?? (cash ? null : method === POINTS ? page.most : page.sale.amount_due);
  return html`<section class="entry">
    ${field(
      cash ? t("Cash received") : t("Amount by {method}", { method: t(method) }),
      moneyInput({ id: "amount", value: given, large: true, focus: true, onValue: (value) => page.give(value) }),
      "amount",
    )}
    ${
      cash
        ? html`<div class="offers">
              ${offered.map(
                (sum, index) =>
                  html`<button class="btn big" @click=${() => page.pick(sum)}>
                    ${index ? nothing : html`<span class="muted">${t("exact")}</span>`}<b ${fits(decimal(sum))}
                      >${decimal(sum)}</b
                    >${index ? nothing : key("E")}
                  </button>`,
              )}
            </div>
            <p class="changing">
              <span>${t("Change")}</span><b id="changing">${given === null ? nothing : decimal(page.change)}</b>
            </p>`
        : method === POINTS
          ? html`<p id="worth" class="muted">
              ${t("{n} points, worth {amount}", {
                n: number(app.basket.member?.points_balance ?? 0),
                amount: money(page.worth),
              })}
            </p>`
          : field(
              t("Reference (optional)"),
              html`<input
                class="input"
                id="reference"
                maxlength="64"
                autocomplete="off"
                .value=${page.reference}
                @input=${(event) => {
                  page.reference = event.target.value;
                }}
              />`,
              "reference",
            )
    }
    <button
      class="pay"
      ?disabled=${page.isTaking || (cash && given === null && page.sale.amount_due > 0)}
      @click=${() => page.take()}
    >
      ${icon("check")}<span>${
        (page.busy ? page.slow : page.isTaking)
          ? t("Saving\u2026")
          : amount === null
            ? t("Accept")
            : t("Accept {amount}", { amount: decimal(amount) })
      }</span>${key("Enter")}
    </button>
  </section>`;
};
