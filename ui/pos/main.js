// The till: its user, register, shift and page.
import { html, nothing } from "../vendor/lit.js";
import { send, Unreachable } from "../kit/api.js";
import { App, LOCK_AFTER, LOCK_AFTER_MINUTES } from "../kit/app.js";
import { loading } from "../kit/controls.js";
import { setShop } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { isSafe } from "../kit/intents.js";
import { Basket } from "./basket.js";
import { Meanwhile } from "./link.js";
import { Locking } from "./locking.js";
import { renewQuick } from "./side.js";
import "./sell.js";

const REGISTER = "register";
/** Key of the store and register of this device. */
const PLACE = "place";
const LOOK_MS = 10_000;
/** A tab answers at once. */
const TABS_MS = 150;
/** Key of the version for which this tab was reloaded, and the idle time before a reload. */
const RENEWED = "renewed";
const RENEW_AFTER_MS = 30_000;
const LATER = {
  open: () => import("./open.js"),
  pay: () => import("./pay.js"),
  holds: () => import("./holds.js"),
  return: () => import("../returns/return.js"),
  receipts: () => import("./receipts.js"),
  devices: () => import("../passkeys/devices.js"),
  device: () => import("../kit/device.js"),
  cash: () => import("./cash.js"),
  close: () => import("./close.js"),
  unconfirmed: () => import("./unconfirmed.js"),
  products: () => import("../touch/products.js"),
  menu: () => import("./menu.js"),
  lock: () => import("./lock.js"),
};

class PosApp extends Meanwhile(Locking(App)) {
  constructor() {
    super();
    this.later = LATER;
    this.shift = null;
    this.last = null;
    this.basket = new Basket(this);
    this.returning = null;
    this.ahead = null;
    this.status = null;
    this.quick = [];
    this.register = localStorage.getItem(REGISTER);
    // Only one tab sells: two tabs would overwrite each other's lines.
    this.tabs = new BroadcastChannel("pos");
    this.tabs.onmessage = ({ data }) => this.tabSaid(data);
  }

  connectedCallback() {
    super.connectedCallback();
    this.touched = Date.now();
    for (const name of ["keydown", "pointerdown"])
      document.addEventListener(
        name,
        () => {
          this.touched = Date.now();
        },
        { capture: true },
      );
    setInterval(() => this.idle(), LOOK_MS);
  }

  /** Whether a reload loses nothing: baskets, payments and counts are restored, other input is not. */
  isCalm() {
    const page = this.current?.firstElementChild;
    const { basket, returning } = this;
    const kept = !basket.isBehind && Boolean(basket.sale || !basket.member) && !returning?.exchange;
    if (this.page === "sell") return this.isFree && kept && !page.line?.value;
    if (this.page === "pay") return this.isFree && Boolean(page.paid);
    return !["open", "return"].includes(this.page) && super.isCalm();
  }

  /** Loads a new version between two customers, once. */
  renew() {
    const quiet =
      this.newer && Date.now() - this.touched > RENEW_AFTER_MS && sessionStorage.getItem(RENEWED) !== this.newer;
    if (!quiet || !["sell", "login"].includes(this.page) || !this.basket.isEmpty || !this.isCalm()) return;
    sessionStorage.setItem(RENEWED, this.newer);
    location.reload();
  }

  idle() {
    this.renew();
    this.askStatus();
    const after = Number(localStorage.getItem(LOCK_AFTER) ?? LOCK_AFTER_MINUTES) * 60_000;
    if (this.shift && Date.now() - this.touched > after) this.lock();
  }

  async entered(user) {
    this.user = user;
    this.unconfirmed = null;
    if (await this.isTaken()) await this.show("elsewhere");
    else await this.begun(user);
  }

  /** Whether another tab sells. It continues until the user chooses this one. */
  isTaken() {
    return new Promise((/** @type {(taken: boolean) => void} */ resolve) => {
      this.takenBy = () => resolve(true);
      this.tabs.postMessage("who");
      setTimeout(() => resolve(false), TABS_MS);
    });
  }

  tabSaid(what) {
    const sells = this.shift && this.page !== "elsewhere";
    if (what === "who" && sells) this.tabs.postMessage("here");
    if (what === "here") this.takenBy?.();
    if (what === "selling" && sells) this.show("elsewhere");
  }

