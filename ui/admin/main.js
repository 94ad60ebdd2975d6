// Store Admin: a menu of the pages that the user's role allows. Each page has an address after `#`.
import { html, keyed } from "../vendor/lit.js";
import { loading } from "../kit/controls.js";
import { setShop } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address, Lettered, MenuApp } from "../kit/menu.js";
import * as more from "./sections.js";
import "./texts.js";
import "./today.js";

const MANAGE = ["store_manager", "admin"];
const GOODS = ["warehouse_staff", ...MANAGE];
const ALL = ["cashier", ...GOODS];
const MENU = [
  ["today", "house", () => t("Today"), GOODS],
  ["stock", "package", () => t("Stock"), GOODS],
  ["receiving", "truck", () => t("Receiving"), GOODS],
  ["counts", "clipboard-list", () => t("Counts"), GOODS],
  ["members", "star", () => t("Members"), MANAGE],
  ["people", "users", () => t("People"), MANAGE],
  ["sync", "cloud", () => t("Head office"), MANAGE],
  ["devices", "key-round", () => t("My devices"), ALL, true],
  ["device", "smartphone", () => t("This device"), ALL],
];
/** Modules of pages, loaded when the page is first shown. */
const LATER = {
  stock: () => import("./stock.js"),
  product: () => import("./product.js"),
  receiving: () => import("./receiving.js"),
  receive: () => import("./receive.js"),
  counts: () => import("../counting/counts.js"),
  count: () => import("../counting/count.js"),
  members: () => import("./members.js"),
  member: () => import("./member.js"),
  people: () => import("./people.js"),
  person: () => import("./person.js"),
  devices: () => import("../passkeys/devices.js"),
  device: () => import("../kit/device.js"),
  sync: () => import("./sync.js"),
  machine: () => import("./machine.js"),
  audit: () => import("./audit.js"),
  settings: () => import("./settings.js"),
};
/** Page that shows one entry of a list. */
const DETAIL = { stock: "product", receiving: "receive", counts: "count", members: "member", people: "person" };

class AdminApp extends Lettered(MenuApp) {
  constructor() {
    super();
    this.sections = more.arranged(MENU);
    this.details = { ...DETAIL, ...more.DETAILS };
    this.later = { ...LATER, ...more.later(this) };
    this.described = {};
    this.knows = {
      stores: { roles: GOODS },
      suppliers: { roles: GOODS },
      orders: { roles: GOODS, pattern: "/api/purchase-orders", id: "po_id" },
      people: { roles: ALL, pattern: "/api/staff", id: "user_id" },
      categories: { roles: GOODS, pattern: "/api/categories", id: "category" },
    };
  }

  /** Names that need no request: the store's and the user's own. */
  own(kind) {
    const { settings, user } = this;
    return (
      {
        stores: [{ store_id: settings.store_id, name: settings.name }],
        people: [{ user_id: user.id, name: user.name }],
      }[kind] ?? []
    );
  }

  show(page, params = {}) {
    return super.show(more.formOf(this, params) ?? page, params);
  }

  /** No entry of this menu shows a count. */
  count() {}

  tabs() {
    return more.tabs(this);
  }

  purpose() {
    return t("The shop's stock, people and figures");
  }

  brand() {
    return this.settings?.name ?? "";
  }

  places() {
    return this.menu()
      .filter(([name]) => more.LETTERS[name])
      .map(([name, , label]) => [more.LETTERS[name], label(), name]);
  }

  entries() {
    return more
      .entries(this, super.entries())
      .map((entry) => ({ ...entry, letter: this.waits && more.LETTERS[entry.name] }));
  }

  searches(text) {
    const wanted = text.toLowerCase();
    const allowed = new Set(this.menu().map(([name]) => name));
    const actions = more.ACTIONS.map(([name, image, label, part]) => [
      name,
      image,
      label(),
      address(part ? [name, part] : [name]),
    ]).filter(([, , label]) => label.toLowerCase().includes(wanted));
    const searches = [
      ["stock", "package", t("Search products for “{text}”", { text }), address(["stock"], { q: text })],
      ["members", "star", t("Search members for “{text}”", { text }), address(["members"], { q: text })],
      ["sales", "receipt", t("Search receipts for “{text}”", { text }), address(["sales"], { receipt_no: text })],
      ["audit", "scroll-text", t("Audit log for “{text}”", { text }), address(["audit"], { object_id: text })],
    ];
    return [...actions, ...searches].filter(([name]) => allowed.has(name)).map(([, ...row]) => row);
  }

  /** Besides the keys of every app, `j` and `k` move through the rows of a list; in lists with links, arrows do too. */
  onLetter(event) {
    const arrows = this.current.firstElementChild?.place ? { ArrowDown: 1, ArrowUp: -1 } : {};
    const step = { j: 1, k: -1, ...arrows }[event.key];
    if (
      !step ||
      this.waits ||
      event.ctrlKey ||
      event.altKey ||
      event.metaKey ||
      event.target.closest?.("input, select, textarea")
    )
      return super.onLetter(event);
    const rows = [...this.current.querySelectorAll("tbody tr td:first-child a")];
    const at = rows.indexOf(document.activeElement);
    rows[Math.min(Math.max(at + step, 0), rows.length - 1)]?.focus();
    return rows.length > 0;
  }

  async entered(user) {
    this.unconfirmed = null;
    dispatchEvent(new Event("entered"));
    await this.readSettings();
    // Setting the user enables navigation. It comes after the settings, which every page needs.
    this.user = user;
    await this.begun(user);
    this.listen();
  }

  /** Reads the store's settings and its date. Repeated when the store restarts, since the day may have changed. */
  async readSettings() {
    this.settings = await this.get("/api/pos/settings");
    setShop(this.settings);
    this.requestUpdate();
  }

  onEvent(name, data) {
    if (name === "ready") this.readSettings().catch(() => {});
    super.onEvent(name, data);
  }

  /** Creates the page anew for each address, even if only a filter differs. */
  body() {
    return keyed(this.params, (this.page !== "login" && more.drawn(this)) || this.plain());
  }

  plain() {
    switch (this.page) {
      case "login":
        return html`<page-login .app=${this}></page-login>`;
      case "today":
        return html`<page-today .app=${this}></page-today>`;
      case "stock":
        return html`<page-stock .app=${this}></page-stock>`;
      case "product":
        return html`<page-product .app=${this}></page-product>`;
      case "receiving":
        return html`<page-receiving .app=${this}></page-receiving>`;
      case "receive":
        return html`<page-receive .app=${this}></page-receive>`;
      case "counts":
        return html`<page-counts .app=${this}></page-counts>`;
      case "count":
        return html`<page-count .app=${this}></page-count>`;
      case "members":
        return html`<page-members .app=${this}></page-members>`;
      case "member":
        return html`<page-member .app=${this}></page-member>`;
      case "people":
        return html`<page-people .app=${this}></page-people>`;
      case "person":
        return html`<page-person .app=${this}></page-person>`;
      case "sync":
        return html`<page-sync .app=${this}></page-sync>`;
      case "machine":
        return html`<page-machine .app=${this}></page-machine>`;
      case "audit":
        return html`<page-audit .app=${this}></page-audit>`;
      case "settings":
        return html`<page-settings .app=${this}></page-settings>`;
      case "devices":
        return html`<page-devices .app=${this}></page-devices>`;
      case "device":
        return html`<page-device .app=${this}></page-device>`;
      default:
        return loading();
    }
  }
}
customElements.define("admin-app", AdminApp);
