// Steps of setting up a shop, shown on Today until all are done. Each links to its page, and is ticked when it is done.
import { html, nothing } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { t } from "../kit/i18n.js";

/**
 * Name in the store's answer, address, what to do. A shop may do without a printer.
 * @type {[name: string, place: string | null, label: () => string, optional: boolean][]}
 */
const STEPS = [
  ["has_products", "products", () => t("Add products, or import them from a spreadsheet"), false],
  ["has_safe_opening", "safe", () => t("Set the opening balance of the safe"), false],
  ["has_users", "people", () => t("Add the people who sell"), false],
  ["has_register", "tills", () => t("Add a till"), false],
  ["has_printer", "settings", () => t("Connect a receipt printer (optional)"), true],
  ["has_sales", null, () => t("Ring up a test sale, and return it"), false],
];

/** Whether a step that no shop can do without is open. */
export const unfinished = (setup) => Boolean(setup) && STEPS.some(([name, , , optional]) => !optional && !setup[name]);

export const firstDay = (setup) => {
  if (!unfinished(setup)) return nothing;
  const step = (/** @type {any} */ [name, place, label]) => {
    const done = setup[name];
    const text =
      name === "has_products" && setup.has_head_office ? t("Wait for the products from head office") : label();
    const href = place ? `#/${place}` : "/pos";
    const hidden = done ? html` <span class="vh">${t("(done)")}</span>` : nothing;
    const link = done ? nothing : html`<a href=${href}>${place ? t("Open") : t("Open the till")}</a>`;
    return html`<li class=${done ? "ok" : "plain"}>
      ${icon(done ? "circle-check" : "clock")}<span>${text}${hidden}</span>${link}
    </li>`;
  };
  return html`<section id="first-day" aria-label=${t("First day")}>
    <h2 class="section">${t("First day")}</h2>
    <ul class="first-steps panel">
      ${STEPS.map(step)}
    </ul>
  </section>`;
};
