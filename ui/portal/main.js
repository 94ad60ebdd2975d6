// The portal of head office: a menu of what the role may see, one page per address after `#`.
import { html, keyed } from "../vendor/lit.js";
import { newKey } from "../shared/api.js";
import { icon } from "../shared/controls.js";
import { setShop } from "../shared/format.js";
import { addTexts, t } from "../shared/i18n.js";
import { begin, drop } from "../shared/intents.js";
import { MenuApp } from "../shared/menu.js";
import { forgetNames, need } from "./names.js";
import { texts } from "./texts.js";
import "./overview.js";

addTexts(texts);

const A = ["admin"];
const F = ["admin", "ho_finance"];
const P = ["admin", "ho_purchasing"];
const ALL = ["admin", "ho_finance", "ho_purchasing"];
const BEGINS = true;
const MENU = [
  ["overview", "layout-dashboard", () => t("Overview"), ALL], ["stores", "store", () => t("Stores"), A], ["exceptions", "triangle-alert", () => t("Exceptions"), ALL],
  ["reports", "chart-column", () => t("Reports"), ALL, BEGINS], ["sales", "receipt", () => t("Sales"), F], ["returns", "undo-2", () => t("Returns"), F], ["shifts", "calculator", () => t("Shifts"), F],
  ["settlements", "scale", () => t("Settlement"), F, BEGINS], ["statements", "landmark", () => t("Statements"), F],
  ["balance", "book-open-text", () => t("Trial balance"), F, BEGINS], ["journal", "scroll-text", () => t("Journal"), F], ["days", "lock", () => t("Days"), F],
  ["invoices", "ticket", () => t("Invoices"), F], ["payables", "wallet", () => t("Payables"), F],
  ["orders", "clipboard-list", () => t("Orders"), ALL, BEGINS], ["suppliers", "truck", () => t("Suppliers"), ALL], ["stock", "package-check", () => t("Stock of stores"), ALL],
  ["products", "tag", () => t("Products"), ALL, BEGINS], ["prices", "banknote", () => t("Prices"), ALL], ["promotions", "badge-percent", () => t("Promotions"), ALL],
  ["members", "star", () => t("Members"), A],
  ["people", "users", () => t("People"), A, BEGINS], ["audit", "shield-check", () => t("Audit"), A], ["conflicts", "history", () => t("Conflicts"), A], ["parked", "inbox", () => t("Parked"), A],
];
/** The document of a list. */
const DETAILS = {
  stores: "store", sales: "sale", returns: "return", shifts: "shift", settlements: "settlement", statements: "statement", journal: "entry", balance: "account",
  invoices: "invoice", orders: "order", suppliers: "supplier", stock: "stocked", products: "product", promotions: "promotion", members: "member", people: "person",
};
const one = (name) => () => import(`./${name}.js`);
const LATER = { stores: one("stores"), store: one("store"), reports: one("report"), statements: one("statements") };
/** Lists and documents that are described as data, by the file that does. */
const DESCRIBED = {
  trade: ["sales", "sale", "returns", "return", "shifts", "shift"], settlement: ["settlements", "settlement", "statement"],
  books: ["balance", "account", "journal", "entry", "days"], payables: ["invoices", "invoice", "payables"],
  orders: ["orders", "order"], goods: ["suppliers", "supplier", "stock", "stocked"],
  catalogue: ["products", "product", "prices", "promotions", "promotion"], people: ["members", "member", "people", "person"],
  upkeep: ["exceptions", "audit", "conflicts", "parked"],
};
/** What a new document is written on. */
const FORMS = { orders: ["order_form", P], invoices: ["invoice_form", F] };
const COUNT_EVERY_MS = 60_000;

class PortalApp extends MenuApp {
  constructor() {
    super();
    this.sections = MENU;
    this.details = DETAILS;
    this.later = { ...LATER };
    this.described = {};
    for (const [file, pages] of Object.entries(DESCRIBED)) for (const page of pages) this.later[page] = () => this.describe(file, page);
    setShop({ currency: "IDR", timezone: Intl.DateTimeFormat().resolvedOptions().timeZone });
  }

