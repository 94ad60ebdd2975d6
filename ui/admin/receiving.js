// Receiving: purchase orders with outstanding goods. Receipts are listed on the next tab.
import { html, nothing } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { day, decimal, number, symbol } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { ListPage, title } from "../kit/list.js";
import { address } from "../kit/menu.js";

class PageReceiving extends ListPage {
  constructor() {
    super();
    this.pattern = "/api/purchase-orders";
    this.live = ["receiving", "order"];
  }

  async load(more) {
    try {
      const suppliers = await this.app.get("/api/suppliers", {}, { limit: 500 });
      this.names = new Map(suppliers.items.map((one) => [one.supplier_id, one.name]));
    } catch (error) {
      this.app.fail(error);
    }
    await super.load(more);
  }

  keys() {
    return { N: () => this.app.go("receiving", "new") };
  }

  place(one) {
    return address(["receiving", one.po_id]);
  }

  row(one) {
    const outstanding = one.lines.reduce((sum, { qty, received_qty: got }) => sum + Math.max(0, qty - got), 0);
    return html`<tr class="open" @click=${() => this.app.go("receiving", one.po_id)}>
      <td>
        <a href=${this.place(one)}><bdi>${this.names?.get(one.supplier_id) ?? one.supplier_id}</bdi></a>
      </td>
      <td>${one.po_no}</td>
      <td>${one.expected_at ? day(one.expected_at) : nothing}</td>
      <td><span class="badge plain">${t(one.state)}</span></td>
      <td class="num">${number(one.lines.length)}</td>
      <td class="num">${number(outstanding)}</td>
      <td class="num">${decimal(one.total)}</td>
    </tr>`;
  }

  render() {
    return html`${title(
      t("Receiving"),
      this.app.find(),
      html`<a class="btn primary" href="#/receiving/new">${icon("plus")}${t("Receive without an order")}</a>`,
    )}${this.app.tabs()}
    ${this.table(
      [
        [t("Supplier")],
        [t("Order")],
        [t("Expected on")],
        [t("Status")],
        [t("Lines"), "num"],
        [t("Outstanding"), "num"],
        [`${t("Total")}, ${symbol()}`, "num"],
      ],
      (one) => this.row(one),
      t("No incoming orders. You can receive deliveries without an order"),
    )}`;
  }
}
customElements.define("page-receiving", PageReceiving);
