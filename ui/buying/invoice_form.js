// A supplier's invoice is written down: its lines are what was received and is not billed yet.
import { html } from "../vendor/lit.js";
import { words } from "../shared/codes.js";
import { countInput, icon, moneyInput, problem } from "../shared/controls.js";
import { isoDay, number } from "../shared/format.js";
import { t } from "../shared/i18n.js";
import { Page } from "../shared/page.js";
import { days, store } from "../portal/kit.js";
import { need, needProducts, productName, rows } from "../portal/names.js";
import { head } from "../portal/record.js";

/** A page of what is not billed; an invoice has at most so many lines. */
const AT_ONCE = 500;

class PageInvoiceForm extends Page {
  constructor() {
    super();
    this.invoice = { supplier_id: "", invoice_no: "", invoice_date: isoDay(), tax: null };
    this.lines = [];
  }

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  async load() {
    try {
      await Promise.all([need(this.app, "suppliers"), need(this.app, "stores")]);
      await this.choose(this.app.params.query.supplier_id ?? "");
    } catch (error) {
      this.app.fail(error);
    }
    this.loaded = true;
    this.requestUpdate();
    this.app.focusPage();
  }

  /** What came from a supplier and is not billed. */
  async choose(id) {
    this.invoice = { ...this.invoice, supplier_id: id };
    this.lines = [];
    this.next = null;
    if (id) await this.more();
    this.requestUpdate();
  }

  /** The next part of what is not billed; the cost of each is the delivery's, whatever other invoices hold. */
  async more() {
    const { supplier_id: id } = this.invoice;
    const { items, next_cursor: next } = await this.app.get("/api/finance/uninvoiced", {}, { supplier_id: id, limit: AT_ONCE, cursor: this.next });
    if (id !== this.invoice.supplier_id) return;
    await needProducts(this.app, items.map(({ sku }) => sku));
    this.lines = [...this.lines, ...items.filter(({ open_qty: qty, kind }) => qty > 0 && kind === "receipt").map((one) => ({ ...one, take: true, qty: one.open_qty }))];
    this.next = next;
    this.requestUpdate();
  }

  keys() {
    return { Escape: () => this.app.go("invoices"), "Ctrl+Enter": () => void this.save() };
  }

  set(changed) {
    this.invoice = { ...this.invoice, ...changed };
    this.requestUpdate();
  }

  line(index, changed) {
    this.lines = this.lines.map((line, at) => (at === index ? { ...line, ...changed } : line));
    this.requestUpdate();
  }

  async save() {
    if (this.busy) return;
    const { invoice } = this;
    const taken = this.lines.filter(({ take, qty }) => take && qty > 0);
    this.problem = null;
    if (!invoice.supplier_id || !invoice.invoice_no || !taken.length) {
      this.problem = t("A supplier, the invoice's number and at least one line are needed");
      this.requestUpdate();
      return;
    }
    const lines = taken.map((one) => ({ receiving_id: one.receiving_id, receiving_line_no: one.line_no, sku: one.sku, store_id: one.store_id, qty: one.qty, unit_cost: one.unit_cost }));
    const body = { supplier_id: invoice.supplier_id, invoice_no: invoice.invoice_no, invoice_date: invoice.invoice_date, lines, ...(invoice.due_date ? { due_date: invoice.due_date } : {}), ...(invoice.tax === null ? {} : { tax: invoice.tax }) };
    this.busy = true;
    try {
      const made = await this.app.command({ url: "/api/finance/invoices", body, label: t("Invoice") });
      this.app.go("invoices", made.invoice_id);
    } catch (error) {
      this.problem = words(error);
    } finally {
      this.busy = false;
    }
  }

  row(line, index) {
    const name = productName(line.sku);
    return html`<tr><td><label class="rowx"><input type="checkbox" .checked=${line.take} @change=${(event) => this.line(index, { take: event.target.checked })}><span><bdi>${name}</bdi> <span class="muted">${line.sku}</span></span></label></td><td>${days(line.business_date)}</td><td>${store(line.store_id)}</td><td class="num">${number(line.open_qty)}</td>
      <td class="num in">${countInput({ id: `qty-${index}`, value: line.qty, label: t("{name}: pieces billed", { name }), onValue: (qty) => this.line(index, { qty: qty ?? 0 }) })}</td><td class="num wide-in">${moneyInput({ id: `cost-${index}`, value: line.unit_cost, label: t("{name}: cost each", { name }), onValue: (cost) => this.line(index, { unit_cost: cost ?? 0 }) })}</td></tr>`;
  }

  render() {
    const { invoice, lines } = this;
    if (!this.loaded) return html`<p class="empty panel">${t("Loading\u2026")}</p>`;
    const text = (name, label, kind = "text") => html`<div class="field"><label for=${name}>${label}</label><input class="input" id=${name} type=${kind} autocomplete="off" .value=${invoice[name] ?? ""} @change=${(event) => this.set({ [name]: event.target.value.trim() })}></div>`;
    return html`${head(["invoices", t("Invoices")], t("Write an invoice down"), html`<button class="btn primary" ?disabled=${this.busy} @click=${() => this.save()}>${icon("check")}${this.busy ? t("Saving\u2026") : t("Save")}</button>`)}
      <div class="stack">${problem(this.problem)}<section class="panel pad"><div class="filters unfolded flat">
        <div class="field"><label for="supplier">${t("Supplier")}</label><select class="input" id="supplier" data-focus @change=${(event) => this.choose(event.target.value).catch((error) => this.app.fail(error))}><option value="">${t("Choose\u2026")}</option>${rows("suppliers").map((one) => html`<option value=${one.supplier_id} ?selected=${one.supplier_id === invoice.supplier_id}>${one.name}</option>`)}</select></div>
        ${text("invoice_no", t("Invoice number"))}${text("invoice_date", t("Invoice date"), "date")}${text("due_date", t("Due; empty: by the supplier's terms"), "date")}
        <div class="field"><label for="tax">${t("Tax on it; empty: worked out")}</label>${moneyInput({ id: "tax", value: invoice.tax, onValue: (tax) => this.set({ tax }) })}</div></div></section>
      <section class="panel part"><header class="part-head"><h2>${t("Received and not billed")}</h2></header>${lines.length ? html`<div class="scroll"><table class="grid fold lines"><thead><tr><th>${t("Product")}</th><th>${t("Received")}</th><th>${t("Store")}</th><th class="num">${t("Not billed")}</th><th class="num">${t("Billed")}</th><th class="num">${t("Cost each")}</th></tr></thead><tbody>${lines.map((line, index) => this.row(line, index))}</tbody></table></div>${this.next ? html`<p class="pad"><button class="btn" @click=${() => this.more().catch((error) => this.app.fail(error))}>${t("Load more")}</button></p>` : ""}`
    : html`<p class="empty">${invoice.supplier_id ? t("Nothing of this supplier waits for an invoice") : t("Choose a supplier first")}</p>`}</section></div>`;
  }
}
customElements.define("page-invoice-form", PageInvoiceForm);