  get takesScans() {
    return false;
  }

  purpose() {
    return t("Stores, figures and books of the whole company");
  }

  brand() {
    return t("Head office");
  }

  async describe(file, page) {
    const [{ pages }] = await Promise.all([import(`./${file}.js`), import("./records.js"), import("./record.js")]);
    this.described[page] = pages[page];
  }

  async show(page, params = {}) {
    const [form, roles] = (params.id === "new" && FORMS[this.section]) || [];
    if (form && !this.may(roles)) return super.show("nothing");
    if (form) await import(`./${form}.js`);
    return super.show(form ?? page, params);
  }

  async entered(user) {
    this.user = user;
    this.unconfirmed = null;
    this.counts = {};
    forgetNames();
    if (this.may(A)) {
      const stores = await need(this, "stores");
      const [first] = stores.values();
      if (first) setShop({ currency: "IDR", timezone: first.timezone });
    }
    this.count();
    await this.begun(user);
  }

  /** What waits, beside its entry of the menu. */
  async count() {
    clearTimeout(this.counting);
    this.counting = setTimeout(() => this.user && this.count(), COUNT_EVERY_MS);
    if (!this.may(A)) return;
    try {
      const seen = await this.get("/api/admin/overview");
      this.counts = { exceptions: seen.exceptions_count, orders: seen.orders_to_approve_count, parked: seen.parked_count };
      this.requestUpdate();
    } catch {
      // The next count says it; nothing on the page hangs on this one.
    }
  }

  onKey(event) {
    if (event.ctrlKey && event.key.toLowerCase() === "k" && this.user && !this.dialog?.isOpen) {
      event.preventDefault();
      this.goTo();
      return;
    }
    if (event.key === "Escape" && this.opened) {
      this.opened = false;
      this.requestUpdate();
      return;
    }
    super.onKey(event);
  }

  banner() {
    return this.page === "login" && !this.unconfirmed && !this.said ? html`<div id="banner" class="banner none" role="status"></div>` : super.banner();
  }

  /** Nobody approves at another's desk here: who may is asked by the order's state. */
  async command(intent) {
    const keyed = { key: newKey(), amount: null, ...intent };
    try {
      return await begin(this.user.id, keyed, null, (error) => this.doubt(error, keyed));
    } catch (error) {
      if (error.code === "approval_required") await drop(keyed.key);
      throw error;
    }
  }

  async goTo() {
    const { palette } = await import("../shared/palette.js");
    await palette(this);
  }

  find() {
    return html`<button class="btn find" @click=${() => this.goTo()}>${icon("search")}<span class="say">${t("Go to\u2026")}</span><kbd class="wide" aria-hidden="true">Ctrl K</kbd></button>`;
  }

  body() {
    const spec = this.described[this.page];
    const detail = spec?.load ? html`<page-record .app=${this} .spec=${spec}></page-record>` : html`<page-records .app=${this} .spec=${spec}></page-records>`;
    return keyed(this.params, spec ? detail : this.plain());
  }

  plain() {
    switch (this.page) {
      case "login": return html`<page-login .app=${this}></page-login>`;
      case "overview": return html`<page-overview .app=${this}></page-overview>`;
      case "stores": return html`<page-stores .app=${this}></page-stores>`;
      case "store": return html`<page-store .app=${this}></page-store>`;
      case "reports": return html`<page-report .app=${this}></page-report>`;
      case "statements": return html`<page-statements .app=${this}></page-statements>`;
      case "order_form": return html`<page-order-form .app=${this}></page-order-form>`;
      case "invoice_form": return html`<page-invoice-form .app=${this}></page-invoice-form>`;
      default: return html`<p class="empty">${t("Loading\u2026")}</p>`;
    }
  }
}
customElements.define("portal-app", PortalApp);
