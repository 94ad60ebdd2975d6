// Receive: one delivery, by scan, against an order or without; a draft until it is posted.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { countInput, field, icon, moneyInput } from "../kit/controls.js";
import { day, money, number, symbol } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { WALK } from "../kit/menu.js";
import { Page } from "../kit/page.js";
import { Finding } from "../goods/finder.js";
import { title } from "../kit/list.js";
import { before, costOf, explained, filled, isReceipt, otherTexts, sent, stated } from "./correction.js";

class PageReceive extends Finding(Page) {
  suppliers;
  order;
  old;
  note;
  supplier;
  loaded;
  lines;

  constructor() {
    super();
    this.lines = [];
    this.order = null;
    this.old = null;
    this.texts = { reference: "", note: "" };
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

  /**
   * Loads the order before anything can be posted, so that a delivery for it is never posted without it. The draft is
   * kept until then.
   */
  async load() {
    const { id } = this.app.params;
    await this.readBy(async () => {
      const old = isReceipt(id) ? await this.app.get("/api/receiving/:id", { id }) : null;
      const po = old ? old.po_id : id === "new" ? null : id;
      const [{ items: suppliers }, order] = await Promise.all([
        this.app.get("/api/suppliers", {}, { limit: 500 }),
        po ? this.app.get("/api/purchase-orders/:id", { id: po }) : null,
      ]);
      this.lines = [];
      for (const line of order?.lines ?? []) await this.add(line.sku, 0, old ? before(line, old) : line);
      if (old) this.lines = filled(this.lines, old);
      const kept = JSON.parse(localStorage.getItem(this.draft) ?? "null");
      return {
        suppliers,
        order,
        old,
        supplier: old?.supplier_id ?? order?.supplier_id ?? "",
        note: old?.delivery_note_no ?? "",
        texts: { reference: old?.reference ?? "", note: old?.note ?? "" },
        loaded: true,
        ...kept,
        ...(kept ? { lines: this.renewed(kept.lines) } : {}),
      };
    });
    this.app.focusPage();
  }

  /** Updates the lines of a draft from the order, which other deliveries may have changed. */
  renewed(lines) {
    const typed = new Map(this.lines.map((line) => [line.sku, line]));
    const known = new Set(lines.map(({ sku }) => sku));
    const now = ({ ordered = null, before = 0, limit = null } = {}) => ({ ordered, before, limit });
    return [
      ...lines.map((line) => ({ ...line, ...now(typed.get(line.sku)) })),
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

  /** Adds a line of the product if there is none. */
  async add(sku, qty, ordered) {
    const known = this.lines.find((line) => line.sku === sku);
    if (known) {
      known.qty = (known.qty ?? 0) + qty;
      return;
    }
    const product = ordered?.name ? ordered : await this.app.get("/api/stock/:sku", { sku });
    // The next scan of it may have arrived before this answer.
    if (this.lines.some((line) => line.sku === sku)) {
      await this.add(sku, qty, ordered);
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
    const { lines, note, supplier, texts } = this;
    localStorage.setItem(this.draft, JSON.stringify({ lines, note, supplier, texts }));
    this.requestUpdate();
  }

  /** Adds a piece of the found product, or a carton's pieces if its code was scanned. */
  async put({ sku, pack_qty: pieces = 1 }) {
    try {
      await this.add(sku, pieces);
      this.keep();
    } catch (error) {
      this.app.fail(error);
    }
  }

  /** Adds all outstanding pieces as ordered. */
  receiveAll() {
    this.lines = this.lines.map((line) => ({
      ...line,
      qty: line.ordered === null ? line.qty : Math.max(0, line.ordered - line.before - (line.rejected ?? 0)) || null,
    }));
    this.problem = null;
    this.keep();
  }

  /** Reduces a line to what the order still allows. */
  cut(line) {
    line.qty = Math.max(0, line.limit - line.before) || null;
    this.problem = null;
    this.keep();
  }

  post() {
    const lines = this.filled;
    if (!this.loaded || !lines.length) return undefined;
    return this.once(async () => {
      const body = {
        ...(this.order ? { po_id: this.order.po_id } : {}),
        ...(this.supplier ? { supplier_id: this.supplier } : {}),
        ...(this.note ? { delivery_note_no: this.note } : {}),
        ...stated(this.texts),
        lines: lines.map(sent),
      };
      const url = this.old ? path("/api/receiving/:id/resubmit", { id: this.old.receiving_id }) : "/api/receiving";
      const done = await this.app
        .command({ url, body, label: "Receiving", amount: this.cost })
        .catch((error) => this.refused(error));
      if (!done) return;
      localStorage.removeItem(this.draft);
      await this.app.go("deliveries", done.receiving_id);
      this.app.say(
        "ok",
        t("{n} lines received, {amount}", { n: number(done.lines.length), amount: money(done.total_cost) }),
      );
    });
  }

  /** For a line that exceeds the order, shows the possible actions; other refusals are shown as usual. */
  refused(error) {
    const line = error.code === "over_receipt" && this.lines.find(({ sku }) => sku === error.details?.sku);
    if (!line) throw error;
    line.limit = error.details.limit;
    line.before = error.details.received_qty;
    this.problem = { line, left: error.details.left };
    this.requestUpdate();
    this.querySelector(`#qty-${CSS.escape(line.sku)}`)?.focus();
    return null;
  }

  over() {
    if (!this.problem) return nothing;
    const { line, left } = this.problem;
    return html`<div class="panel pad stack s" id="over" role="alert">
      <p>
        <b>${t("{name}: the order takes {n} more", { name: line.name, n: number(left) })}</b>
      </p>
      <p>${t("Receive that many with this order. Receive the rest without an order, or send it back")}</p>
      <p>
        <button class="btn" @click=${() => this.cut(line)}>${t("Reduce to {n}", { n: number(left) })}</button>
      </p>
    </div>`;
  }

  get filled() {
    return this.lines.filter(({ qty, rejected }) => qty || rejected);
  }

  get cost() {
    return this.lines.reduce((all, line) => all + (costOf(line).line_total ?? (line.qty ?? 0) * (line.cost ?? 0)), 0);
  }

  row(line) {
    const set = (name) => (value) => {
      line[name] = value;
      this.keep();
    };
    const left = line.ordered === null ? null : line.ordered - line.before - (line.qty ?? 0);
    const remainder =
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
            ? html`<span class="badge ${left === 0 ? "ok" : left < 0 ? "bad" : "plain"}">${remainder}</span>`
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
          this.old
            ? t("Correct a delivery")
            : order
              ? html`<bdi>${order.supplier_name ?? order.supplier_id}</bdi>`
              : t("Receive without an order")
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
        order
          ? html`<button class="btn" id="all" @click=${() => this.receiveAll()}>
              ${icon("package-check")}${t("Receive all as ordered")}
            </button>`
          : nothing,
      )}
      ${this.old ? explained() : nothing}
      <div class="form-row">
        ${this.finder()}${field(
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
        }${otherTexts(this)}
      </div>
      ${this.over()}${
        this.lines.length
          ? html`<div class="panel scroll">
              <table class="grid fold receive">
                <thead>
                  <tr>
                    <th>${t("Product")}</th>
                    <th class="num">${t("Ordered")}</th>
                    <th class="num">${t("Received before")}</th>
                    <th class="num">${t("Now")}</th>
                    <th class="num">${t("Rejected")}</th>
                    <th class="num">${t("Cost each")}, ${symbol()}</th>
                    <th><span class="vh">${t("Actions")}</span></th>
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
          ${icon("check")}${this.old ? t("Send again") : t("Receive")}<kbd class="wide" aria-hidden="true"
            >Ctrl Enter</kbd
          >
        </button>
      </footer>`;
  }
}
customElements.define("page-receive", PageReceive);
