// The portal of head office: a menu for the user's role, one page per address after `#`.
import { html, keyed, nothing } from "../vendor/lit.js";
import { earlier, newKey } from "../kit/api.js";
import { loading } from "../kit/controls.js";
import { setShop } from "../kit/format.js";
import { addTexts, t } from "../kit/i18n.js";
import { begin, drop } from "../kit/intents.js";
import { address, Lettered, MenuApp } from "../kit/menu.js";
import { forgetNames, need } from "../records/names.js";
import { A, DESCRIBED, DETAILS, ELEMENTS, FAMILIES, familyOf, FORMS, PARTS, SECTIONS } from "./sections.js";
import desk from "../desk/texts.id.json" with { type: "json" };
import en from "./texts.en.json" with { type: "json" };
import id from "./texts.id.json" with { type: "json" };

addTexts({ en, id: { ...desk, ...id } });

const COUNT_EVERY_MS = 60_000;

class PortalApp extends Lettered(MenuApp) {
  constructor() {
    super();
    this.sections = SECTIONS;
    this.details = DETAILS;
    this.later = Object.fromEntries(
      Object.entries(ELEMENTS).map(([page, file]) => [page, () => import(`../${file}.js`)]),
    );
    this.described = {};
    for (const [file, pages] of Object.entries(DESCRIBED))
      for (const page of pages) this.later[page] = () => this.describe(file, page);
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
    const [{ pages }] = await Promise.all([
      import(`../${file}.js`),
      import("../records/records.js"),
      import("../records/record.js"),
    ]);
    this.described[page] = pages[page];
  }

  show(page, params = {}) {
    const [form, roles] = (params.id === "new" && FORMS[this.section]) || PARTS[`${this.section}/${params.part}`] || [];
    if (form && !this.may(roles)) return super.show("nothing");
    return super.show(form ?? page, params);
  }

  /** Returns one entry for each family: the first page that the role may see. */
  entries() {
    return FAMILIES.map(([image, letter, label, pages, gap]) => {
      const mine = pages.filter(([, , roles]) => this.may(roles));
      const count = mine.reduce((sum, [name]) => sum + (this.counts[name] ?? 0), 0);
      return mine.length
        ? {
            name: mine[0][0],
            image,
            label: (label ?? mine[0][1])(),
            gap,
            count,
            here: mine.some(([name]) => name === this.section),
            letter: this.waits && letter,
          }
        : null;
    }).filter(Boolean);
  }

  /** Returns the related pages of the current one. */
  tabs() {
    const mine = (familyOf(this.section)?.[3] ?? []).filter(([, , roles]) => this.may(roles));
    if (mine.length < 2) return nothing;
    return html`<nav class="tabs" aria-label=${t("Related pages")}>
      ${mine.map(
        ([name, label]) =>
          html`<a href=${address([name])} aria-current=${name === this.section ? "page" : nothing}
            >${label()}${this.counts[name] ? html` <b>${this.counts[name]}</b>` : nothing}</a
          >`,
      )}
    </nav>`;
  }

  async entered(user) {
    this.user = user;
    this.unconfirmed = null;
    this.counts = {};
    forgetNames();
    const [{ timezone }, stores, { currency, currency_exponent }] = await Promise.all([
      this.get("/health"),
      need(this, "stores"),
      this.get("/api/company"),
    ]);
    setShop({
      currency,
      currency_exponent,
      timezone,
      several_zones: [...stores.values()].some((one) => one.timezone !== timezone),
    });
    this.count();
    await this.begun(user);
    this.listen();
  }

  /** Counts waiting items for the menu. */
  async count() {
    clearTimeout(this.counting);
    this.counting = setTimeout(() => this.user && this.count(), COUNT_EVERY_MS);
    if (!this.may(A)) return;
    try {
      const seen = await this.get("/api/admin/overview");
      this.counts = {
        exceptions: seen.exceptions_count,
        orders: seen.orders_to_approve_count,
        parked: seen.parked_count,
      };
      this.requestUpdate();
    } catch {
      // The next count shows it; the page does not depend on this one.
    }
  }

  /** Returns the letter of each family, for the first page that the role may see. */
  places() {
    return FAMILIES.map(([, letter, label, pages]) => {
      const first = pages.find(([, , roles]) => this.may(roles));
      return first ? [letter, (label ?? first[1])(), first[0]] : null;
    }).filter(Boolean);
  }

  /** No one approves at another user's desk here: the state of the order shows who may. */
  async command(intent) {
    const keyed = { key: newKey(), amount: null, ...intent };
    try {
      const answer = await begin(this.user.id, keyed, null, (error) => this.doubt(error, keyed));
      if (earlier.has(answer)) this.reported([{ intent: keyed, done: true, answer }]);
      return answer;
    } catch (error) {
      if (error.code === "approval_required") await drop(keyed.key);
      throw error;
    }
  }

  body() {
    const spec = this.described[this.page];
    const detail = spec?.load
      ? html`<page-record .app=${this} .spec=${spec}></page-record>`
      : html`<page-records .app=${this} .spec=${spec}></page-records>`;
    return keyed(this.params, spec ? detail : this.plain());
  }

  plain() {
    switch (this.page) {
      case "login":
        return html`<page-login .app=${this}></page-login>`;
      case "overview":
        return html`<page-overview .app=${this}></page-overview>`;
      case "stores":
        return html`<page-stores .app=${this}></page-stores>`;
      case "store":
        return html`<page-store .app=${this}></page-store>`;
      case "reports":
        return html`<page-report .app=${this}></page-report>`;
      case "statements":
        return html`<page-statements .app=${this}></page-statements>`;
      case "suggestions":
        return html`<page-suggestions .app=${this}></page-suggestions>`;
      case "settings":
        return html`<page-settings .app=${this}></page-settings>`;
      case "import":
        return html`<page-import .app=${this}></page-import>`;
      case "devices":
        return html`<page-devices .app=${this}></page-devices>`;
      case "order_form":
        return html`<page-order-form .app=${this}></page-order-form>`;
      case "order_paper":
        return html`<page-order-paper .app=${this}></page-order-paper>`;
      case "revise_form":
        return html`<page-revise-form .app=${this}></page-revise-form>`;
      case "invoice_form":
        return html`<page-invoice-form .app=${this}></page-invoice-form>`;
      case "credit_form":
        return html`<page-credit-form .app=${this}></page-credit-form>`;
      case "payment_form":
        return html`<page-payment-form .app=${this}></page-payment-form>`;
      case "entry_form":
        return html`<page-entry-form .app=${this}></page-entry-form>`;
      case "opening_form":
        return html`<page-opening-form .app=${this}></page-opening-form>`;
      case "match_form":
        return html`<page-match-form .app=${this}></page-match-form>`;
      case "promotion_form":
        return html`<page-promotion-form .app=${this}></page-promotion-form>`;
      default:
        return loading();
    }
  }
}
customElements.define("portal-app", PortalApp);
