// The keys of a number under a thumb: digits, packs, and what saves it.
import { html } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { number } from "../kit/format.js";
import { t } from "../kit/i18n.js";

/** Goods whose pack nobody knows mostly come by the dozen. */
const DOZEN = 12;
const ROWS = [
  ["7", "8", "9"],
  ["4", "5", "6"],
  ["1", "2", "3"],
];

export const countPad = (page) => {
  const pack = page.product.pack > 1 ? page.product.pack : DOZEN;
  const digit = (text) =>
    html`<button type="button" class="btn big digit" @click=${() => page.digit(text)}>${text}</button>`;
  const more = (pieces) =>
    html`<button type="button" class="btn big" @click=${() => page.set((page.qty ?? 0) + pieces)}>
      +${number(pieces)}
    </button>`;
  const clear = html`<button type="button" class="btn big" aria-label=${t("Clear")} @click=${() => page.set(null)}>
    ${icon("delete")}
  </button>`;
  const beside = [more(pack), more(2 * pack), clear];
  return html`<div class="pad-keys">
    ${ROWS.map((row, index) => [...row.map(digit), beside[index]])}${digit("0")}${digit("00")}<button
      class="btn primary big"
      ?disabled=${page.busy}
    >
      ${t("Save, next")}
    </button>
  </div>`;
};
