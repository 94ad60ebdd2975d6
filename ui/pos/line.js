// One line of the basket, and discounts by hand with their reason.
import { html, nothing } from "../vendor/lit.js";
import { countInput, field, icon, moneyInput } from "../kit/controls.js";
import { money, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { isQuick, toggleQuick } from "./side.js";

const reasons = (codes) =>
  html`<div class="field">
    <label for="reason">${t("Reason")}</label
    ><select class="input" id="reason" name="reason">
      ${codes.map((code) => html`<option value=${code}>${t(code)}</option>`)}
    </select>
  </div>`;

/** Quantity and price of the selected line; what the books have. */
export const editLine = async (app) => {
  const { basket } = app;
  const line = basket.lines[basket.selected];
  if (!line) return;
  let { qty, price } = line;
  let quick = isQuick(line.sku);
  const done = await app.dialog.ask({
    title: line.name,
    yes: t("Save"),
    body: (again) =>
      html`<dl class="facts">
          <div>
            <dt>${t("Code")}</dt>
            <dd>${line.sku}</dd>
          </div>
          ${
            line.onHand === undefined
              ? nothing
              : html`<div>
                  <dt>${t("Stock on record")}</dt>
                  <dd>${number(line.onHand)}</dd>
                </div>`
          }
        </dl>
        ${field(
          t("Quantity"),
          countInput({
            id: "line-qty",
            value: qty,
            focus: true,
            onValue: (value) => {
              qty = value;
            },
          }),
          "line-qty",
        )}
        ${field(
          t("Price each"),
          moneyInput({
            id: "line-price",
            value: price,
            onValue: (value) => {
              price = value;
            },
          }),
          "line-price",
        )}
        ${
          app.quick.length
            ? nothing
            : html`<button
                type="button"
                class="btn"
                aria-pressed=${quick}
                @click=${() => {
                  toggleQuick(line);
                  quick = isQuick(line.sku);
                  again();
                }}
              >
                ${icon("star")}${quick ? t("Remove from quick keys") : t("Add to quick keys")}
              </button>`
        }`,
  });
  if (!done) return;
  if (qty === 0) {
    app.current.firstElementChild.setQty(0);
    return;
  }
  Object.assign(line, {
    qty: qty ?? line.qty,
    price: price ?? line.price,
    own: line.own || (price ?? line.price) !== line.price,
    item: null,
  });
  basket.changed();
};

/** A discount on the selected line, or on the whole basket. */
export const discount = async (app, whole) => {
  const { basket } = app;
  const line = basket.lines[basket.selected];
  if (!line) return;
  let off = (whole ? basket.basketDiscount : line.discount) || null;
  const gross = whole ? (basket.sale?.subtotal ?? 0) : line.price * line.qty;
  const done = await app.dialog.ask({
    title: whole ? t("Discount on the sale") : t("Discount on {name}", { name: line.name }),
    yes: t("Apply"),
    text: t("Total {amount}", { amount: money(gross) }),
    body: html`${field(
      t("Discount amount"),
      moneyInput({
        id: "off",
        value: off,
        large: true,
        focus: true,
        onValue: (value) => {
          off = value;
        },
      }),
      "off",
    )}${reasons(app.reasons.discounts)}`,
  });
  if (!done) return;
  if (whole) basket.changed({ discount: off ?? 0, discount_reason: done.reason });
  else {
    Object.assign(line, { discount: off ?? 0, item: null });
    basket.changed({ discount_reason: done.reason });
  }
};
