// A supplier's credit note is entered: for a price that was too high on an invoice, or for a reversed receipt.
import { html } from "../vendor/lit.js";
import { moneyInput } from "../kit/controls.js";
import { decimal, isoDay } from "../kit/format.js";
import { apart, t } from "../kit/i18n.js";
import "./texts.js";
import { days, store } from "../records/cells.js";
import { FormPage, field, supplierField, textField, typedOn } from "../records/form_page.js";
import { need, needProducts, productName } from "../records/names.js";

const AT_ONCE = 500;

class PageCreditForm extends FormPage {
  supplier;
  kind;
  invoice;
  credit_note_no;
  date;
  note;

  constructor() {
    super();
    Object.assign(this, {
      supplier: "",
      kind: "price",
      credit_note_no: "",
      date: isoDay(),
      note: "",
      invoice: "",
      bills: [],
      lines: [],
    });
  }

  get back() {
    return ["credit-notes", t("Credit notes")];
  }

  get name() {
    return t("Record a credit note");
  }

  get draft() {
    const { supplier_id: supplier, invoice_id: invoice } = this.app.params.query;
    return `draft.credit-note.${this.app.user?.id}.${invoice ?? supplier ?? ""}`;
  }

  get kept() {
    return ["supplier", "kind", "credit_note_no", "date", "note", "invoice", "lines"];
  }

  async load() {
    await Promise.all([need(this.app, "suppliers"), need(this.app, "stores")]);
    const { supplier_id: supplier = "", invoice_id: invoice = "" } = this.app.params.query;
    Object.assign(this, { supplier, invoice });
    this.recall();
    const { lines } = this;
    await this.read();
    this.lines = typedOn(this.lines, lines, ["of", "most"], ["net", "tax"]);
  }

  /** Reads what a credit note of this supplier may be about. */
  async choose(changed) {
    this.set({ ...changed, lines: [], ...("invoice" in changed ? {} : { invoice: "" }) });
    await this.read();
    this.requestUpdate();
  }

  async read() {
    if (!this.supplier) return;
    if (this.kind !== "price") {
      await this.readClaims();
      return;
    }
    await this.readBills();
    const bill = this.bills.find(({ invoice_id: id }) => id === this.invoice);
    await needProducts(
      this.app,
      (bill?.lines ?? []).map(({ sku }) => sku),
    );
    this.lines = (bill?.lines ?? []).map((line) => ({
      of: { invoice_line_no: line.line_no },
      sku: line.sku,
      name: line.sku ? productName(line.sku) : (line.description ?? line.account),
      store_id: line.store_id,
      most: line.net,
      rate: line.tax_rate_bp,
      net: null,
      tax: null,
    }));
  }

  async readBills() {
    const found = await Promise.all(
      ["approved", "partially_paid", "paid"].map((state) =>
        this.app.get("/api/finance/invoices", {}, { supplier_id: this.supplier, state, limit: AT_ONCE }),
      ),
    );
    this.bills = found.flatMap(({ items }) => items);
  }

  /** Reads receipts that were reversed after billing, which the supplier owes. */
  async readClaims() {
    const { items } = await this.app.get("/api/finance/uninvoiced", {}, { supplier_id: this.supplier, limit: AT_ONCE });
    const owed = items.filter(({ open_value: value, kind }) => value < 0 && kind !== "pay_out");
    await needProducts(
      this.app,
      owed.map(({ sku }) => sku),
    );
    this.lines = owed.map((one) => ({
      of: { receiving_id: one.receiving_id, receiving_line_no: one.line_no },
      sku: one.sku,
      name: productName(one.sku),
      store_id: one.store_id,
      day: one.business_date,
      most: -one.open_value,
      net: -one.open_value,
      tax: 0,
    }));
  }

