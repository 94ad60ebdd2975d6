// A finished sale, shown until the next customer: the change and the receipt.
import { html, nothing } from "../vendor/lit.js";
import { fits, icon, key } from "../kit/controls.js";
import { decimal, number, shortReceipt, symbol, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { preview } from "./slip.js";

/** Prints a receipt without prices. */
export const gift = async (app, no) => (await app.part(() => import("./paper.js")))?.printGift(app, no);

export const paid = (page) => {
  const { paid: sale, app } = page;
  const methods = sale.payments
    .filter(({ state }) => state === "accepted")
    .map(({ method, tendered }) => `${t(method)} ${decimal(tendered)}`)
    .join(", ");
  return html`<div class="paid">
    <section class="done">
      <p class="okmark">${icon("circle-check")}${t("Paid")} ${time(sale.paid_at)}</p>
      <p class="label">${t("Change")}</p>
      <p class="change" id="change" aria-live="assertive">
        <span class="cur">${symbol()}</span
        ><span class="figure" ${fits(decimal(sale.change))}>${decimal(sale.change)}</span>
      </p>
      <dl class="facts">
        <div>
          <dt>${t("Receipt")}</dt>
          <dd id="receipt-no" title=${sale.receipt_no}>${shortReceipt(sale.receipt_no)}</dd>
        </div>
        <div>
          <dt>${t("Paid with")}</dt>
          <dd>${methods}</dd>
        </div>
        ${
          sale.points_earned
            ? html`<div>
                <dt>${t("Points earned")}</dt>
                <dd>${number(sale.points_earned)}</dd>
              </div>`
            : nothing
        }
      </dl>
      <div class="rowx">
        <button class="btn big grow" @click=${() => app.reprint()}>
          ${icon("printer")}${t("Print receipt")}${key("P")}
        </button>
        <button class="btn big grow" id="gift" @click=${() => gift(app, sale.receipt_no)}>
          ${icon("receipt")}${t("Gift receipt")}${key("G")}
        </button>
        <button class="btn primary big grow" data-focus @click=${() => page.next()}>
          ${t("Next customer")}${key("Enter")}
        </button>
      </div>
    </section>
    <section class="preview panel" aria-label=${t("Receipt")}>${preview(app, sale)}</section>
  </div>`;
};
