// Ctrl K: pages by their names, a receipt or a product by typed text.
import { html, nothing } from "../vendor/lit.js";
import { icon } from "./controls.js";
import { address } from "./menu.js";
import { t } from "./i18n.js";

const ROWS_MAX = 8;

const found = (app, text) => {
  const wanted = text.trim().toLowerCase();
  const pages = app.menu().map(([place, image, label]) => ({ image, label: label(), href: address([place]) }));
  const near = pages.filter(({ label }) => label.toLowerCase().includes(wanted));
  if (wanted.length < 3) return near.slice(0, ROWS_MAX);
  if (app.searches)
    return [...near, ...app.searches(text.trim()).map(([image, label, href]) => ({ image, label, href }))].slice(
      0,
      ROWS_MAX,
    );
  const search = [
    ["sales", "receipt", "receipt_no", t("Search receipts for “{text}”", { text })],
    ["products", "tag", "q", t("Search products for “{text}”", { text })],
    ["suppliers", "truck", "q", t("Search suppliers for “{text}”", { text })],
    ["members", "star", "q", t("Search members for “{text}”", { text })],
  ];
  const places = new Set(app.menu().map(([place]) => place));
  const asked = search
    .filter(([place]) => places.has(place))
    .map(([place, image, name, label]) => ({ image, label, href: address([place], { [name]: text.trim() }) }));
  return [...near, ...asked].slice(0, ROWS_MAX);
};

export const palette = async (app) => {
  let text = "";
  let at = 0;
  const go = (href) => {
    app.dialog.close(null);
    location.hash = href;
  };
  await app.dialog.ask({
    title: t("Go to"),
    yes: null,
    no: t("Close"),
    body: (update) => {
      const rows = found(app, text);
      at = Math.min(at, Math.max(0, rows.length - 1));
      return html`<div class="field">
          <label for="palette">${t("A page, a receipt number, a name")}</label
          ><input
            class="input"
            id="palette"
            data-focus
            autocomplete="off"
            role="combobox"
            aria-expanded="true"
            aria-controls="palette-rows"
            aria-activedescendant=${rows.length ? `palette-${at}` : nothing}
            @input=${(event) => {
              text = event.target.value;
              at = 0;
              update();
            }}
            @keydown=${(event) => {
              if (event.key === "Enter") {
                event.preventDefault();
                if (rows[at]) go(rows[at].href);
              } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
                event.preventDefault();
                at = (at + (event.key === "ArrowDown" ? 1 : rows.length - 1)) % Math.max(1, rows.length);
                update();
              }
            }}
          />
        </div>
        <ul class="palette" id="palette-rows" role="listbox" aria-label=${t("Found")}>
          ${rows.map(
            (row, index) =>
              html`<li role="option" id="palette-${index}" aria-selected=${index === at} @click=${() => go(row.href)}>
                ${icon(row.image)}<span>${row.label}</span>
              </li>`,
          )}
        </ul>`;
    },
  });
};
