// A receipt on the screen.
import { html, nothing } from "../vendor/lit.js";
import { decimal, money, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";

/** A preview of the receipt. It does not count as a print. */
export const preview = (app, sale) =>
  html`<div class="slip">
    <p class="slip-head"><b>${app.settings.name}</b><span>${sale.receipt_no}</span></p>
    <ul tabindex="0" aria-label=${t("Lines")}>
      ${sale.items.map(
        (item) =>
          html`<li>
              <span><bdi>${item.name}</bdi></span
              ><span class="muted">${number(item.qty)} × ${decimal(item.price)}</span
              ><span>${decimal(item.price * item.qty)}</span>
            </li>
            ${item.discounts.map(
              ({ amount }) =>
                html`<li class="off"><span>${t("Discount")}</span><span></span><span>${decimal(-amount)}</span></li>`,
            )}`,
      )}
    </ul>
    <dl class="facts">
      <div>
        <dt>${t("Tax")}</dt>
        <dd>${decimal(sale.tax)}</dd>
      </div>
      ${
        sale.rounding
          ? html`<div>
              <dt>${t("Rounding")}</dt>
              <dd>${decimal(sale.rounding)}</dd>
            </div>`
          : nothing
      }
      <div>
        <dt><b>${t("Total")}</b></dt>
        <dd><b>${money(sale.total)}</b></dd>
      </div>
      ${sale.payments
        .filter(({ state }) => state === "accepted")
        .map(
          ({ method, tendered }) =>
            html`<div>
              <dt>${t(method)}</dt>
              <dd>${decimal(tendered)}</dd>
            </div>`,
        )}
      <div>
        <dt>${t("Change")}</dt>
        <dd>${decimal(sale.change)}</dd>
      </div>
    </dl>
  </div>`;
