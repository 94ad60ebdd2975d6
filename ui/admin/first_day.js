// Steps of setting up a shop, shown on Today until all are done. Each links to its page, and is ticked when it is done.
import { html, nothing } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";

/**
 * Name in the store's answer, address, what to do, where. A shop may do without a printer.
 * @type {[name: string, href: () => string, label: () => string, page: () => string, optional?: true][]}
 */
const STEPS = [
  [
    "has_products",
    () => address(["products"]),
    () => t("Add products, or import them from a spreadsheet"),
    () => t("Products"),
  ],
  ["has_safe_opening", () => address(["safe"]), () => t("Set the opening balance of the safe"), () => t("Safe")],
  ["has_users", () => address(["people"]), () => t("Add the people who sell"), () => t("People")],
  ["has_register", () => address(["tills"]), () => t("Add a till"), () => t("Tills")],
  [
    "has_printer",
    () => address(["settings"], { q: t("receipt.search") }),
    () => t("Connect a receipt printer and set the text of receipts (optional)"),
    () => t("Settings"),
    true,
  ],
  ["has_sales", () => "/pos", () => t("Ring up a test sale, and return it"), () => t("Open the till")],
];

/** Whether a required step is open. */
export const unfinished = (setup) =>
  Boolean(setup) && STEPS.some(([name, , , , optional]) => !optional && !setup[name]);

export const firstDay = (setup) => {
  if (!unfinished(setup)) return nothing;
  const step = (/** @type {any} */ [name, href, label, page]) => {
    const done = setup[name];
    const text =
      name === "has_products" && setup.has_head_office ? t("Wait for the products from head office") : label();
    const hidden = done ? html` <span class="vh">${t("(done)")}</span>` : nothing;
    const link = done ? nothing : html`<a href=${href()}>${page()}</a>`;
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
