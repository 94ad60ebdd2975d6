// Differences of a count by value: posted, or recounted.
import { html, nothing } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { money, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { ListPage } from "../kit/list.js";

const signed = (figure) => `${figure > 0 ? "+" : ""}${number(figure)}`;

class CountReview extends ListPage {
  count;
  again;

  constructor() {
    super();
    this.pattern = "/api/opname/:id/differences";
    this.chosen = new Set();
  }

  params() {
    return { id: this.count.opname_id };
  }

  get open() {
    return this.count.state === "review";
  }

  choose(sku, on) {
    if (on) this.chosen.add(sku);
    else this.chosen.delete(sku);
    this.requestUpdate();
  }

  row(one) {
    const box = html`<td>
      <input
        type="checkbox"
        aria-label=${t("Recount {name}", { name: one.name })}
        .checked=${this.chosen.has(one.sku)}
        @change=${(event) => this.choose(one.sku, event.target.checked)}
      />
    </td>`;
    return html`<tr>
      ${this.open ? box : nothing}
      <td>
        <div>
          <bdi>${one.name}</bdi>${
            one.moved_between_counts
              ? html` <span class="badge warn">${t("stock moved during the count")}</span>`
              : nothing
          }${
            this.answer?.received_since?.some((document) => document.sku === one.sku)
              ? html` <span class="badge warn">${t("received after the count")}</span>`
              : nothing
          }${
            this.answer?.awaited?.some((document) => document.sku === one.sku)
              ? html` <span class="badge warn">${t("delivery not received yet")}</span>`
              : nothing
          }
        </div>
      </td>
      <td class="num">${number(one.counted)}</td>
      <td class="num">${number(one.expected)}</td>
      <td class="num differs">${signed(one.variance)}</td>
      <td class="num ${one.variance_value ? "differs" : ""}">${signed(one.variance_value)}</td>
    </tr>`;
  }

  sums() {
    const { answer } = this;
    if (!answer) return nothing;
    const part = (label, pieces, value) =>
      html`<div>
        <dt>${label}</dt>
        <dd>${t("{n} pieces", { n: number(pieces) })}, ${money(value)}</dd>
      </div>`;
    return html`<dl class="facts pad panel" id="sums">
      ${part(
        t("Shortage"),
        answer.missing,
        answer.missing_value,
      )}${part(t("Surplus"), answer.found, answer.found_value)}
      <div>
        <dt>${t("Total")}</dt>
        <dd>${money(answer.missing_value + answer.found_value)}</dd>
      </div>
    </dl>`;
  }

  render() {
    const head = [
      ...(this.open ? [[t("Recount")]] : []),
      [t("Product")],
      [t("Counted"), "num"],
      [t("Expected"), "num"],
      [t("Difference"), "num"],
      [t("Value"), "num"],
    ];
    return html`<h2 class="section">${t("Differences, largest value first")}</h2>
      ${this.sums()}
      ${
        this.open && this.items?.length
          ? html`<div class="rowx tools">
              <button class="btn" ?disabled=${!this.chosen.size} @click=${() => this.again([...this.chosen])}>
                ${icon("calculator")}${t("Recount")}${this.chosen.size ? ` (${number(this.chosen.size)})` : nothing}
              </button>
            </div>`
          : nothing
      }
      ${this.table(head, (one) => this.row(one), t("All counts match the stock on record"))}`;
  }
}
customElements.define("count-review", CountReview);
