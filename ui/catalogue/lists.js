// The company's lists: categories, tax codes, tiers, reasons, payment methods, tills. Each has a few columns and one
// dialog.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { rate } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { ask } from "../kit/form.js";
import "./texts.js";
import { badge, col, link, store } from "../records/cells.js";
import { pickField } from "../records/picks.js";
import { ofStore } from "../records/records.js";
/** @import { Field } from "../kit/form.js" */

const KINDS = ["standard", "zero", "exempt", "luxury"];
const USES = ["voids", "discounts", "returns", "cash"];
const given = (body) =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== undefined));
const states = () => [
  ["active", t("active")],
  ["inactive", t("inactive")],
];

/**
 * A question whose answer is written, after which the list is read again.
 * @param {any} page
 * @param {object} change
 * @param {any} change.title
 * @param {any} [change.text]
 * @param {string} change.method
 * @param {string} change.url
 * @param {Field[]} change.list
 * @param {(asked: any) => any} [change.body]
 */
const write = async (page, { title, text, method, url, list, body = given }) => {
  const done = await ask(page.app, {
    title,
    text,
    yes: method === "POST" ? t("Add") : t("Save"),
    list,
    act: (asked) => page.app.change(method, url, body(asked)),
  });
  if (!done) return;
  await page.load();
  page.app.say("ok", t("Saved; stores are notified"));
};
/**
 * A list with a question for a new one, and the same without its code for one that is there.
 * @param {object} list
 * @param {string} list.at
 * @param {() => string} list.name
 * @param {() => string} list.none
 * @param {() => string} [list.note]
 * @param {() => object[]} list.columns
 * @param {(app: any) => Field[]} [list.fields]
 * @param {(one: any, app: any) => any} list.change
 * @param {() => object[]} [list.filters]
 * @param {boolean} [list.add]
 */
const listed = ({ at, name, none, note, columns, fields, change, filters = () => [], add }) => ({
  path: at,
  list: (page) => ({
    title: name(),
    filters: filters(),
    columns: columns(),
    none: none(),
    note: note ? html`<p class="notice plain"><span>${note()}</span></p>` : nothing,
    create:
      add === false
        ? null
        : {
            label: t("New"),
            act: () => write(page, { title: name(), method: "POST", url: at, list: fields(page.app) }),
          },
    actions: (one) => [
      {
        label: t("Edit"),
        act: () =>
          write(page, {
            title: `${name()}: ${one.name ?? one.register_id}`,
            method: "PATCH",
            ...change(one, page.app),
          }),
      },
    ],
  }),
});

const categories = listed({
  at: "/api/categories",
  name: () => t("Categories"),
  none: () => t("No categories yet. Products use free text"),
  columns: () => [
    col(t("Code"), (one) => one.code),
    col(t("Name"), (one) => html`<bdi>${one.name}</bdi>`),
    col(t("Part of"), (one) => one.parent ?? nothing),
    col(t("Products"), (one) => link(["products"], t("View"), { category: one.code }), "d"),
    col(t("Status"), (one) => (one.state === "active" ? nothing : badge(one.state))),
  ],
  fields: (app) => [
    { name: "code", label: t("Code"), required: true, focus: true },
    { name: "name", label: t("Name") },
    pickField(app, "category", { name: "parent", label: t("Part of") }),
  ],
  change: (one, app) => ({
    url: path("/api/categories/:code", { code: one.code }),
    list: [
      { name: "name", label: t("Name"), value: one.name, required: true, focus: true },
      pickField(app, "category", { name: "parent", label: t("Part of"), value: one.parent }),
      { name: "state", label: t("Status"), kind: "choice", value: one.state, choices: states() },
    ],
  }),
});

const taxFields = (one = {}) => [
  { name: "name", label: t("Name"), value: one.name, required: true },
  {
    name: "kind",
    label: t("Kind"),
    kind: "choice",
    value: one.kind,
    choices: KINDS.map((kind) => [kind, t(`tax.${kind}`)]),
  },
  { name: "rate_bp", label: t("Rate (%)"), kind: "rate", value: one.rate_bp ?? 1100, max: 10_000, required: true },
];
const taxCodes = listed({
  at: "/api/tax-codes",
  name: () => t("Tax codes"),
  none: () => t("No tax codes yet. The store's own rate applies"),
  columns: () => [
    col(t("Code"), (one) => one.tax_code),
    col(t("Name"), (one) => html`<bdi>${one.name}</bdi>`),
    col(t("Kind"), (one) => t(`tax.${one.kind}`)),
    col(t("Rate"), (one) => rate(one.rate_bp), "num"),
  ],
  fields: () => [{ name: "tax_code", label: t("Code"), required: true, focus: true }, ...taxFields()],
  change: (one) => ({
    url: path("/api/tax-codes/:tax_code", { tax_code: one.tax_code }),
    text: t("Applies to sales from then on"),
    list: taxFields(one),
  }),
});

