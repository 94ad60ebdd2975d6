// Price and stock of a product, by scan or by name; nothing is sold.
import { html, nothing } from "../vendor/lit.js";
import { field } from "../kit/controls.js";
import { money, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import "./texts.js";

/** Most products shown for a name. */
const SHOWN_MAX = 5;

/** Finds a product by its code, or else by its name. */
const lookUp = async (app, text) => {
  const product = await app.basket.find(text);
  if (product) return [product];
  return (await app.get("/api/pos/products", {}, { q: text, limit: SHOWN_MAX })).items;
};

const row = (product) =>
  html`<tr>
    <td><bdi>${product.name}</bdi><br /><span class="muted">${product.sku}</span></td>
    <td class="num">${t("{n} on hand", { n: number(product.on_hand) })}</td>
    <td class="num"><b>${money(product.price)}</b></td>
  </tr>`;

const list = (found) =>
  found.length
    ? html`<table class="grid" id="prices">
        <caption class="vh">
          ${t("Price check")}
        </caption>
        <tbody>
          ${found.map(row)}
        </tbody>
      </table>`
    : nothing;

export const priceCheck = (app) => {
  let found = [];
  return app.dialog.ask({
    title: t("Price check"),
    text: t("Scan a product, or type its name or code. Nothing is sold"),
    yes: t("Check"),
    no: t("Close"),
    body: () =>
      html`${field(
        t("Product"),
        html`<input
          class="input"
          id="price-of"
          name="code"
          data-scan="line"
          data-focus
          autocomplete="off"
          spellcheck="false"
        />`,
        "price-of",
      )}${list(found)}`,
    act: async ({ code }) => {
      const text = code.trim();
      found = text ? await lookUp(app, text) : [];
      /** @type {HTMLInputElement} */ (document.querySelector("#price-of")).select();
      // The question stays for the next product.
      const none = found.length ? null : t("No product matches “{text}”", { text });
      throw Object.assign(new Error(), { words: none });
    },
  });
};
