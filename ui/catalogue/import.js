// Products of the company, or prices of a supplier, from a spreadsheet.
import { html, nothing } from "../vendor/lit.js";
import { number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { title } from "../kit/list.js";
import { FileImport } from "../importing/file_import.js";
import "./texts.js";
import { need, rows } from "../records/names.js";

class PageImport extends FileImport {
  supplier = "";
  /** @type {"products" | "prices"} */
  chosen = "products";

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve()
      .then(() => need(this.app, "suppliers"))
      .then(() => this.requestUpdate())
      .catch((error) => this.app.fail(error));
  }

  get kind() {
    return this.chosen;
  }

  get target() {
    if (this.kind === "products") return { pattern: "/api/products/import" };
    return this.supplier ? { pattern: "/api/suppliers/:id/products/import", params: { id: this.supplier } } : null;
  }

  /** Another kind of file has other columns. */
  choose(kind) {
    this.chosen = kind;
    if (this.file) this.under(this.file.header);
    else this.changed();
  }

  imported(done) {
    this.file = null;
    this.changed();
    this.app.say(
      "ok",
      t("{rows} rows imported, {changed} with changes", { rows: number(done.rows), changed: number(done.changed) }),
    );
  }

  preview(done) {
    return t("{changed} of {rows} rows have changes; not saved yet", {
      changed: number(done.changed),
      rows: number(done.rows),
    });
  }

  before() {
    return html`<div class="field">
        <label for="kind">${t("Type")}</label
        ><select class="input" id="kind" ?disabled=${this.saving} @change=${(event) => this.choose(event.target.value)}>
          <option value="products">${t("Products")}</option>
          <option value="prices" ?selected=${this.kind === "prices"}>${t("A supplier's price list")}</option>
        </select>
      </div>
      ${this.kind === "prices" ? this.suppliers() : nothing}`;
  }

  suppliers() {
    return html`<div class="field">
      <label for="supplier">${t("Supplier")}</label
      ><select
        class="input"
        id="supplier"
        ?disabled=${this.saving}
        @change=${(event) => {
          this.supplier = event.target.value;
          this.changed();
        }}
      >
        <option value="">${t("Choose\u2026")}</option>
        ${rows("suppliers").map(
          (one) =>
            html`<option value=${one.supplier_id} ?selected=${one.supplier_id === this.supplier}>${one.name}</option>`,
        )}
      </select>
    </div>`;
  }

  render() {
    return html`${title(t("Import"), this.app.find(), this.button())}${this.app.tabs()}${this.body()}`;
  }
}
customElements.define("page-import", PageImport);
