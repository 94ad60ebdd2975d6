// Store Admin: a menu of what the role may do, one page per address after `#`.
import { html, nothing } from "../vendor/lit.js";
import { Unreachable } from "../shared/api.js";
import { App } from "../shared/app.js";
import { icon } from "../shared/controls.js";
import { setShop } from "../shared/format.js";
import { lang, t } from "../shared/i18n.js";
import { resumeAll } from "../shared/intents.js";
import "./today.js";

const MANAGE = ["store_manager", "admin"];
const GOODS = ["warehouse_staff", ...MANAGE];
/** Address, icon, name, who may. */
const MENU = [
  ["today", "house", "Today", MANAGE], ["stock", "package", "Stock", GOODS], ["receiving", "truck", "Receiving", GOODS],
  ["counts", "clipboard-list", "Counts", GOODS], ["members", "star", "Members", MANAGE], ["people", "users", "People", MANAGE],
  ["sync", "cloud", "Head office", MANAGE],
];
const LATER = {
  stock: () => import("./stock.js"), product: () => import("./product.js"), receiving: () => import("./receiving.js"), receive: () => import("./receive.js"),
  counts: () => import("./counts.js"), count: () => import("./count.js"), members: () => import("./members.js"), member: () => import("./member.js"),
  people: () => import("./people.js"), person: () => import("./person.js"), sync: () => import("./sync.js"),
};
/** What one of a list is shown by. */
const DETAIL = { stock: "product", receiving: "receive", counts: "count", members: "member", people: "person" };

class AdminApp extends App {
  constructor() {
    super();
    this.later = LATER;
    addEventListener("hashchange", () => this.route());
  }

  purpose() {
    return t("The shop's stock, people and figures");
  }

  async entered(user) {
    this.user = user;
    this.unconfirmed = null;
    this.settings = await this.get("/api/pos/settings");
    setShop(this.settings);
    const results = await resumeAll(user.id, (intent) => this.doubt(intent && new Unreachable(), intent ?? undefined));
    await this.route();
    this.reported(results);
  }

  menu() {
    return MENU.filter(([, , , roles]) => roles.includes(this.user?.role));
  }

  /** Shows what the address says; an address without a right becomes the first page of the menu. */
  route() {
    if (!this.user) return undefined;
    const [, place, id] = location.hash.split("/").map(decodeURIComponent);
    const allowed = this.menu().map(([name]) => name);
    if (!allowed.length) return this.show("nothing");
    const section = allowed.includes(place) ? place : allowed[0];
    this.section = section;
    const page = id && DETAIL[section] ? DETAIL[section] : section;
    document.title = `${t(MENU.find(([name]) => name === section)[2])} \u00b7 ${this.settings.name}`;
    return this.show(page, { id });
  }

  go(...parts) {
    location.hash = `#/${parts.map(encodeURIComponent).join("/")}`;
  }

  left() {
    location.hash = "";
  }

  nav() {
    if (!this.user) return nothing;
    const dark = document.documentElement.dataset.theme === "dark";
    return html`<nav class="side" aria-label=${t("Menu")}><p class="brand"><img src=${new URL("../shared/mark.svg", import.meta.url).pathname} alt="" width="20" height="20"><b class="wide">${this.settings?.name}</b></p>
      <ul>${this.menu().map(([name, image, label]) => html`<li><a href="#/${name}" aria-current=${name === this.section ? "page" : nothing} title=${t(label)}>${icon(image)}<span class="wide">${t(label)}</span></a></li>`)}</ul>
      <div class="foot"><button class="btn quiet" @click=${() => this.speak(lang() === "id" ? "en" : "id")} title=${t("Language")}>${icon("languages")}<span class="wide">${lang() === "id" ? "English" : "Bahasa Indonesia"}</span></button>
      <button class="btn quiet" @click=${() => this.theme(dark ? "light" : "dark")} title=${dark ? t("Light screen") : t("Dark screen")}>${icon("moon")}<span class="wide">${dark ? t("Light screen") : t("Dark screen")}</span></button>
      <button class="btn quiet" @click=${() => this.logOut()} title=${t("Log out")}>${icon("log-out")}<span class="wide"><bdi>${this.user.name}</bdi></span></button></div></nav>`;
  }

  body() {
    switch (this.page) {
      case "login": return html`<page-login .app=${this}></page-login>`;
      case "nothing": return html`<div class="narrow-page"><p class="empty">${t("Your role has no part in this")}</p></div>`;
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
      default: return html`<p class="empty">${t("Loading\u2026")}</p>`;
    }
  }

  render() {
    return html`${this.nav()}<div class="content">${this.banner()}<main>${this.body()}</main></div><x-dialog></x-dialog>`;
  }
}
customElements.define("admin-app", AdminApp);