  body() {
    const lines = this.lines
      .filter(({ net }) => net > 0)
      .map(({ of, net, tax }) => ({ ...of, net, ...(tax ? { tax } : {}) }));
    if (!this.supplier || !this.credit_note_no || !lines.length) {
      this.problem = t("Enter a supplier, a document number and at least one amount");
      return null;
    }
    return {
      supplier_id: this.supplier,
      credit_note_no: this.credit_note_no,
      date: this.date,
      kind: this.kind,
      lines,
      ...(this.kind === "price" ? { invoice_id: this.invoice } : {}),
      ...(this.note ? { note: this.note } : {}),
    };
  }

  async save(body) {
    const made = await this.app.command({ url: "/api/finance/credit-notes", body, label: t("Credit note") });
    this.forget();
    this.app.go("credit-notes", made.credit_note_id);
  }

  row(line, index) {
    return html`<tr>
      <td>
        <div><bdi>${line.name}</bdi> <span class="muted">${line.sku ?? ""}</span></div>
      </td>
      <td><div>${store(line.store_id)} ${days(line.day)}</div></td>
      <td class="num">${decimal(line.most)}</td>
      <td class="num wide-in">
        ${moneyInput({
          id: `net-${index}`,
          value: line.net,
          label: t("{name}: net", { name: line.name }),
          onValue: (net) => this.line(index, { net }),
        })}
      </td>
      <td class="num wide-in">
        ${moneyInput({
          id: `tax-${index}`,
          value: line.tax,
          label: t("{name}: tax", { name: line.name }),
          onValue: (tax) => this.line(index, { tax }),
        })}
      </td>
    </tr>`;
  }

  render() {
    const act = (changed) => this.choose(changed).catch((error) => this.app.fail(error));
    const kinds = ["price", "receipt_reversed"];
    const none = !this.supplier
      ? t("Choose a supplier first")
      : this.kind === "price"
        ? this.bills.length
          ? t("Choose the invoice with the wrong price")
          : t("No posted invoices from this supplier")
        : t("No delivery of this supplier was reversed after it was invoiced");
    return this.frame(
      t("Save"),
      html`<section class="panel pad">
          <div class="filters unfolded flat">
            ${supplierField(this, this.supplier, (supplier) => act({ supplier }))}
            ${field(
              "kind",
              t("Reason"),
              html`<select class="input" id="kind" @change=${(event) => act({ kind: event.target.value })}>
                ${kinds.map(
                  (kind) => html`<option value=${kind} ?selected=${kind === this.kind}>${t(`credit.${kind}`)}</option>`,
                )}
              </select>`,
            )}
            ${
              this.kind === "price"
                ? field(
                    "invoice",
                    t("Invoice"),
                    html`<select class="input" id="invoice" @change=${(event) => act({ invoice: event.target.value })}>
                      <option value="">${t("Choose\u2026")}</option>
                      ${this.bills.map(
                        (bill) =>
                          html`<option value=${bill.invoice_id} ?selected=${bill.invoice_id === this.invoice}>
                            ${apart(bill.invoice_no)}, ${decimal(bill.total)}
                          </option>`,
                      )}
                    </select>`,
                  )
                : ""
            }
            ${textField(
              this,
              "credit_note_no",
              t("Supplier's document number"),
            )}${textField(this, "date", t("Day"), { kind: "date" })}${textField(this, "note", t("Note"))}
          </div>
          <p class="muted">
            ${t("Don't record returned goods here. Their credit note is already expected; confirm it when it arrives")}
          </p>
        </section>
        <section class="panel part">
          <header class="part-head"><h2>${t("Lines")}</h2></header>
          ${
            this.lines.length
              ? html`<div class="scroll">
                  <table class="grid fold lines">
                    <thead>
                      <tr>
                        <th>${t("Item")}</th>
                        <th>${t("Book")}</th>
                        <th class="num">${this.kind === "price" ? t("Invoiced, net") : t("Owed")}</th>
                        <th class="num">${t("Credited, net")}</th>
                        <th class="num">${t("Tax")}</th>
                      </tr>
                    </thead>
                    <tbody>
                      ${this.lines.map((line, index) => this.row(line, index))}
                    </tbody>
                  </table>
                </div>`
              : html`<p class="empty">${none}</p>`
          }
        </section>`,
    );
  }
}
customElements.define("page-credit-form", PageCreditForm);
