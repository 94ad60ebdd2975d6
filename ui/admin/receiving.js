// Receiving: orders that goods may still come for, and what has come.
import { html, nothing } from "../vendor/lit.js";
import { icon } from "../shared/controls.js";
import { date, day, number, symbol } from "../shared/format.js";
import { t } from "../shared/i18n.js";
import { ListPage, title } from "../shared/list.js";

class PageReceiving extends ListPage {
  constructor() {
    super();
    this.pattern = "/api/receiving";
    this.orders = [];
  }

  async load(more) {
    try {
      const [orders, suppliers] = await Promise.all([this.app.get("/api/purchase-orders", {}, { limit: 100 }), this.app.get("/api/suppliers", {}, { limit: 500 })]);
      this.orders = orders.items;
      this.names = new Map(suppliers.items.map((one) => [one.supplier_id, one.name]));
    } catch (error) {
      this.app.fail(error);
    }
    await super.load(more);
  }

  keys() {
    return { N: () => this.app.go("receiving", "new") };
  }

  order(one) {
    const left = one.lines.reduce((all, { qty, received_qty: came }) => all + Math.max(0, qty - came), 0);
    return html`<tr class="open" @click=${() => this.app.go("receiving", one.po_id)}><td><a href="#/receiving/${one.po_id}"><bdi>${this.names.get(one.supplier_id) ?? one.supplier_id}</bdi></a></td><td>${one.expected_at ? day(one.expected_at) : nothing}</td><td><span class="badge plain">${t(one.state)}</span></td>
      <td class="num">${number(one.lines.length)}</td><td class="num">${number(left)}</td><td class="num">${number(one.total)}</td></tr>`;
  }

  row(one) {
    const pieces = one.lines.reduce((all, { qty }) => all + qty, 0);
    return html`<tr><td>${date(one.created_at)}</td><td>${one.delivery_note_no ?? "\u2013"}</td><td><bdi>${this.names?.get(one.supplier_id) ?? "\u2013"}</bdi></td><td><span class="badge ${one.state === "posted" ? "ok" : "plain"}">${t(one.state)}</span></td><td class="num">${number(one.lines.length)}</td><td class="num">${number(pieces)}</td><td class="num">${number(one.total_cost)}</td></tr>`;
  }

  render() {
    return html`${title(t("Receiving"), html`<a class="btn primary" href="#/receiving/new">${icon("plus")}${t("Receive without an order")}</a>`)}
      ${this.orders.length ? html`<h2 class="section">${t("Orders to come")}</h2><div class="panel scroll"><table class="grid fold"><thead><tr><th>${t("Supplier")}</th><th>${t("Expected on")}</th><th>${t("State")}</th><th class="num">${t("Lines")}</th><th class="num">${t("Pieces left")}</th><th class="num">${t("Total")}, ${symbol()}</th></tr></thead><tbody>${this.orders.map((one) => this.order(one))}</tbody></table></div>` : nothing}
      <h2 class="section">${t("What has come")}</h2>${this.table([[t("Day")], [t("Delivery note")], [t("Supplier")], [t("State")], [t("Lines"), "num"], [t("Pieces"), "num"], [`${t("Cost")}, ${symbol()}`, "num"]], (one) => this.row(one), t("Nothing has come yet. A delivery is taken in by scanning it"))}`;
  }
}
customElements.define("page-receiving", PageReceiving);
