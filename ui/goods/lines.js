// A document that is written by scanning: products found by scan, code or name, with pieces of each; a draft until it
// is sent.
import { html, nothing } from "../vendor/lit.js";
import { FormPage } from "../records/form_page.js";
import { countInput, icon } from "../kit/controls.js";
import { number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { Finding } from "./finder.js";
import "./texts.js";

export class LinesPage extends Finding(FormPage) {
  constructor() {
    super();
    this.lines = [];
  }

  /** Adds a piece of a product, or a carton's pieces if its code was scanned. */
  put({ sku, name, on_hand: there, damaged, average_cost: cost, pack_qty: pieces = 1 }) {
    const known = this.lines.findIndex((line) => line.sku === sku);
    const line = { sku, name, there, damaged, cost };
    if (known < 0) this.set({ lines: [...this.lines, { ...line, qty: pieces }] });
    else this.line(known, { ...line, qty: (this.lines[known].qty ?? 0) + pieces });
  }

  /** Shows the product of a line and its stock. */
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

  /** Returns the total of all lines in words. */
  summed() {
    return t("products: {n}, pieces: {p}", {
      n: number(this.lines.length),
      p: number(this.lines.reduce((all, { qty }) => all + (qty ?? 0), 0)),
    });
  }

  /** The lines with their inputs, below the field that finds products. */
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

  /** Returns the filled lines for the API, or none if a quantity is missing. */
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
