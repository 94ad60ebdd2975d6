// A field that finds products by scan, code or name, with a list below it while the user types.
import { html, nothing } from "../vendor/lit.js";
import { findProduct } from "../admin/find.js";
import { number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { codeOf } from "../kit/scan.js";
import "./texts.js";

const SEARCH_AFTER_MS = 200;
const SHOWN = 6;
/** Text that is a code: it names one product or none. */
const CODE = /^\d{8,}$/;

/** A page with the field. Subclasses implement `put(product)`, which may be asynchronous. */
export const Finding = (/** @type {any} */ Base) =>
  class extends Base {
    constructor() {
      super();
      this.found = [];
      this.at = -1;
    }

    /**
     * Adds the product with this code; returns false if there is none.
     * @returns {Promise<any>}
     */
    async scanned(code) {
      try {
        const found = await findProduct(this.app, code);
        if (found) await this.put(found);
        return Boolean(found);
      } catch (error) {
        this.app.scanFailed(error, code);
        return false;
      }
    }

    typed(text) {
      clearTimeout(this.timer);
      this.at = -1;
      this.timer = setTimeout(() => this.search(text).catch((error) => this.app.fail(error)), SEARCH_AFTER_MS);
    }

    /** Loads the list for a text; an answer for an older text is dropped. */
    async search(text) {
      clearTimeout(this.timer);
      this.asked = text;
      const items = text.length < 2 ? [] : (await this.app.get("/api/stock", {}, { q: text, limit: SHOWN })).items;
      if (this.asked !== text) return;
      [this.found, this.listed] = [items, text];
      this.requestUpdate();
    }

    closeList() {
      clearTimeout(this.timer);
      this.asked = null;
      this.listed = null;
      this.found = [];
      this.at = -1;
      this.requestUpdate();
    }

    take(product) {
      const field = this.querySelector("#scan");
      field.value = "";
      this.closeList();
      this.put(product);
      field.focus();
    }

    /** Enter takes the selected product, a code, or the first of the list, for which it waits. */
    async enter(text, field) {
      const chosen = this.found[this.at];
      if (chosen) return this.take(chosen);
      if (CODE.test(text)) {
        field.value = "";
        this.closeList();
        return this.scanned(text);
      }
      try {
        if (this.listed !== text) await this.search(text);
      } catch (error) {
        return this.app.fail(error);
      }
      // The user has typed more meanwhile.
      if (this.listed !== text) return null;
      const named = this.found.find(({ sku }) => sku === text) ?? this.found[0];
      if (named) return this.take(named);
      this.closeList();
      // Text without a result stays, to be corrected.
      if ((await this.scanned(text)) === false) field.select();
      else field.value = "";
      return null;
    }

    onFind(event) {
      const { key, target } = event;
      const text = codeOf(target.value);
      if (key === "Escape" && this.found.length) this.closeList();
      else if (key === "ArrowDown" || key === "ArrowUp") {
        const all = this.found.length;
        if (all) this.at = (this.at + (key === "ArrowDown" ? 1 : all - (this.at < 0 ? 0 : 1))) % all;
      } else if (key === "Enter" && !event.ctrlKey && text) this.enter(text, target);
      else return;
      event.preventDefault();
      event.stopPropagation();
      this.requestUpdate();
    }

    finder() {
      const open = this.found.length > 0;
      return html`<div class="finder">
        <div class="field">
          <label for="scan">${t("Scan a product, or type its code or name")}</label>
          <input
            class="input"
            id="scan"
            data-focus
            data-scan="line"
            autocomplete="off"
            role="combobox"
            aria-autocomplete="list"
            aria-expanded=${open}
            aria-controls="scan-found"
            aria-activedescendant=${this.at >= 0 ? `scan-found-${this.at}` : nothing}
            @input=${(event) => this.typed(event.target.value.trim())}
            @keydown=${(event) => this.onFind(event)}
          />
        </div>
        <ul class="found panel" id="scan-found" role="listbox" aria-label=${t("Products found")} ?hidden=${!open}>
          ${this.found.map(
            (one, index) =>
              html`<li
                role="option"
                id="scan-found-${index}"
                aria-selected=${index === this.at}
                @click=${() => this.take(one)}
              >
                <bdi>${one.name}</bdi><span class="muted">${one.sku}</span
                ><span class="num">${number(one.on_hand)}</span>
              </li>`,
          )}
        </ul>
      </div>`;
    }
  };
