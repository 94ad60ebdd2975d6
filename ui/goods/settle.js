// Settles pieces that were sent and not received: by the manager of the store that sent them.
import { html } from "../vendor/lit.js";
import { FormPage } from "../records/form_page.js";
import { nameOf, need } from "../records/names.js";
import { path } from "../kit/api.js";
import { countInput } from "../kit/controls.js";
import { number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { missing } from "./transfers.js";

const OUTCOMES = ["lost", "damaged", "found_at_source", "found_at_destination"];
const decided = (line) => OUTCOMES.reduce((all, name) => all + (line[name] ?? 0), 0);

class PageSettle extends FormPage {
  constructor() {
    super();
    this.lines = [];
  }

  get id() {
    return this.app.params.id;
  }

  get back() {
    return ["transfers", t("Transfers")];
  }

  get name() {
    return this.transfer
      ? t("Missing at {store}", { store: nameOf("stores", this.transfer.to_store_id) })
      : t("Missing items");
  }

  keys() {
    return { ...super.keys(), Escape: () => this.app.go("transfers", this.id) };
  }

  async load() {
    await need(this.app, "stores");
    this.transfer = await this.app.get("/api/transfers/:id", { id: this.id });
    const name = (sku) => this.transfer.lines.find((line) => line.sku === sku)?.name ?? sku;
    this.lines = missing(this.transfer).map(({ sku, qty }) => ({ sku, name: name(sku), qty }));
  }

  body() {
    const lines = this.lines.flatMap((line) =>
      OUTCOMES.filter((name) => line[name]).map((resolution) => ({ sku: line.sku, qty: line[resolution], resolution })),
    );
    const over = this.lines.find((line) => decided(line) > line.qty);
    if (over) this.problem = t("{name}: at most {n}", { name: over.name, n: number(over.qty) });
    else if (!lines.length) this.problem = t("Enter what happened to at least one item");
    return this.problem ? null : { lines };
  }

  async save(body) {
    await this.app.command({
      url: path("/api/transfers/:id/resolve", { id: this.id }),
      body,
      label: "Resolve missing items",
    });
    await this.app.go("transfers", this.id);
    this.app.say("ok", t("Saved"));
  }

  row(line, index) {
    const input = (name, at) =>
      html`<td class="num in">
        ${countInput({
          id: `${name}-${line.sku}`,
          value: line[name] ?? null,
          label: `${line.name}: ${t(`became.${name}`)}`,
          focus: index === 0 && at === 0,
          onValue: (value) => this.line(index, { [name]: value }),
        })}
      </td>`;
    const left = line.qty - decided(line);
    return html`<tr>
      <td>
        <div><bdi>${line.name}</bdi> <span class="muted">${line.sku}</span></div>
      </td>
      <td class="num"><div>${number(line.qty)}</div></td>
      ${OUTCOMES.map(input)}
      <td class="num"><div class=${left < 0 ? "differs" : ""}>${number(left)}</div></td>
    </tr>`;
  }

  render() {
    return this.frame(
      t("Save"),
      html`<p class="muted">
          ${t(
            "Lost and damaged items are written off. Items found here return to stock. Items found there are added to the other store's stock",
          )}
        </p>
        <section class="panel part">
          <div class="scroll">
            <table class="grid fold lines">
              <thead>
                <tr>
                  <th scope="col">${t("Product")}</th>
                  <th scope="col" class="num">${t("Missing")}</th>
                  ${OUTCOMES.map((name) => html`<th scope="col" class="num">${t(`became.${name}`)}</th>`)}
                  <th scope="col" class="num">${t("Not resolved")}</th>
                </tr>
              </thead>
              <tbody>
                ${this.lines.map((line, index) => this.row(line, index))}
              </tbody>
            </table>
          </div>
        </section>`,
    );
  }
}
customElements.define("page-settle", PageSettle);
