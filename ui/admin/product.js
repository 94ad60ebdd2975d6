// One product: its figures, its movements, its reorder level and its place.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { countInput, field, icon } from "../kit/controls.js";
import { date, decimal, money, number, rate, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { ListPage, title } from "../kit/list.js";
import { address, WALK } from "../kit/menu.js";
import { changeProduct, mayChange, openStock, switchProduct } from "./products.js";

class PageProduct extends ListPage {
  product;
  sold;
  own;

  constructor() {
    super();
    this.own = false;
    this.pattern = "/api/stock/:sku/movements";
  }

  params() {
    return { sku: this.app.params.id };
  }

  load(more) {
    return this.readBy(
      async () => {
        const [product, sold, own, list] = await Promise.all([
          this.app.get("/api/stock/:sku", this.params()),
          // A product with stock may be missing in the catalogue.
          this.app.get("/api/products/:sku", this.params()).catch(() => null),
          mayChange(this.app),
          this.listed(more),
        ]);
        return { product, sold, own, ...list };
      },
      () => this.product,
    );
  }

  keys() {
    return {
      ...WALK,
      Escape: () => this.app.go("stock"),
      E: (event) => (event.target.matches("input") ? false : void this.edit()),
    };
  }

  async edit() {
    const { product, app } = this;
    let level = product.reorder_level;
    const given = await app.dialog.ask({
      title: product.name,
      yes: t("Save"),
      body: html`${field(
        t("Reorder at"),
        countInput({
          id: "level",
          value: level,
          focus: true,
          onValue: (value) => {
            level = value;
          },
        }),
        "level",
      )}
      ${field(
        t("Shelf"),
        html`<input
          class="input"
          id="place"
          name="shelf_place"
          maxlength="32"
          autocomplete="off"
          .value=${product.shelf_place ?? ""}
        />`,
        "place",
      )}`,
    });
    if (!given) return;
    await this.once(async () => {
      await app.command({
        method: "PATCH",
        url: path("/api/stock/:sku", this.params()),
        body: { reorder_level: level ?? 0, shelf_place: given.shelf_place },
        label: "Change product",
      });
      app.say("ok", t("Saved"));
      await this.load();
    });
  }

  /** Changes the product and reads it again. */
  change(act) {
    return this.once(async () => {
      await act(this.app, this.sold);
      await this.load();
    });
  }

  /** Returns the changes that a shop with its own catalogue allows. */
  changes() {
    const { own, sold, items } = this;
    if (!own || !sold) return nothing;
    const button = (act, image, label, kind = "") =>
      html`<button class="btn ${kind}" @click=${() => this.change(act)}>${icon(image)}${label}</button>`;
    return html`${
      sold.track_stock && !items?.length ? button(openStock, "package", t("Opening stock")) : nothing
    }${button(
      switchProduct,
      sold.state === "active" ? "circle-x" : "circle-check",
      sold.state === "active" ? t("Deactivate") : t("Activate"),
    )}${button(changeProduct, "tag", t("Edit"), "primary")}`;
  }

  /** Returns its data in the catalogue. */
  catalogue() {
    const { sold } = this;
    if (!sold) return nothing;
    const codes = sold.barcodes.map(({ code, pack_qty: pack }) => (pack > 1 ? `${code} (${number(pack)})` : code));
    return html`<dl class="figures panel" id="sold">
      ${this.box(t("Price"), money(sold.price))}${this.box(t("Category"), sold.category ?? "\u2013")}${this.box(
        t("Barcodes"),
        codes.join(", ") || "\u2013",
      )}${this.box(t("Tax"), sold.tax_rate_bp === null ? (sold.tax_code ?? t("default")) : rate(sold.tax_rate_bp))}${
        sold.state === "active" ? nothing : this.box(t("Status"), t("inactive"))
      }
    </dl>`;
  }

  box(label, value) {
    return html`<div>
      <dt>${label}</dt>
      <dd>${value}</dd>
    </div>`;
  }

  /** Returns further actions. */
  ways() {
    const { sku, damaged } = this.product;
    const way = (parts, query, image, label) =>
      html`<a class="btn" href=${address(parts, query)}>${icon(image)}${label}</a>`;
    return html`${
      this.app.may(["store_manager", "admin"]) ? way(["labels"], { sku }, "tag", t("Label")) : nothing
    }${way(["adjustments", "new"], { sku }, "scale", t("Adjust"))}${
      damaged ? way(["adjustments", "new"], { sku, bucket: "damaged" }, "trash-2", t("Discard damaged stock")) : nothing
    }`;
  }

  row(one) {
    return html`<tr>
      <td>${date(one.at)} ${time(one.at)}</td>
      <td>${t(one.reason)}</td>
      <td class="num ${one.qty < 0 ? "" : "plus"}">${one.qty > 0 ? "+" : ""}${number(one.qty)}</td>
      <td class="num">${number(one.balance_after)}</td>
      <td class="num">${one.unit_cost === null ? nothing : decimal(one.unit_cost)}</td>
    </tr>`;
  }

  render() {
    const { product } = this;
    if (!product) return this.awaited();
    const box = (label, value) => this.box(label, value);
    return html`${title(
        html`<a class="back" href="#/stock">${icon("arrow-left")}<span class="vh">${t("Stock")}</span></a
          ><bdi>${product.name}</bdi>`,
        this.ways(),
        html`<button class="btn" @click=${() => this.edit()}>${icon("settings")}${t("Reorder level, shelf")}</button>`,
        this.changes(),
      )}
      ${this.catalogue()}
      <dl class="figures panel">
        ${box(t("On hand"), number(product.on_hand))}${box(t("Available"), number(product.available))}${box(
          t("In transit"),
          number(product.in_transit_in),
        )}${box(t("Damaged"), number(product.damaged))}
        ${box(
          t("Average cost"),
          product.average_cost === null ? t("None") : money(product.average_cost),
        )}${box(t("Value"), money(product.value))}${box(
          t("Reorder at"),
          product.reorder_level === null ? "\u2013" : number(product.reorder_level),
        )}${box(t("Shelf"), product.shelf_place ?? "\u2013")}
      </dl>
      <h2 class="section">${t("Stock movements")}</h2>
      ${this.table(
        [[t("Time")], [t("Type")], [t("Pieces"), "num"], [t("Stock after"), "num"], [t("Cost each"), "num"]],
        (one) => this.row(one),
        t("No stock movements yet"),
      )}`;
  }
}
customElements.define("page-product", PageProduct);
