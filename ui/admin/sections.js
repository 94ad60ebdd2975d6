// Pages of Store Admin in addition to those in main.js: documents of the stock room, takings, tills, the machine; the
// order of the menu, shortcuts, and related pages.
import { html, nothing } from "../vendor/lit.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";

const MANAGE = ["store_manager", "admin"];
const GOODS = ["warehouse_staff", ...MANAGE];

/** Address, icon, name, permission. */
const MORE = [
  ["reports", "chart-column", () => t("Reports"), MANAGE],
  ["goods-now", "chart-column", () => t("Stock on hand"), MANAGE],
  ["valuation", "chart-column", () => t("Stock value by date"), MANAGE],
  ["sales", "receipt", () => t("Sales"), MANAGE],
  ["returns", "undo-2", () => t("Returns"), MANAGE],
  ["shifts", "clock", () => t("Shifts"), MANAGE],
  ["days", "lock", () => t("Days"), MANAGE],
  ["safe", "wallet", () => t("Safe"), MANAGE],
  ["products", "package", () => t("Products"), GOODS],
  ["deliveries", "truck", () => t("Deliveries"), GOODS],
  ["transfers", "store", () => t("Transfers"), GOODS],
  ["adjustments", "scale", () => t("Adjustments"), GOODS],
  ["supplier-returns", "undo-2", () => t("Returns to suppliers"), GOODS],
  ["labels", "tag", () => t("Labels"), MANAGE],
  ["tills", "calculator", () => t("Tills"), MANAGE],
  ["machine", "list-restart", () => t("Server"), MANAGE],
  ["audit", "scroll-text", () => t("Audit log"), MANAGE],
  ["settings", "settings", () => t("Settings"), MANAGE],
];
/** Names of the groups in order; the first one has none. */
const GROUP_NAMES = [
  null,
  () => t("Sales"),
  () => t("Goods"),
  () => t("People and tills"),
  () => t("Store"),
  () => t("Mine"),
];
/** The menu from the top, in groups. Pages that are not listed come before the last group. */
const GROUPS = [
  ["today"],
  ["reports", "goods-now", "valuation", "sales", "returns", "shifts", "days", "safe"],
  ["stock", "products", "receiving", "deliveries", "supplier-returns", "transfers", "adjustments", "counts", "labels"],
  ["members", "people", "tills"],
  ["sync"],
];
const LAST = ["devices", "device"];
/** Related pages: the first one is in the menu. */
const FAMILIES = [
  ["reports", "goods-now", "valuation"],
  ["sales", "returns"],
  ["receiving", "deliveries"],
  ["stock", "products"],
];
/** Names of the first ones among their related pages. */
const FIRST = { reports: () => t("Sales"), receiving: () => t("Incoming orders") };
/** The letter after `g` of each page; pages without one are reached by Ctrl K. */
export const LETTERS = {
  today: "t",
  reports: "e",
  sales: "o",
  shifts: "i",
  days: "d",
  safe: "v",
  stock: "s",
  receiving: "r",
  "supplier-returns": "u",
  transfers: "f",
  adjustments: "j",
  counts: "c",
  labels: "l",
  members: "m",
  people: "p",
  tills: "k",
  sync: "h",
  machine: "b",
  audit: "a",
  settings: "x",
  devices: "y",
  device: "z",
  deliveries: "n",
};
/**
 * Commands that a user can start from the palette.
 * @type {[name: string, icon: string, label: () => string, part?: string][]}
 */
export const ACTIONS = [
  ["products", "package", () => t("Products and prices")],
  ["products", "download", () => t("Import products"), "import"],
  ["transfers", "store", () => t("New transfer"), "new"],
  ["adjustments", "scale", () => t("New adjustment"), "new"],
  ["supplier-returns", "undo-2", () => t("New return"), "new"],
  ["safe", "landmark", () => t("Record bank deposit")],
  ["tills", "calculator", () => t("New till")],
  ["days", "lock", () => t("Close the day")],
  ["machine", "download", () => t("Back up now")],
  ["machine", "shield-check", () => t("Check all data")],
  ["machine", "list-restart", () => t("Restart a component")],
  ["sync", "refresh-cw", () => t("Sync with head office")],
  ["sync", "history", () => t("Restore an overwritten value")],
  ["people", "lock", () => t("Reset a user's password")],
  ["people", "log-out", () => t("Log a user out everywhere")],
];

/** The whole menu of both files, in order; a group begins with a line. */
export const arranged = (menu) => {
  const all = [...menu, ...MORE];
  const named = new Set([...GROUPS.flat(), ...LAST]);
  const others = all.map(([name]) => name).filter((name) => !named.has(name));
  const groups = [...GROUPS.slice(0, -1), [...GROUPS.at(-1), ...others], LAST];
  return groups.flatMap((group, at) =>
    group
      .map((name) => all.find(([known]) => known === name))
      .filter(Boolean)
      .map((row, index) => [...row.slice(0, 4), at > 0 && index === 0 && GROUP_NAMES[at]]),
  );
};

