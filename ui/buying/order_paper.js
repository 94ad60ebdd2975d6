// A purchase order as its supplier gets it, on A4: printed, or saved as PDF, by the browser.
import { html, nothing } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { day, decimal, money, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { Page } from "../kit/page.js";
import { need, needProducts, productName, row } from "../records/names.js";
import { head } from "../records/record.js";
import "./texts.js";

const DAY = 10;
const block = (label, name, ...lines) =>
  html`<section>
    <h2>${label}</h2>
    <p>
      <b><bdi>${name}</bdi></b>
    </p>
    ${lines.filter(Boolean).map((line) => html`<p class="lines-kept"><bdi>${line}</bdi></p>`)}
  </section>`;

class PageOrderPaper extends Page {
  order;
  company;
  supplier;
  codes;

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  load() {
    const { app } = this;
    return this.readBy(async () => {
      const order = await app.get("/api/purchase-orders/:id", { id: app.params.id });
      const [company, supplier, offered] = await Promise.all([
        app.get("/api/company"),
        app.get("/api/suppliers/:id", { id: order.supplier_id }),
        app.get("/api/suppliers/:id/products", { id: order.supplier_id }, { limit: 500 }),
        need(app, "stores"),
        needProducts(
          app,
          order.lines.map(({ sku }) => sku),
        ),
      ]);
      return { order, company, supplier, codes: new Map(offered.items.map((one) => [one.sku, one.supplier_sku])) };
    });
  }

  keys() {
    return {
      Escape: () => {
        location.hash = address(["orders", this.app.params.id]);
      },
    };
  }

  /** Without an approval it is not titled as an order. */
  get title() {
    const { state } = this.order;
    if (state === "draft") return t("Draft of a purchase order");
    return state === "cancelled" ? t("Cancelled purchase order") : t("Purchase order");
  }

  line(line, index) {
    const amount = line.line_total ?? line.qty * line.unit_cost;
    return html`<tr>
      <td class="num">${index + 1}</td>
      <td>${this.codes.get(line.sku) ?? line.sku}</td>
      <td><bdi>${productName(line.sku)}</bdi></td>
      <td class="num">${number(line.qty)}</td>
      <td class="num">${decimal(line.unit_cost)}</td>
      <td class="num">${decimal(amount)}</td>
    </tr>`;
  }

  paper() {
    const { order, company, supplier } = this;
    const store = row("stores", order.store_id);
    const lines = order.lines.filter(({ closed, received_qty: came }) => !closed || came > 0);
    const fact = (label, value) =>
      value
        ? html`<div>
            <dt>${label}</dt>
            <dd>${value}</dd>
          </div>`
        : nothing;
    return html`<article class="order-paper" lang=${document.documentElement.lang}>
      <header>
        ${block(
          t("Buyer"),
          company.name || store?.name || order.store_id,
          company.name ? company.address : store?.address,
          company.tax_number && t("Tax number: {no}", { no: company.tax_number }),
        )}
        <section class="to-right">
          <p class="name">${this.title}</p>
          <p><b>${order.po_no}</b>${order.revision ? html`, ${t("revision {n}", { n: order.revision })}` : nothing}</p>
        </section>
      </header>
      <div class="two">
        ${block(
          t("Supplier"),
          supplier.name,
          supplier.address,
          [supplier.phone, supplier.email].filter(Boolean).join(", "),
          supplier.tax_id && t("Tax number: {no}", { no: supplier.tax_id }),
        )}${block(
          t("Deliver to"),
          store?.name ?? order.store_id,
          store?.address,
          t("Store {no}", { no: order.store_id }),
        )}
      </div>
      <dl class="facts-row">
        ${fact(t("Order date"), day((order.sent_at ?? order.created_at).slice(0, DAY)))}${fact(
          t("Deliver on"),
          order.expected_at && day(order.expected_at),
        )}${fact(
          t("Payment terms"),
          supplier.payment_terms_days !== null &&
            supplier.payment_terms_days !== undefined &&
            t("{n} days", { n: number(supplier.payment_terms_days) }),
        )}
      </dl>
      <table class="grid fold">
        <thead>
          <tr>
            <th scope="col" class="num">#</th>
            <th scope="col">${t("Code")}</th>
            <th scope="col">${t("Product")}</th>
            <th scope="col" class="num">${t("Qty")}</th>
            <th scope="col" class="num">${t("Price each")}</th>
            <th scope="col" class="num">${t("Amount")}</th>
          </tr>
        </thead>
        <tbody>
          ${lines.map((line, index) => this.line(line, index))}
        </tbody>
        <tfoot>
          <tr>
            <td></td>
            <td></td>
            <td>${t("Total before tax")}</td>
            <td class="num">${number(lines.reduce((sum, { qty }) => sum + qty, 0))}</td>
            <td></td>
            <td class="num total">${money(order.total)}</td>
          </tr>
        </tfoot>
      </table>
      <p class="muted">${t("Prices exclude tax. Tax is added on the invoice at the rate of its date")}</p>
      ${order.note ? block(t("Note"), order.note) : nothing}
      <p class="sign">${t("For the buyer (name, signature, date)")}</p>
    </article>`;
  }

  render() {
    const back = /** @type {[string, string]} */ (["orders", t("Orders")]);
    if (!this.order) return html`${head(back, "\u2026")}${this.awaited()}`;
    return html`<header class="title tools">
        <h1>
          <a class="back" href=${address(["orders", this.order.po_id])}
            >${icon("arrow-left")}<span class="vh">${this.order.po_no}</span></a
          ><bdi>${this.order.po_no}</bdi>
        </h1>
        <div class="rowx end">
          <button class="btn primary" @click=${() => window.print()}>
            ${icon("printer")}${t("Print or save as PDF")}
          </button>
        </div>
      </header>
      ${this.paper()}`;
  }
}
customElements.define("page-order-paper", PageOrderPaper);