  async begun(user) {
    // Keys and scans do not wait for this.
    this.part(() => import("../touch/start.js")).then((touch) => touch?.begin(this));
    await this.load();
    this.listen();
    // These are needed when the store does not answer, so they are loaded before.
    for (const part of [LATER.unconfirmed, LATER.menu, LATER.lock]) part().catch(() => {});
    const results = await this.resumed(user);
    if (!results) return;
    this.unsettled = results.filter(({ other }) => other).length;
    if (results.some(({ other }) => !other)) await this.load();
    const paid = results.find(({ done, answer }) => done && answer?.state === "paid" && answer.receipt_no);
    if (paid) this.finished(paid.answer);
    const back = results.find(({ done, answer }) => done && answer?.return_id);
    if (back) await this.returned(back.answer);
    this.reported(results);
    if (!(await isSafe()))
      this.say("warn", t("This browser can't store data. Don't close this tab while something is not confirmed"));
  }

  /** Shows the unfinished commands of other users. */
  reported(results) {
    super.reported(results);
    if (this.message && this.unsettled) this.message.action = { label: t("View"), act: () => this.show("unconfirmed") };
  }

  /** Shows the amount that is to be paid out for a return whose answer was lost. */
  async returned(done) {
    await this.show("return");
    const page = this.current.firstElementChild;
    await page.once(() => page.gave(done));
    this.focusPage();
  }

  async load() {
    this.settings = await this.get("/api/pos/settings");
    setShop(this.settings, this.settings.register?.register_id);
    this.reasons = await this.get("/api/pos/reasons");
    this.shift = this.settings.shift_id ? await this.get("/api/shifts/:id", { id: this.settings.shift_id }) : null;
    const { register_id: own, register_ids: tills } = this.shift ?? {};
    // A shift that was moved does not make this device another till.
    if (this.shift && (!this.register || tills.join() === own)) this.setRegister(tills[0] ?? own);
    localStorage.setItem(PLACE, JSON.stringify([this.settings.name, this.registerName]));
    document.title = this.shift ? `${t("Sell")} \u00b7 ${this.registerName}` : t("Till");
    if (!this.shift) {
      this.show("open");
      return;
    }
    this.tabs.postMessage("selling");
    // The first typed text may be `.1`.
    await Promise.all([renewQuick(this), this.basket.restore()]);
    this.countHolds();
    if (this.shift.state === "ended" || !tills.includes(this.register)) {
      await this.show(this.shift.state === "ended" ? "close" : "cash");
      return;
    }
    const paying = this.basket.sale?.state === "partially_paid";
    await this.show(paying ? "pay" : "sell");
  }

  async show(page, params) {
    if (page === "login") this.choosing();
    await super.show(page, params);
    if (page === "sell") this.basket.caughtUp();
  }

  /** Leaves a page that is not part of a sale. */
  leavePage() {
    return this.shift?.state === "open" ? this.show("sell") : this.load();
  }

  /** Text of the log-in page. A new device asks for the store's ID. */
  purpose() {
    const kept = JSON.parse(localStorage.getItem(PLACE) ?? "null");
    if (!kept && !this.place)
      this.place = send("GET", "/health", {}).then(
        ({ store_id: id, name }) => {
          this.place = [name || id];
          this.requestUpdate();
        },
        () => {},
      );
    const names = kept ?? (Array.isArray(this.place) ? this.place : []);
    return html`<b id="place"
        >${names.filter(Boolean).map((name, index) => html`${index ? ", " : ""}<bdi>${name}</bdi>`)}</b
      ><br />${t("Log in to start selling")}`;
  }

  left() {
    this.isUnlocked();
    this.shift = null;
    this.live?.stop();
    this.returning?.clear();
    this.basket.clear();
  }

  setRegister(id) {
    if (id !== this.register) this.quick = [];
    this.register = id;
    localStorage.setItem(REGISTER, id);
  }

  get registerName() {
    return (
      this.settings?.registers.find((one) => one.register_id === this.register)?.name ??
      this.settings?.register?.name ??
      this.register
    );
  }

  async countHolds() {
    const { items } = await this.get("/api/pos/holds", {}, { limit: 100 });
    this.holds = items.length;
    this.requestUpdate();
  }

  /** Keeps the figures of a complete sale until the next one. */
  finished(sale) {
    this.last = sale;
    this.basket.clear();
  }

  /** Prints each receipt if the store's settings say so. A failed print does not affect the sale. */
  printed(no) {
    if (this.settings.printing.auto_print) this.paper(no);
  }

