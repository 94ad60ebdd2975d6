// Store Admin: a menu of what the role may do, one page per address after `#`.
import { html } from "../vendor/lit.js";
import { setShop } from "../shared/format.js";
import { t } from "../shared/i18n.js";
import { MenuApp } from "../shared/menu.js";
import "./today.js";

const MANAGE = ["store_manager", "admin"];
const GOODS = ["warehouse_staff", ...MANAGE];
const ALL = ["cashier", ...GOODS];
const MENU = [
  ["today", "house", () => t("Today"), MANAGE], ["stock", "package", () => t("Stock"), GOODS], ["receiving", "truck", () => t("Receiving"), GOODS],
  ["counts", "clipboard-list", () => t("Counts"), GOODS], ["members", "star", () => t("Members"), MANAGE], ["people", "users", () => t("People"), MANAGE],
  ["sync", "cloud", () => t("Head office"), MANAGE], ["devices", "key-round", () => t("My devices"), ALL, true],
];
const LATER = {
  stock: () => import("./stock.js"), product: () => import("./product.js"), receiving: () => import("./receiving.js"), receive: () => import("./receive.js"),
  counts: () => import("./counts.js"), count: () => import("./count.js"), members: () => import("./members.js"), member: () => import("./member.js"),
  people: () => import("./people.js"), person: () => import("./person.js"), devices: () => import("../passkeys/devices.js"), sync: () => import("./sync.js"),
};
/** What one of a list is shown by. */
const DETAIL = { stock: "product", receiving: "receive", counts: "count", members: "member", people: "person" };

class AdminApp extends MenuApp {
  constructor() {
    super();
    this.sections = MENU;
    this.details = DETAIL;
    this.later = LATER;
  }

  purpose() {
    return t("The shop's stock, people and figures");
  }

  brand() {
    return this.settings?.name ?? "";
  }

  async entered(user) {
    this.user = user;
    this.unconfirmed = null;
    this.settings = await this.get("/api/pos/settings");
    setShop(this.settings);
    await this.begun(user);
    this.listen();
  }

  async listen() {
    const { Live } = await import("../shared/live.js");
    this.live ??= new Live((name, data) => this.current?.firstElementChild?.told?.(name, data));
    this.live.start();
  }

  left() {
    this.live?.stop();
    super.left();
  }

  body() {
    switch (this.page) {
      case "login": return html`<page-login .app=${this}></page-login>`;
      case "today": return html`<page-today .app=${this}></page-today>`;
      case "stock": return html`<page-stock .app=${this}></page-stock>`;
      case "product": return html`<page-product .app=${this}></page-product>`;
      case "receiving": return html`<page-receiving .app=${this}></page-receiving>`;
      case "receive": return html`<page-receive .app=${this}></page-receive>`;
      case "counts": return html`<page-counts .app=${this}></page-counts>`;
      case "count": return html`<page-count .app=${this}></page-count>`;
      case "members": return html`<page-members .app=${this}></page-members>`;
      case "member": return html`<page-member .app=${this}></page-member>`;
      case "people": return html`<page-people .app=${this}></page-people>`;
      case "person": return html`<page-person .app=${this}></page-person>`;
      case "sync": return html`<page-sync .app=${this}></page-sync>`;
      case "devices": return html`<page-devices .app=${this}></page-devices>`;
      default: return html`<p class="empty">${t("Loading\u2026")}</p>`;
    }
  }
}
customElements.define("admin-app", AdminApp);
