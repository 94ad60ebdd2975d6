// Products or opening stock of a store from a spreadsheet.
import { html } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { title } from "../kit/page.js";
import { FileImport } from "../importing/file_import.js";
import { mayChange } from "./products.js";

class PageImportGoods extends FileImport {
  own;

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  /** Head office manages the products if there is one. */
  async load() {
    await this.readBy(
      async () => ({ own: this.kind === "stock" || (await mayChange(this.app)) }),
      () => this.own !== undefined,
    );
    this.app.focusPage();
  }

  get kind() {
    return this.app.params.query?.kind === "stock" ? "stock" : "products";
  }

  get target() {
    return { pattern: this.kind === "stock" ? "/api/stock/opening/import" : "/api/products/import" };
  }

  keys() {
    return { Escape: () => this.app.go("products") };
  }

  async imported(done) {
    if (this.isConnected) await this.app.go("products");
    this.app.say(
      "ok",
      this.kind === "stock"
        ? t("Opening stock of {n} products saved", { n: number(done.products_count) })
        : t("{n} products imported, {changed} new or changed", { n: number(done.rows), changed: number(done.changed) }),
    );
  }

  preview(done) {
    return this.kind === "stock"
      ? t("Ready: opening stock of {n} products. Nothing is saved yet", { n: number(done.products_count) })
      : t("Ready: {n} products, {changed} new or changed. Nothing is saved yet", {
          n: number(done.rows),
          changed: number(done.changed),
        });
  }

  render() {
    const heading = this.kind === "stock" ? t("Import opening stock") : t("Import products");
    if (this.own === undefined) return html`${title(heading)}${this.awaited()}`;
    if (!this.own)
      return html`${title(heading)}
        <p class="empty panel">${t("Head office manages the products of this store. Change them there")}</p>`;
    const back = html`<a class="back" href=${address(["products"])}
      >${icon("arrow-left")}<span class="vh">${t("Products")}</span></a
    >`;
    return html`${title(html`${back}${heading}`, this.button())}${this.body()}`;
  }
}
customElements.define("page-import-goods", PageImportGoods);
