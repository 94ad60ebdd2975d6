// One line of the basket: its quantity and its price, with the reason of a price set by hand.
import { html, nothing } from "../vendor/lit.js";
import { countInput, field, icon, moneyInput } from "../kit/controls.js";
import { money, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { reasonField } from "../selling/discount.js";
import { isQuick, toggleQuick } from "./side.js";

export { discount } from "../selling/discount.js";

/** The catalogue price of the line, and the reason for a price by hand. */
const ofPrice = (app, line, price) => {
  const list = line.item?.list_price ?? line.list ?? line.price;
  if (price === null || price === list) return nothing;
  return html`<p class="muted" id="list-price">${t("Catalogue price {amount}", { amount: money(list) })}</p>
    ${reasonField(app.reasons.discounts, line.reason)}`;
};

/** Asks for the quantity and price of the selected line. Shows its stock. */
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
              again();
            },
          }),
          "line-price",
        )}${ofPrice(app, line, price)}
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
    reason: done.reason,
    list: line.item?.list_price ?? line.list ?? line.price,
    item: null,
  });
  basket.changed();
};