export const DETAILS = {
  transfers: "transfer",
  adjustments: "adjustment",
  "supplier-returns": "supplier-return",
  deliveries: "delivery",
  sales: "sale",
  returns: "return",
  shifts: "shift",
  days: "day",
};
/** Lists and documents that are described as data, by file. */
const DESCRIBED = {
  "admin/products": ["products"],
  "goods/transfers": ["transfers", "transfer"],
  "goods/adjustments": ["adjustments", "adjustment"],
  "goods/supplier_returns": ["supplier-returns", "supplier-return"],
  "goods/deliveries": ["deliveries", "delivery"],
  "takings/goods": ["goods-now", "valuation"],
  "takings/sales": ["sales", "sale"],
  "takings/returns": ["returns", "return"],
  "takings/shifts": ["shifts", "shift"],
  "takings/day": ["day"],
  "takings/safe": ["safe"],
  "takings/tills": ["tills"],
};
const ELEMENTS = {
  import_goods: "admin/import",
  reports: "takings/report",
  days: "takings/days",
  labels: "takings/labels",
  quick_keys: "takings/quick_keys",
  send: "goods/send",
  take_in: "goods/take_in",
  settle: "goods/settle",
  adjust: "goods/adjust",
  send_back: "goods/send_back",
};
const describe = async (app, file, page) => {
  const [{ pages }] = await Promise.all([
    import(`../${file}.js`),
    import("../records/records.js"),
    import("../records/record.js"),
  ]);
  app.described[page] = pages[page];
};
/** Modules that are loaded when a page is first opened. */
export const later = (app) =>
  Object.fromEntries([
    ...Object.entries(ELEMENTS).map(([page, file]) => [page, () => import(`../${file}.js`)]),
    ...Object.entries(DESCRIBED).flatMap(([file, pages]) =>
      pages.map((page) => [page, () => describe(app, file, page)]),
    ),
  ]);
/** Forms for new documents and for parts of documents. */
const FORMS = { transfers: "send", adjustments: "adjust", "supplier-returns": "send_back" };
const IMPORTS = { products: ["import_goods", MANAGE] };
const PARTS = {
  "transfers/receive": ["take_in", GOODS],
  "transfers/resolve": ["settle", MANAGE],
  "tills/quick-keys": ["quick_keys", MANAGE],
};

/** Returns the form of an address, if it is one. */
export const formOf = (app, /** @type {{ id?: string, part?: string }} */ { id, part }) => {
  const [form, roles] =
    (id === "import" && IMPORTS[app.section]) ||
    (id === "new" && FORMS[app.section] && [FORMS[app.section], GOODS]) ||
    PARTS[`${app.section}/${part}`] ||
    [];
  return form && app.may(roles) ? form : null;
};

const familyOf = (section) => FAMILIES.find((family) => family.includes(section));

/** Entries of the menu: one for each family. */
export const entries = (app, rows) =>
  rows
    .filter(({ name }) => !familyOf(name) || familyOf(name)[0] === name)
    .map((row) => ({ ...row, here: row.here || Boolean(familyOf(row.name)?.includes(app.section)) }));

export const tabs = (app) => {
  const mine = app.menu().filter(([name]) => familyOf(app.section)?.includes(name));
  if (mine.length < 2) return nothing;
  return html`<nav class="tabs" aria-label=${t("Related pages")}>
    ${mine.map(
      ([name, , label]) =>
        html`<a href=${address([name])} aria-current=${name === app.section ? "page" : nothing}
          >${(FIRST[name] ?? label)()}</a
        >`,
    )}
  </nav>`;
};

const element = (app) => {
  switch (app.page) {
    case "reports":
      return html`<page-report .app=${app}></page-report>`;
    case "days":
      return html`<page-days .app=${app}></page-days>`;
    case "import_goods":
      return html`<page-import-goods .app=${app}></page-import-goods>`;
    case "labels":
      return html`<page-labels .app=${app}></page-labels>`;
    case "quick_keys":
      return html`<page-quick-keys .app=${app}></page-quick-keys>`;
    case "send":
      return html`<page-send .app=${app}></page-send>`;
    case "take_in":
      return html`<page-take-in .app=${app}></page-take-in>`;
    case "settle":
      return html`<page-settle .app=${app}></page-settle>`;
    case "adjust":
      return html`<page-adjust .app=${app}></page-adjust>`;
    case "send_back":
      return html`<page-send-back .app=${app}></page-send-back>`;
    default:
      return null;
  }
};

/** Returns the shown page if it is one of these. */
export const drawn = (app) => {
  const spec = app.described[app.page];
  return spec
    ? spec.load
      ? html`<page-record .app=${app} .spec=${spec}></page-record>`
      : html`<page-records .app=${app} .spec=${spec}></page-records>`
    : element(app);
};
