// Changes a sent order: each line shows its previous value, and the sum shows the cost of the change.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { countInput, moneyInput } from "../kit/controls.js";
import { decimal, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import "./texts.js";
import { FormPage, field, textField } from "../records/form_page.js";
import { needProducts, productName } from "../records/names.js";
import { adder } from "../records/picks.js";

class PageReviseForm extends FormPage {
  get back() {
    return ["orders", t("Orders")];
  }

  get name() {
    return this.order ? t("Revise {no}", { no: this.order.po_no }) : "\u2026";
  }

  get draft() {
    return `draft.revision.${this.app.params.id}`;
  }

  get kept() {
    return ["expected_at", "note", "reason", "lines"];
  }

  async load() {
    const order = await this.app.get("/api/purchase-orders/:id", { id: this.app.params.id });
    this.order = order;
    this.expected_at = order.expected_at ?? "";
    this.note = order.note ?? "";
    this.reason = "";
    this.lines = order.lines.filter(({ closed }) => !closed).map((line) => ({ ...line, was: line }));
    this.recall(order.updated_at);
    await needProducts(
      this.app,
      this.lines.map(({ sku }) => sku),
    );
  }

  async add(sku) {
    if (!sku) return;
    await needProducts(this.app, [sku]);
    const { items } = await this.app.get(
      "/api/suppliers/:id/products",
      { id: this.order.supplier_id },
      { sku, limit: 1 },
    );
    this.set({
      lines: [
        ...this.lines,
        { sku, qty: items[0]?.min_qty ?? 1, unit_cost: items[0]?.unit_cost ?? null, received_qty: 0 },
      ],
    });
  }

  /** Returns all expected lines; removed ones are closed. */
  body() {
    const kept = this.lines.filter(({ off }) => !off);
    if (!this.reason) this.problem = t("{field} is missing", { field: t("Reason") });
    else if (!kept.length || kept.some(({ qty, unit_cost: cost }) => !qty || cost === null))
      this.problem = t("Enter a quantity and a cost on each line");
    if (this.problem) return null;
    const lines = kept.map(({ line_no: no, sku, qty, unit_cost: cost, expected_at: at }) => ({
      ...(no ? { line_no: no } : {}),
      sku,
      qty,
      unit_cost: cost,
      ...(at ? { expected_at: at } : {}),
    }));
    return {
      revision: this.order.revision,
      reason: this.reason,
      lines,
      ...(this.expected_at ? { expected_at: this.expected_at } : {}),
      ...(this.note ? { note: this.note } : {}),
    };
  }

  async save(body) {
    const { po_id: id } = this.order;
    await this.app.command({ url: path("/api/purchase-orders/:id/revise", { id }), body, label: t("Revision") });
    this.forget();
    location.hash = address(["orders", id]);
  }

  /** Returns the change of a line in words. */
  change(line) {
    const { was, qty, unit_cost: cost, off } = line;
    if (off) return html`<span class="badge bad">${t("removed")}</span>`;
    if (!was) return html`<span class="badge ok">${t("new")}</span>`;
    const changes = [
      qty !== was.qty && t("was {n} pieces", { n: number(was.qty) }),
      cost !== was.unit_cost && t("was {n} each", { n: decimal(was.unit_cost) }),
    ].filter(Boolean);
    return changes.length ? html`<span class="badge warn">${changes.join(", ")}</span>` : nothing;
  }

  row(line, index) {
    const name = productName(line.sku);
    const came = line.received_qty > 0;
    return html`<tr>
      <td>
        <div><bdi>${name}</bdi> <span class="muted">${line.sku}</span></div>
      </td>
      <td class="num">${number(line.received_qty)}</td>
      <td class="num in">
        ${
          line.off
            ? decimal(0)
            : countInput({
                id: `qty-${index}`,
                value: line.qty,
                label: t("{name}: quantity", { name }),
                onValue: (qty) => this.line(index, { qty }),
              })
        }
      </td>
      <td class="num wide-in">
        ${
          came || line.off
            ? decimal(line.unit_cost)
            : moneyInput({
                id: `cost-${index}`,
                value: line.unit_cost,
                label: t("{name}: cost each", { name }),
                onValue: (cost) => this.line(index, { unit_cost: cost }),
              })
        }
      </td>
      <td><div>${this.change(line)}</div></td>
      <td class="acts">
        <button
          class="btn small"
          @click=${() =>
            line.was
              ? this.line(index, { off: !line.off })
              : this.set({ lines: this.lines.filter((_, at) => at !== index) })}
        >
          ${line.off ? t("Keep") : t("Remove")}
        </button>
      </td>
    </tr>`;
  }

  render() {
    if (!this.loaded) return this.frame(t("Revise"));
    const total = this.lines.reduce(
      (sum, { off, qty, unit_cost: cost }) => sum + (off ? 0 : (qty ?? 0) * (cost ?? 0)),
      0,
    );
    const above = total > (this.order.approved_total ?? this.order.total);
    return this.frame(
      t("Revise"),
      html`<section class="panel pad">
          <div class="filters unfolded flat">
            ${textField(this, "reason", t("Reason"), { focus: true })}${textField(
              this,
              "expected_at",
              t("Expected on"),
              { kind: "date" },
            )}${textField(this, "note", t("Note"))}
          </div>
        </section>
        <section class="panel part">
          <header class="part-head">
            <h2>${t("Lines")}</h2>
            <p class="muted">
              ${t("Total {new}, previously {old}", { new: decimal(total), old: decimal(this.order.total) })}
            </p>
            ${
              above
                ? html`<span class="badge warn">${t("above the approved total: only an approver can revise it")}</span>`
                : nothing
            }
          </header>
          <div class="scroll">
            <table class="grid fold lines">
              <thead>
                <tr>
                  <th>${t("Product")}</th>
                  <th class="num">${t("Received")}</th>
                  <th class="num">${t("Pieces")}</th>
                  <th class="num">${t("Cost each")}</th>
                  <th>${t("Changes")}</th>
                  <th><span class="vh">${t("Actions")}</span></th>
                </tr>
              </thead>
              <tbody>
                ${this.lines.map((line, index) => this.row(line, index))}
              </tbody>
            </table>
          </div>
          <div class="filters unfolded pad">
            ${field(
              "sku",
              t("Add a product"),
              adder(this, "product", {
                id: "sku",
                onChoose: (sku) => this.add(sku).catch((error) => this.app.fail(error)),
              }),
              "search",
            )}
          </div>
        </section>`,
    );
  }
}
customElements.define("page-revise-form", PageReviseForm);
