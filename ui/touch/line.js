// An opened line of the basket with all of its actions.
import { html } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import "./texts.js";

export const opened = (page, { qty }) => {
  const act = (name, label, run, kind = "") =>
    html`<button type="button" class="btn ${kind}" @click=${run}>${icon(name)}<span>${label}</span></button>`;
  return html`<div class="opened" @click=${(event) => event.stopPropagation()}>
    <div class="steps">
      <button type="button" class="btn" aria-label=${t("One less")} ?disabled=${qty <= 1} @click=${() => page.more(-1)}>
        ${icon("minus")}
      </button>
      <button
        type="button"
        class="btn count"
        aria-label=${t("Quantity: {n}. Change it", { n: number(qty) })}
        @click=${() => page.edit()}
      >
        ${number(qty)}
      </button>
      <button type="button" class="btn" aria-label=${t("One more")} @click=${() => page.more(1)}>
        ${icon("plus")}
      </button>
    </div>
    ${act("calculator", t("Price"), () => page.edit("line-price"))}
    ${act("percent", t("Discount"), () => page.takeOff())}${act("trash-2", t("Remove"), () => page.setQty(0))}
  </div>`;
};
