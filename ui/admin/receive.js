// Receive: one delivery, by scan, against an order or without; a draft until it is posted.
import { html, nothing } from "../vendor/lit.js";
import { countInput, field, icon, moneyInput } from "../kit/controls.js";
import { day, money, number, symbol } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { WALK } from "../kit/menu.js";
import { codeOf } from "../kit/scan.js";
import { Page } from "../kit/page.js";
import { findProduct } from "./find.js";
import { title } from "../kit/list.js";

class PageReceive extends Page {
  suppliers;

  constructor() {
    super();
    this.lines = [];
    this.order = null;
    this.note = "";
    this.supplier = "";
    this.loaded = false;
  }

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  get draft() {
    return `draft.receiving.${this.app.params.id}`;
  }

  /** With its order or not at all: a delivery is never taken for one without. What was begun stays until then. */
  async load() {
    const { id } = this.app.params;
    await this.readBy(async () => {
      const [{ items: suppliers }, order] = await Promise.all([
        this.app.get("/api/suppliers", {}, { limit: 500 }),
        id === "new" ? null : this.app.get("/api/purchase-orders/:id", { id }),
      ]);
      this.lines = [];
      for (const line of order?.lines ?? []) await this.put(line.sku, 0, line);
      const kept = JSON.parse(localStorage.getItem(this.draft) ?? "null");
      return {
        suppliers,
        order,
        supplier: order?.supplier_id ?? "",
        loaded: true,
        ...kept,
        ...(kept ? { lines: this.renewed(kept.lines) } : {}),
      };
    });
    this.app.focusPage();
  }

  /** Lines of a draft with what the order says of them now: other deliveries may have come, and lines with them. */
  renewed(lines) {
    const said = new Map(this.lines.map((line) => [line.sku, line]));
    const known = new Set(lines.map(({ sku }) => sku));
    const now = ({ ordered = null, before = 0, limit = null } = {}) => ({ ordered, before, limit });
    return [
      ...lines.map((line) => ({ ...line, ...now(said.get(line.sku)) })),
      ...this.lines.filter(({ sku }) => !known.has(sku)),
    ];
  }

  keys() {
    return {
      ...WALK,
      "Ctrl+Enter": () => void this.post(),
      F9: () => void this.post(),
      Escape: () => this.app.go("receiving"),
    };
  }

  /** A line of the product, made where there is none. */
  async put(sku, qty, ordered) {
    const known = this.lines.find((line) => line.sku === sku);
    if (known) {
      known.qty = (known.qty ?? 0) + qty;
      return;
    }
    const product = ordered?.name ? ordered : await this.app.get("/api/stock/:sku", { sku });
    // The next scan of it may have come before this answer.
    if (this.lines.some((line) => line.sku === sku)) {
      await this.put(sku, qty, ordered);
      return;
    }
    this.lines = [
      ...this.lines,
      {
        sku,
        name: product.name,
        qty: qty || null,
        rejected: null,
        cost: ordered?.unit_cost ?? product.average_cost,
        ordered: ordered?.qty ?? null,
        before: ordered?.received_qty ?? 0,
        limit: ordered?.limit_qty ?? null,
      },
    ];
  }

  keep() {
    const { lines, note, supplier } = this;
    localStorage.setItem(this.draft, JSON.stringify({ lines, note, supplier }));
    this.requestUpdate();
  }

  async scanned(code) {
    try {
      const found = await findProduct(this.app, code);
      if (!found) return;
      await this.put(found.sku, found.pack_qty);
      this.keep();
    } catch (error) {
      this.app.scanFailed(error, code);
    }
  }

  post() {
    const lines = this.filled;
    if (!this.loaded || !lines.length) return undefined;
    return this.once(async () => {
      const body = {
        ...(this.order ? { po_id: this.order.po_id } : {}),
        ...(this.supplier ? { supplier_id: this.supplier } : {}),
        ...(this.note ? { delivery_note_no: this.note } : {}),
        lines: lines.map(({ sku, qty, rejected, cost }) => ({
          sku,
          qty: qty ?? 0,
          ...(rejected ? { rejected_qty: rejected } : {}),
          unit_cost: cost ?? 0,
        })),
      };
      const done = await this.app.command({ url: "/api/receiving", body, label: "Receiving", amount: this.cost });
      localStorage.removeItem(this.draft);
      this.app.go("deliveries", done.receiving_id);
      await new Promise((resolve) => setTimeout(resolve));
      this.app.say(
        "ok",
        t("{n} lines received, {amount}", { n: number(done.lines.length), amount: money(done.total_cost) }),
      );
    });
  }

  get filled() {
    return this.lines.filter(({ qty, rejected }) => qty || rejected);
  }

  get cost() {
    return this.lines.reduce((all, { qty, cost }) => all + (qty ?? 0) * (cost ?? 0), 0);
  }