  async reprint() {
    if (this.last) await this.paper(this.last.receipt_no);
  }

  async paper(no) {
    (await this.part(() => import("./paper.js")))?.printReceipt(this, no);
  }

  async report(id) {
    (await this.part(() => import("./paper.js")))?.printReport(this, id);
  }

  /** Waits until the store answers again. Until then nothing is sold. */
  async back() {
    this.doubt(new Unreachable());
    this.backing ??= this.known("/api/pos/settings")
      .catch(() => {})
      .finally(() => {
        this.backing = null;
      });
  }

  async menu() {
    (await this.part(LATER.menu))?.menu(this);
  }

  /** Keys of every page of an open shift. A page's own keys have priority. */
  anywhere() {
    if (!this.user || this.page === "elsewhere" || this.page === "sell")
      return this.user ? { F1: () => void this.help() } : {};
    const ofSale = this.shift?.state === "open" ? ["F2", "F3", "Shift+F3", "F6", "F7", "F8", "F9", "F10"] : [];
    return {
      F1: () => void this.help(),
      ...Object.fromEntries(ofSale.map((name) => [name, () => void this.fromSale(name)])),
    };
  }

  /** Does an action of the basket's page from another page, unless a command is running. */
  async fromSale(name) {
    const page = this.current?.firstElementChild;
    if (page?.busy || this.basket.isPaying || this.unconfirmed) return;
    page?.leave?.();
    await this.show("sell");
    this.current.firstElementChild.keys()[name]();
  }

  /** Whether an unused key belongs to the line: on a page of an open shift without a field for keys. */
  get typesAhead() {
    const page = this.current?.firstElementChild;
    if (this.ahead) return true;
    if (
      !this.user ||
      this.locked ||
      this.shift?.state !== "open" ||
      this.unconfirmed ||
      page?.busy ||
      ["sell", "close", "elsewhere", "return"].includes(this.page)
    )
      return false;
    return !page?.querySelector("[data-scan=line], [data-keys]");
  }

  /** Begins the next sale with a key that was typed after a sale, and with those typed until the page is shown. */
  async typedAhead(key) {
    const isFirst = !this.ahead;
    this.ahead = `${this.ahead ?? ""}${key}`;
    if (!isFirst) return;
    await this.show("sell");
    const text = this.ahead;
    this.ahead = null;
    this.current.firstElementChild.begin?.(text);
  }

  async help() {
    (await this.part(() => import("./help.js")))?.help(this);
  }

  // ---- the view

  elsewhere() {
    return html`<div class="narrow-page">
      <section class="panel card stack">
        <h1>${t("This till is open in another tab")}</h1>
        <p class="muted">${t("Only one tab can sell at a time. The sale moves to this tab")}</p>
        <button class="btn primary big" data-focus @click=${() => this.begun(this.user)}>${t("Sell here")}</button>
      </section>
    </div>`;
  }

  body() {
    switch (this.page) {
      case "login":
        return this.people
          ? html`<page-people .app=${this}></page-people>`
          : html`<page-login .app=${this}></page-login>`;
      case "open":
        return html`<page-open .app=${this}></page-open>`;
      case "elsewhere":
        return this.elsewhere();
      case "sell":
        return html`<page-sell .app=${this}></page-sell>`;
      case "pay":
        return html`<page-pay .app=${this}></page-pay>`;
      case "holds":
        return html`<page-holds .app=${this}></page-holds>`;
      case "return":
        return html`<page-return .app=${this}></page-return>`;
      case "receipts":
        return html`<page-receipts .app=${this}></page-receipts>`;
      case "devices":
        return html`<page-devices .app=${this}></page-devices>`;
      case "device":
        return html`<page-device .app=${this}></page-device>`;
      case "unconfirmed":
        return html`<page-unconfirmed .app=${this}></page-unconfirmed>`;
      case "cash":
        return html`<page-cash .app=${this}></page-cash>`;
      case "products":
        return html`<page-products .app=${this}></page-products>`;
      case "close":
        return html`<page-close .app=${this}></page-close>`;
      default:
        return loading();
    }
  }

  render() {
    const { locked } = this;
    return html`${locked ? nothing : html`${this.strip()}${this.banner()}`}
      <main>${locked ? this.lockedPart() : this.body()}</main>
      ${(!locked && this.pad?.("page")) || nothing}<x-dialog .away=${Boolean(locked)} .pad=${this.pad}></x-dialog>`;
  }
}
customElements.define("pos-app", PosApp);
