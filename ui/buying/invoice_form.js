// Writes a supplier's invoice: its lines are the received goods that are not billed yet.
import { html, nothing } from "../vendor/lit.js";
import { countInput, moneyInput } from "../kit/controls.js";
import { isoDay, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { days, store } from "../records/cells.js";
import { FormPage, field, supplierField, textField, typedOn } from "../records/form_page.js";
import { need, needProducts, productName } from "../records/names.js";

/** Page size of goods that are not billed, and the highest number of lines of an invoice. */
const AT_ONCE = 500;

class PageInvoiceForm extends FormPage {
  invoice_no;
  invoice_date;
  due_date;
  tax;

  constructor() {
    super();
    Object.assign(this, {
      supplier: "",
      invoice_no: "",
      invoice_date: isoDay(),
      due_date: "",
      tax: null,
      lines: [],
      next: null,
    });
  }

  get back() {
    return ["invoices", t("Invoices")];
  }

  get name() {
    return t("Record an invoice");
  }

  get draft() {
    return `draft.invoice.${this.app.user?.id}.${this.app.params.query.supplier_id ?? ""}`;
  }

  get kept() {
    return ["supplier", "invoice_no", "invoice_date", "due_date", "tax", "lines"];
  }

  async load() {
    await Promise.all([need(this.app, "suppliers"), need(this.app, "stores")]);
    this.supplier = this.app.params.query.supplier_id ?? "";
    this.recall();
    const { lines } = this;
    [this.lines, this.next] = [[], null];
    if (!this.supplier) return;
    do await this.more();
    while (this.next && this.lines.length < lines.length);
    this.lines = typedOn(this.lines, lines, ["receiving_id", "line_no", "open_qty"], ["take", "qty", "unit_cost"]);
  }

  /** Reads the received goods of a supplier that are not billed. */
  async choose(supplier) {
    this.next = null;
    this.set({ supplier, lines: [] });
    if (supplier) await this.more();
  }

  /** Reads the next page. Each line has the cost of its receipt, whatever other invoices reserve. */
  async more() {
    const { supplier: id } = this;
    const { items, next_cursor: next } = await this.app.get(
      "/api/finance/uninvoiced",
      {},
      { supplier_id: id, limit: AT_ONCE, cursor: this.next },
    );
    await needProducts(
      this.app,
      items.map(({ sku }) => sku),
    );
    if (id !== this.supplier) return;
    this.lines = [
      ...this.lines,
      ...items
        .filter(({ open_qty: qty, kind }) => qty > 0 && kind === "receipt")
        .map((one) => ({ ...one, take: true, qty: one.open_qty })),
    ];
    this.next = next;
    this.requestUpdate();
  }

  body() {
    const taken = this.lines.filter(({ take, qty }) => take && qty > 0);
    if (!this.supplier || !this.invoice_no || !taken.length) {
      this.problem = t("Enter a supplier, an invoice number and at least one line");
      return null;
    }
    const lines = taken.map((one) => ({
      receiving_id: one.receiving_id,
      receiving_line_no: one.line_no,
      sku: one.sku,
      store_id: one.store_id,
      qty: one.qty,
      unit_cost: one.unit_cost,
    }));
    return {
      supplier_id: this.supplier,
      invoice_no: this.invoice_no,
      invoice_date: this.invoice_date,
      lines,
      ...(this.due_date ? { due_date: this.due_date } : {}),
      ...(this.tax === null ? {} : { tax: this.tax }),
    };
  }

  async save(body) {
    const made = await this.app.command({ url: "/api/finance/invoices", body, label: t("Invoice") });
    this.forget();
    this.app.go("invoices", made.invoice_id);
  }

  row(line, index) {
    const name = productName(line.sku);
    return html`<tr>
      <td>
        <label class="rowx"
          ><input
            type="checkbox"
            .checked=${line.take}
            @change=${(event) => this.line(index, { take: event.target.checked })}
          /><span><bdi>${name}</bdi> <span class="muted">${line.sku}</span></span></label
        >
      </td>
      <td>${days(line.business_date)}</td>
      <td>${store(line.store_id)}</td>
      <td class="num">${number(line.open_qty)}</td>
      <td class="num in">
        ${countInput({
          id: `qty-${index}`,
          value: line.qty,
          label: t("{name}: quantity invoiced", { name }),
          onValue: (qty) => this.line(index, { qty: qty ?? 0 }),
        })}
      </td>
      <td class="num wide-in">
        ${moneyInput({
          id: `cost-${index}`,
          value: line.unit_cost,
          label: t("{name}: cost each", { name }),
          onValue: (cost) => this.line(index, { unit_cost: cost ?? 0 }),
        })}
      </td>
    </tr>`;
  }

  render() {
    const { lines } = this;
    const attempt = (act) => act.catch((error) => this.app.fail(error));
    return this.frame(
      t("Save"),
      html`<section class="panel pad">
          <div class="filters unfolded flat">
            ${supplierField(this, this.supplier, (supplier) => attempt(this.choose(supplier)))}
            ${textField(this, "invoice_no", t("Invoice number"))}${textField(this, "invoice_date", t("Invoice date"), {
              kind: "date",
            })}${textField(this, "due_date", t("Due date (supplier's terms if blank)"), { kind: "date" })}
            ${field(
              "tax",
              t("Tax (calculated if blank)"),
              moneyInput({ id: "tax", value: this.tax, onValue: (tax) => this.set({ tax }) }),
            )}
          </div>
        </section>
        <section class="panel part">
          <header class="part-head"><h2>${t("Received, not invoiced")}</h2></header>
          ${
            lines.length
              ? html`<div class="scroll">
                    <table class="grid fold lines">
                      <thead>
                        <tr>
                          <th>${t("Product")}</th>
                          <th>${t("Received")}</th>
                          <th>${t("Store")}</th>
                          <th class="num">${t("Not invoiced")}</th>
                          <th class="num">${t("Invoiced")}</th>
                          <th class="num">${t("Cost each")}</th>
                        </tr>
                      </thead>
                      <tbody>
                        ${lines.map((line, index) => this.row(line, index))}
                      </tbody>
                    </table>
                  </div>
                  ${
                    this.next
                      ? html`<p class="pad">
                          <button class="btn" @click=${() => attempt(this.once(() => this.more()))}>
                            ${t("Load more")}
                          </button>
                        </p>`
                      : nothing
                  }`
              : html`<p class="empty">
                  ${this.supplier ? t("No uninvoiced goods from this supplier") : t("Choose a supplier first")}
                </p>`
          }
        </section>`,
    );
  }
}
customElements.define("page-invoice-form", PageInvoiceForm);