  row(line) {
    const set = (name) => (value) => {
      line[name] = value;
      this.keep();
    };
    const left = line.ordered === null ? null : line.ordered - line.before - (line.qty ?? 0);
    const said =
      line.ordered === null
        ? t("not on the order")
        : left > 0
          ? t("{n} left", { n: number(left) })
          : left < 0
            ? t("{n} over", { n: number(-left) })
            : t("complete");
    return html`<tr>
      <td><bdi>${line.name}</bdi><br /><span class="muted">${line.sku}</span></td>
      <td class="num">
        ${line.ordered === null ? nothing : number(line.ordered)}${
          line.limit > line.ordered
            ? html`<br /><span class="muted">${t("total at most {n}", { n: number(line.limit) })}</span>`
            : nothing
        }
      </td>
      <td class="num">${line.ordered === null ? nothing : number(line.before)}</td>
      <td class="in">
        ${countInput({
          id: `qty-${line.sku}`,
          value: line.qty,
          label: t("{name}: quantity received", { name: line.name }),
          onValue: set("qty"),
        })}
      </td>
      <td class="in">
        ${countInput({
          id: `rejected-${line.sku}`,
          value: line.rejected,
          label: t("{name}: quantity rejected", { name: line.name }),
          onValue: set("rejected"),
        })}
      </td>
      <td class="in wide-in">
        ${moneyInput({
          id: `cost-${line.sku}`,
          value: line.cost,
          label: t("{name}: cost each", { name: line.name }),
          onValue: set("cost"),
        })}
      </td>
      <td>
        ${
          this.order
            ? html`<span class="badge ${left === 0 ? "ok" : left < 0 ? "bad" : "plain"}">${said}</span>`
            : nothing
        }
      </td>
    </tr>`;
  }

  render() {
    const back = html`<a class="back" href="#/receiving"
      >${icon("arrow-left")}<span class="vh">${t("Receiving")}</span></a
    >`;
    if (!this.loaded) return html`${title(html`${back}${t("Receiving")}`)}${this.awaited()}`;
    const pieces = this.lines.reduce((all, { qty }) => all + (qty ?? 0), 0);
    const { order } = this;
    return html`${title(
        html`${back}${
          order ? html`<bdi>${order.supplier_name ?? order.supplier_id}</bdi>` : t("Receive without an order")
        }`,
        order
          ? html`<span id="order"
              >${order.po_no ? t("Order {no}", { no: order.po_no }) : nothing}${
                order.expected_at
                  ? html` <span class="muted">${t("Expected on")} ${day(order.expected_at)}</span>`
                  : nothing
              }</span
            >`
          : nothing,
        html`<span class="muted">${t("draft on this device")}</span>`,
      )}
      <div class="form-row">
        ${field(
          t("Scan a product, or type its code"),
          html`<input
            class="input"
            id="scan"
            data-focus
            data-scan="line"
            autocomplete="off"
            @keydown=${(event) => {
              if (event.key !== "Enter" || event.ctrlKey || !event.target.value) return;
              const code = codeOf(event.target.value);
              event.target.value = "";
              this.scanned(code);
            }}
          />`,
          "scan",
        )}${field(
          t("Delivery note"),
          html`<input
            class="input"
            id="note"
            maxlength="64"
            autocomplete="off"
            .value=${this.note}
            @input=${(event) => {
              this.note = event.target.value;
              this.keep();
            }}
          />`,
          "note",
        )}${
          this.order || !this.suppliers?.length
            ? nothing
            : field(
                t("Supplier"),
                html`<select
                  class="input"
                  id="supplier"
                  @change=${(event) => {
                    this.supplier = event.target.value;
                    this.keep();
                  }}
                >
                  <option value="">–</option>
                  ${this.suppliers.map(
                    (one) =>
                      html`<option value=${one.supplier_id} ?selected=${one.supplier_id === this.supplier}>
                        ${one.name}
                      </option>`,
                  )}
                </select>`,
                "supplier",
              )
        }
      </div>
      ${
        this.lines.length
          ? html`<div class="panel scroll">
              <table class="grid fold">
                <thead>
                  <tr>
                    <th>${t("Product")}</th>
                    <th class="num">${t("Ordered")}</th>
                    <th class="num">${t("Received before")}</th>
                    <th class="num">${t("Now")}</th>
                    <th class="num">${t("Rejected")}</th>
                    <th class="num">${t("Cost each")}, ${symbol()}</th>
                    <th></th>
                  </tr>
                </thead>
                <tbody>
                  ${this.lines.map((line) => this.row(line))}
                </tbody>
              </table>
            </div>`
          : html`<p class="empty panel">${t("Scan the first product of the delivery")}</p>`
      }
      <footer class="dock">
        <span
          >${t("{n} lines, {p} pieces", {
            n: number(this.lines.filter(({ qty }) => qty).length),
            p: number(pieces),
          })}</span
        ><b>${money(this.cost)}</b
        ><button class="btn primary big" ?disabled=${this.busy || !this.filled.length} @click=${() => this.post()}>
          ${icon("check")}${t("Receive")}<kbd class="wide" aria-hidden="true">Ctrl Enter</kbd>
        </button>
      </footer>`;
  }
}
customElements.define("page-receive", PageReceive);
