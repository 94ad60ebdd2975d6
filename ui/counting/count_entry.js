// The product being counted with its quantity, and the last count on this device.
import { html, nothing } from "../vendor/lit.js";
import { codeOf } from "../kit/scan.js";
import { countInput, icon } from "../kit/controls.js";
import { number } from "../kit/format.js";
import { t } from "../kit/i18n.js";

const LAST_SHOWN = 2;
/** Goods with an unknown pack size mostly come by the dozen. */
const DOZEN = 12;
const ROWS = [
  ["7", "8", "9"],
  ["4", "5", "6"],
  ["1", "2", "3"],
];

/** The keys of the quantity for a thumb: digits, packs, and the key that saves it. */
const countPad = (page) => {
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

export const entry = (page) => {
  const { product } = page;
  if (!product) {
    return html`<div class="field">
      <label for="scan">${t("Scan a product, or type its code")}</label
      ><input
        class="input l"
        id="scan"
        data-focus
        data-scan="line"
        autocomplete="off"
        inputmode="search"
        @keydown=${(event) => {
          if (event.key !== "Enter" || !event.target.value) return;
          const code = codeOf(event.target.value);
          event.target.value = "";
          page.scanned(code);
        }}
      />
    </div>`;
  }
  return html`<form
    class="counting stack"
    @submit=${(event) => {
      event.preventDefault();
      page.save();
    }}
  >
    <div>
      <h2><bdi>${product.name}</bdi></h2>
      <p class="muted">
        ${
          product.sku
            ? [product.sku, product.place, product.pack > 1 && t("carton of {n}", { n: number(product.pack) })]
                .filter(Boolean)
                .join(" \u00b7 ")
            : t("Store server offline. The code is looked up later. Enter the quantity of this exact code")
        }
      </p>
    </div>
    <div class="field">
      <label for="zone">${t("Area")}</label
      ><select
        class="input"
        id="zone"
        @change=${(event) => {
          page.zone = event.target.value;
        }}
      >
        ${["shelf", "back"].map(
          (zone) => html`<option value=${zone} ?selected=${zone === page.zone}>${t(zone)}</option>`,
        )}
      </select>
    </div>
    ${countInput({
      id: "counted",
      value: page.qty,
      label: t("Counted here"),
      focus: true,
      onValue: (qty) => {
        page.qty = qty;
        page.scan = false;
      },
    })}
    ${countPad(page)}
    <div class="rowx">
      <button type="button" class="btn" @click=${() => page.choose(null)}>${t("Cancel")}</button>${
        product.listed
          ? html`<button type="button" class="btn" id="skip" @click=${() => page.skip()}>
              ${t("Skip: not on this shelf")}
            </button>`
          : nothing
      }
    </div>
  </form>`;
};

/** The last counts on this device; the latest can be withdrawn. */
export const last = (page) => {
  const { last } = page.queue;
  if (!last.length) return nothing;
  const undo = html`<button
    class="btn small"
    id="undo"
    ?disabled=${page.busy}
    @click=${() => page.once(() => page.undo())}
  >
    ${icon("undo-2")}${t("Undo")}
  </button>`;
  return html`<section class="panel last">
    <h2 class="vh">${t("Last counted")}</h2>
    <ul>
      ${last.slice(0, LAST_SHOWN).map(
        (one, index) =>
          html`<li>
            <span class="grow"><bdi>${one.name}</bdi> <span class="muted">${t(one.zone)}</span></span
            ><b>${number(one.qty)}</b>${index ? nothing : undo}
          </li>`,
      )}
    </ul>
  </section>`;
};
