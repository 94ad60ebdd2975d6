// A document that is written by scanning: products found by scan, code or name, pieces of each; a draft until it is
// sent.
import { html, nothing } from "../vendor/lit.js";
import { findProduct } from "../admin/find.js";
import { FormPage } from "../records/form_page.js";
import { countInput, icon } from "../kit/controls.js";
import { number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { codeOf } from "../kit/scan.js";
import "./texts.js";

const SEARCH_AFTER_MS = 200;
const SHOWN = 6;
/** What is typed so is a code: it names one product or none. */
const CODE = /^\d{8,}$/;

export class LinesPage extends FormPage {
  constructor() {
    super();
    this.lines = [];
    this.found = [];
    this.at = -1;
  }

  async scanned(code) {
    try {
      const found = await findProduct(this.app, code);
      if (found) this.put(found);
    } catch (error) {
      this.app.scanFailed(error, code);
    }
  }

  /** A piece more of a product, or a carton's pieces where its code was scanned. */
  put({ sku, name, on_hand: there, damaged, average_cost: cost, pack_qty: pieces = 1 }) {
    const known = this.lines.findIndex((line) => line.sku === sku);
    const line = { sku, name, there, damaged, cost };
    if (known < 0) this.set({ lines: [...this.lines, { ...line, qty: pieces }] });
    else this.line(known, { ...line, qty: (this.lines[known].qty ?? 0) + pieces });
  }

  typed(text) {
    clearTimeout(this.timer);
    this.at = -1;
    this.timer = setTimeout(async () => {
      this.asked = text;
      try {
        const items = text.length < 2 ? [] : (await this.app.get("/api/stock", {}, { q: text, limit: SHOWN })).items;
        // An older answer than what stands there now is dropped.
        if (this.asked !== text) return;
        this.found = items;
        this.requestUpdate();
      } catch (error) {
        this.app.fail(error);
      }
    }, SEARCH_AFTER_MS);
  }

  closeList() {
    clearTimeout(this.timer);
    this.asked = null;
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

  onFind(event) {
    const { key, target } = event;
    const text = codeOf(target.value);
    if (key === "Escape" && this.found.length) this.closeList();
    else if (key === "ArrowDown" || key === "ArrowUp") {
      const all = this.found.length;
      if (all) this.at = (this.at + (key === "ArrowDown" ? 1 : all - (this.at < 0 ? 0 : 1))) % all;
    } else if (key === "Enter" && !event.ctrlKey && text) {
      const chosen =
        this.found[this.at] ?? (CODE.test(text) ? null : (this.found.find(({ sku }) => sku === text) ?? this.found[0]));
      if (chosen && (this.at >= 0 || this.asked === text)) this.take(chosen);
      else {
        target.value = "";
        this.closeList();
        this.scanned(text);
      }
    } else return;
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
              <bdi>${one.name}</bdi><span class="muted">${one.sku}</span><span class="num">${number(one.on_hand)}</span>
            </li>`,
        )}
      </ul>
    </div>`;
  }

  /** The product of a line, and what is there of it. */
  product(line) {
    return html`<td>
      <div><bdi>${line.name}</bdi> <span class="muted">${line.sku}</span></div>
    </td>`;
  }

  pieces(line, index, /** @type {{ name?: string, label?: string }} */ { name = "qty", label } = {}) {
    return html`<td class="num in">
      ${countInput({
        id: `${name}-${line.sku}`,
        value: line[name] ?? null,
        label: label ?? t("{name}: quantity", { name: line.name }),
        onValue: (value) => this.line(index, { [name]: value }),
      })}
    </td>`;
  }

  removal(line) {
    return html`<td class="acts">
      <button
        class="btn small"
        aria-label=${t("Remove {name}", { name: line.name })}
        @click=${() => this.set({ lines: this.lines.filter((one) => one !== line) })}
      >
        ${icon("trash-2", "icon-s")}
      </button>
    </td>`;
  }

  /** What all lines come to, in words. */
  summed() {
    return t("products: {n}, pieces: {p}", {
      n: number(this.lines.length),
      p: number(this.lines.reduce((all, { qty }) => all + (qty ?? 0), 0)),
    });
  }

  /** The lines with their inputs, under a head with the field that finds products. */
  sheet(heads, row, none) {
    return html`<section class="panel part sheet">
      <header class="part-head">
        ${this.finder()}
        <p class="muted end" aria-live="polite">${this.lines.length ? this.summed() : nothing}</p>
      </header>
      ${
        this.lines.length
          ? html`<div class="scroll">
              <table class="grid fold lines">
                <thead>
                  <tr>
                    ${heads.map(([label, kind]) => html`<th scope="col" class=${kind ?? ""}>${label}</th>`)}
                    <th><span class="vh">${t("Actions")}</span></th>
                  </tr>
                </thead>
                <tbody>
                  ${this.lines.map(row)}
                </tbody>
              </table>
            </div>`
          : html`<p class="empty">${none}</p>`
      }
    </section>`;
  }

  /** Lines that say something, as the interface takes them; none of a page where a number is missing. */
  filled() {
    const missing = this.lines.find(({ qty }) => !qty);
    if (missing) {
      this.problem = t("{name}: enter a quantity", { name: missing.name });
      this.querySelector(`#qty-${CSS.escape(missing.sku)}`)?.focus();
      return null;
    }
    if (!this.lines.length) {
      this.problem = t("Scan or find a product first");
      this.querySelector("#scan")?.focus();
      return null;
    }
    return this.lines;
  }
}

/** What is said on the page that comes next. */
export const sayNext = async (app, text) => {
  await new Promise((resolve) => setTimeout(resolve));
  app.say("ok", text);
};
