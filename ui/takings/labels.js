// Price labels: products by scan with the number of labels, previewed as printed.
import { html, nothing } from "../vendor/lit.js";
import { LinesPage } from "../goods/lines.js";
import { money, number, rate } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { title } from "../kit/list.js";
import { icon, problem } from "../kit/controls.js";
import { dayField } from "../kit/date.js";
import { bars } from "./barcode.js";

const LABELS_MAX = 200;
/** Sizes of a label, in cm; how each looks is in the styles. */
const SIZES = [
  ["small", "4 \u00d7 2.5 cm"],
  ["medium", "6 \u00d7 3.5 cm"],
  ["large", "10 \u00d7 5 cm"],
];
const SIZE = "labels.size";

class PageLabels extends LinesPage {
  constructor() {
    super();
    this.priced = new Map();
    this.size = localStorage.getItem(SIZE) ?? "medium";
  }

  /** Adds every product whose price changed on this day or later. */
  changedSince(day) {
    if (!day) return undefined;
    return this.once(async () => {
      const { items, next_cursor: more } = await this.app.get(
        "/api/products",
        {},
        { priced_since: day, limit: LABELS_MAX },
      );
      const active = items.filter(({ state }) => state === "active");
      const known = new Set(this.lines.map(({ sku }) => sku));
      for (const product of active.filter(({ sku }) => !known.has(sku))) this.put(product);
      this.app.say(
        more ? "warn" : "ok",
        more
          ? t("The first {n} products with a new price were added. Print them, then choose a later day", {
              n: number(active.length),
            })
          : t("{n} products with a new price added", { n: number(active.length) }),
      );
    });
  }

  /** The options: changed prices and the size of labels. */
  choices() {
    return html`<div class="filters unfolded flat">
      <div class="field">
        <label for="since">${t("Add prices changed since")}</label>${dayField({
          id: "since",
          max: this.app.settings.business_date,
          onChoose: (chosen) => void this.changedSince(chosen),
        })}
      </div>
      <div class="field">
        <label for="size">${t("Label size")}</label
        ><select
          class="input"
          id="size"
          @change=${(event) => {
            this.size = event.target.value;
            localStorage.setItem(SIZE, this.size);
            this.requestUpdate();
          }}
        >
          ${SIZES.map(([size, label]) => html`<option value=${size} ?selected=${size === this.size}>${label}</option>`)}
        </select>
      </div>
    </div>`;
  }

  get draft() {
    return "draft.labels";
  }

  async load() {
    this.recall();
    await Promise.all(this.lines.map(({ sku }) => this.price(sku)));
    const { sku } = this.app.params.query;
    if (sku) this.put(await this.app.get("/api/stock/:sku", { sku }));
  }

  keys() {
    return { ...super.keys(), Escape: () => this.app.go("stock"), "Ctrl+Enter": () => void this.paper() };
  }

  /** Reads price and code of a product, as the till does. */
  async price(sku) {
    try {
      this.priced.set(sku, await this.app.get("/api/pos/products/:sku", { sku }));
    } catch (error) {
      if (error.status !== 404) throw error;
      this.priced.set(sku, null);
    }
    this.requestUpdate();
  }

  /** Adds one label, also for a scanned carton. */
  put(product) {
    super.put({ ...product, pack_qty: 1 });
    if (!this.priced.has(product.sku)) this.price(product.sku).catch((error) => this.app.fail(error));
  }

  get labels() {
    return this.lines
      .flatMap((line) => {
        const known = this.priced.get(line.sku);
        return known ? Array.from({ length: Math.min(line.qty ?? 0, LABELS_MAX) }, () => known) : [];
      })
      .slice(0, LABELS_MAX);
  }

  /** The page prints itself; styles hide everything except the labels. */
  paper() {
    if (!this.labels.length) return;
    document.body.dataset.print = "labels";
    addEventListener("afterprint", () => delete document.body.dataset.print, { once: true });
    print();
  }

  label(product) {
    const { tax } = this.app.settings;
    const points = product.tax_rate_bp ?? tax.default_rate_bp;
    const taxed = points
      ? tax.prices_include_tax
        ? t("tax included")
        : t("plus {rate} tax", { rate: rate(points) })
      : nothing;
    return html`<li class="label">
      <b>${product.name}</b><strong>${money(product.price)}</strong
      ><small>${taxed}</small>${bars(product.barcode ?? product.sku)}
    </li>`;
  }

  row(line, index) {
    const known = this.priced.get(line.sku);
    return html`<tr>
      ${this.product(line)}
      <td class="num">
        <div>
          ${
            known
              ? money(known.price)
              : known === null
                ? html`<span class="badge bad">${t("not sold")}</span>`
                : nothing
          }
        </div>
      </td>
      ${this.pieces(line, index, { label: t("{name}: labels", { name: line.name }) })}${this.removal(line)}
    </tr>`;
  }

  render() {
    const { labels } = this;
    const button = html`<button class="btn primary" ?disabled=${!labels.length} @click=${() => this.paper()}>
      ${icon("printer")}${t("Print labels: {n}", { n: labels.length })}
    </button>`;
    if (!this.loaded) return html`${title(t("Labels"))}${this.awaited(() => this.begin())}`;
    return html`${title(
        t("Labels"),
        this.app.find(),
        this.lines.length
          ? html`<button class="btn" @click=${() => this.set({ lines: [] })}>${t("Clear")}</button>`
          : nothing,
        button,
      )}
      <div class="stack">
        ${this.choices()}${problem(this.problem)}${this.sheet(
          [[t("Product")], [t("Price"), "num"], [t("Labels"), "num"]],
          (line, index) => this.row(line, index),
          t("Scan products that need a new label"),
        )}
        ${
          labels.length
            ? html`<section>
                <h2 class="section">${t("Preview")}</h2>
                <ul class="labels ${this.size}">
                  ${labels.map((product) => this.label(product))}
                </ul>
              </section>`
            : nothing
        }
      </div>`;
  }
}
customElements.define("page-labels", PageLabels);