const tierFields = (one = {}) => [
  { name: "name", label: t("Name"), value: one.name, required: true },
  {
    name: "multiplier_bp",
    label: t("Points multiplier"),
    kind: "times",
    value: one.multiplier_bp ?? 10_000,
    max: 100_000,
    required: true,
  },
];
const tiers = listed({
  at: "/api/tiers",
  name: () => t("Tiers"),
  none: () => t("No tiers yet. All members earn the same points"),
  columns: () => [
    col(t("Code"), (one) => one.tier),
    col(t("Name"), (one) => html`<bdi>${one.name}</bdi>`),
    col(t("Points multiplier"), (one) => `\u00d7 ${one.multiplier_bp / 10_000}`, "num"),
    col(t("Members"), (one) => link(["members"], t("View"), { tier: one.tier }), "d"),
  ],
  fields: () => [{ name: "tier", label: t("Code"), required: true, focus: true }, ...tierFields()],
  change: (one) => ({ url: path("/api/tiers/:tier", { tier: one.tier }), list: tierFields(one) }),
});

const reasons = listed({
  at: "/api/reasons",
  name: () => t("Reasons"),
  none: () => t("No custom reasons. The defaults apply"),
  columns: () => [
    col(t("For"), (one) => t(`reason.${one.list}`)),
    col(t("Code"), (one) => one.code),
    col(t("Name"), (one) => html`<bdi>${one.name}</bdi>`),
  ],
  fields: () => [
    {
      name: "list",
      label: t("For"),
      kind: "choice",
      choices: USES.map((use) => [use, t(`reason.${use}`)]),
      focus: true,
    },
    { name: "code", label: t("Code"), required: true },
    { name: "name", label: t("Name"), required: true },
  ],
  change: (one) => ({
    url: path("/api/reasons/:list/:code", { list: one.list, code: one.code }),
    list: [{ name: "name", label: t("Name"), value: one.name, required: true, focus: true }],
  }),
});

const methods = listed({
  at: "/api/payment-methods",
  name: () => t("Payment methods"),
  none: () => t("No custom payment methods. The defaults apply"),
  columns: () => [
    col(t("Code"), (one) => one.method),
    col(t("Name"), (one) => html`<bdi>${one.name}</bdi>`),
    col(t("Account"), (one) =>
      one.account
        ? html`<a href=${address(["balance", one.account])}>${one.account}</a>`
        : html`<span class="muted">${t("of the plan")}</span>`,
    ),
    col(t("Status"), (one) => (one.state === "active" ? nothing : badge(one.state))),
  ],
  fields: (app) => [
    { name: "method", label: t("Code"), required: true, focus: true },
    { name: "name", label: t("Name"), required: true },
    pickField(app, "account", { name: "account", label: t("Account"), hint: t("Leave blank for the default account") }),
  ],
  change: (one, app) => ({
    url: path("/api/payment-methods/:method", { method: one.method }),
    text: t("A new account applies from today"),
    list: [
      { name: "name", label: t("Name"), value: one.name, required: true, focus: true },
      pickField(app, "account", { name: "account", label: t("Account"), value: one.account }),
      { name: "state", label: t("Status"), kind: "choice", value: one.state, choices: states() },
    ],
  }),
});

const registers = listed({
  at: "/api/registers",
  name: () => t("Tills"),
  none: () => t("No tills yet"),
  add: false,
  filters: () => [ofStore()],
  columns: () => [
    col(t("Till"), (one) => one.register_id),
    col(t("Name"), (one) => (one.name ? html`<bdi>${one.name}</bdi>` : nothing)),
    col(t("Store"), (one) => store(one.store_id)),
    col(t("Shifts"), (one) => link(["shifts"], t("View"), { store_id: one.store_id }), "d"),
    col(t("Status"), (one) => badge(one.state)),
  ],
  change: (one) => ({
    url: path("/api/registers/:store_id/:register_id", { store_id: one.store_id, register_id: one.register_id }),
    text: t("An inactive till can't open a shift; an open shift continues"),
    list: [
      { name: "name", label: t("Name"), value: one.name, focus: true },
      {
        name: "state",
        label: t("Status"),
        kind: "choice",
        value: one.state,
        choices: [
          ["active", t("active")],
          ["disabled", t("disabled")],
        ],
      },
    ],
  }),
});

export const pages = { categories, "tax-codes": taxCodes, tiers, reasons, methods, registers };
