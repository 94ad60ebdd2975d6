// Returns goods to a supplier: products, pieces, and the claim for each; from the shelf or from damaged goods.
import { html } from "../vendor/lit.js";
import { field, supplierField } from "../records/form_page.js";
import { need } from "../records/names.js";
import { moneyInput } from "../kit/controls.js";
import { number, symbol } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { LinesPage } from "./lines.js";

class PageSendBack extends LinesPage {
  constructor() {
    super();
    this.supplier = "";
    this.reference = "";
    this.note = "";
    this.bucket = "on_hand";
  }

  get back() {
    return ["supplier-returns", t("Returns to suppliers")];
  }

  get name() {
    return t("New return");
  }

  get draft() {
    return "draft.supplier_return";
  }

  get kept() {
    return ["lines", "supplier", "reference", "note", "bucket"];
  }

  async load() {
    this.recall();
    await need(this.app, "suppliers", true);
  }

  body() {
    if (!this.supplier) {
      this.problem = t("Choose the supplier");
      this.querySelector("#supplier")?.focus();
      return null;
    }
    const { supplier, reference, note, bucket } = this;
    const lines = this.filled();
    return (
      lines && {
        supplier_id: supplier,
        bucket,
        ...(reference ? { reference } : {}),
        ...(note ? { note } : {}),
        lines: lines.map(({ sku, qty, claim }) => ({
          sku,
          qty,
          ...(claim === null || claim === undefined ? {} : { unit_cost: claim }),
        })),
      }
    );
  }

  async save(body) {
    const made = await this.app.command({ url: "/api/supplier-returns", body, label: "New return" });
    this.forget();
    await this.app.go("supplier-returns", made.supplier_return_id);
    this.app.say("ok", t("Posted. Stock updated"));
  }

  beside() {
    return html`<span class="muted wide">${t("draft on this device")}</span>`;
  }

  row(line, index) {
    const there = this.bucket === "damaged" ? line.damaged : line.there;
    return html`<tr>
      ${this.product(line)}
      <td class="num"><div class=${(line.qty ?? 0) > there ? "differs" : ""}>${number(there)}</div></td>
      ${this.pieces(line, index)}
      <td class="num in wide-in">
        ${moneyInput({
          id: `claim-${line.sku}`,
          value: line.claim ?? null,
          label: t("{name}: claim per unit", { name: line.name }),
          onValue: (claim) => this.line(index, { claim }),
        })}
      </td>
      ${this.removal(line)}
    </tr>`;
  }

  render() {
    const text = (name, label, kind = "") =>
      field(
        name,
        label,
        html`<input
          class="input"
          id=${name}
          maxlength="64"
          autocomplete="off"
          .value=${this[name]}
          @input=${(event) => this.set({ [name]: event.target.value })}
        />`,
        kind,
      );
    return this.frame(
      t("Return to supplier"),
      html`<section class="panel pad">
        <div class="filters unfolded flat">
          ${supplierField(this, this.supplier, (supplier) => this.set({ supplier }))}
          ${field(
            "bucket",
            t("Taken from"),
            html`<select class="input" id="bucket" @change=${(event) => this.set({ bucket: event.target.value })}>
              <option value="on_hand" ?selected=${this.bucket === "on_hand"}>${t("stock on hand")}</option>
              <option value="damaged" ?selected=${this.bucket === "damaged"}>${t("damaged stock")}</option>
            </select>`,
          )}
          ${text("reference", t("Supplier's delivery note"))}${text("note", t("Note"), "grow")}
        </div>
      </section>`,
      this.sheet(
        [
          [t("Product")],
          [this.bucket === "damaged" ? t("Put aside") : t("On hand"), "num"],
          [t("Pieces"), "num"],
          [`${t("Claim per unit")}, ${symbol()}`, "num"],
        ],
        (line, index) => this.row(line, index),
        t("Scan the first product to return"),
      ),
      html`<p class="muted">${t("Leave the claim blank to use the average cost")}</p>`,
    );
  }
}
customElements.define("page-send-back", PageSendBack);
