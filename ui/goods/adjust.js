// A new adjustment: the reason first, lines by scan; above the limit a manager approves on the spot, or later.
import { html, nothing } from "../vendor/lit.js";
import { field } from "../records/form_page.js";
import { icon } from "../kit/controls.js";
import { money, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { LinesPage } from "./lines.js";
import { REASONS, reason } from "./adjustments.js";

const MANAGE = ["store_manager", "admin"];
/** Reasons that never apply to damaged goods, which can only leave. */
const ON_HAND = ["found", "correction"];

class PageAdjust extends LinesPage {
  constructor() {
    super();
    this.reason = "damaged";
    this.note = "";
    this.bucket = "on_hand";
    this.aside = true;
  }

  get back() {
    return ["adjustments", t("Adjustments")];
  }

  get name() {
    return t("New adjustment");
  }

  get draft() {
    return "draft.adjustment";
  }

  get kept() {
    return ["lines", "reason", "note", "bucket", "aside"];
  }

  /** Managers see the limit; other users are informed when they exceed it. */
  async load() {
    this.recall();
    if (this.app.may(MANAGE))
      this.limit = (await this.app.get("/api/admin/settings")).settings.approval?.adjustment_value || null;
    const { sku, bucket } = this.app.params.query;
    if (bucket) this.set({ bucket, reason: "damaged" });
    if (sku) this.put(await this.app.get("/api/stock/:sku", { sku }));
  }

  because(name) {
    this.set({ reason: name, ...(ON_HAND.includes(name) ? { bucket: "on_hand" } : {}) });
  }

  /** Whether pieces are added, removed, or either. */
  get sign() {
    if (this.bucket === "damaged") return -1;
    return { found: 1, correction: 0 }[this.reason] ?? -1;
  }

  signed(line) {
    return (line.qty ?? 0) * (this.sign || (line.more ? 1 : -1));
  }

  /** An estimate at the current average cost; the answer has the store's figure. */
  get value() {
    return this.lines.reduce((all, line) => all + this.signed(line) * (line.cost ?? 0), 0);
  }

  body() {
    const lines = this.filled();
    const keep = this.reason === "damaged" && this.bucket === "on_hand" && this.aside;
    return (
      lines && {
        reason: this.reason,
        bucket: this.bucket,
        keep,
        ...(this.note ? { note: this.note } : {}),
        lines: lines.map((line) => ({ sku: line.sku, qty: this.signed(line) })),
      }
    );
  }

  async save(body) {
    const { later } = this;
    const made = await this.app.command({
      url: "/api/adjustments",
      body: { ...body, ...(later ? { request_approval: true } : {}) },
      label: "Adjustment",
      amount: this.value,
    });
    this.forget();
    await this.app.go("adjustments", made.adjustment_id);
    this.app.say(
      "ok",
      later ? t("Waiting for a manager's approval. Stock has not changed") : t("Posted. Stock updated"),
    );
  }

  send(later = false) {
    this.later = later === true;
    return super.send();
  }

  beside() {
    return html`<span class="muted wide">${t("draft on this device")}</span>${
        this.app.may(MANAGE)
          ? nothing
          : html`<button class="btn" ?disabled=${this.busy || !this.loaded} @click=${() => this.send(true)}>
              ${icon("clock")}${t("Request approval")}
            </button>`
      }`;
  }

  row(line, index) {
    const there = this.bucket === "damaged" ? line.damaged : line.there;
    const after = there + this.signed(line);
    const way = this.sign
      ? html`<td class="num"><div>${this.sign > 0 ? t("+") : t("−")}</div></td>`
      : html`<td>
          <select
            class="input"
            id="way-${line.sku}"
            aria-label=${t("{name}: increase or decrease", { name: line.name })}
            @change=${(event) => this.line(index, { more: event.target.value === "more" })}
          >
            <option value="fewer" ?selected=${!line.more}>${t("−")}</option>
            <option value="more" ?selected=${line.more}>${t("+")}</option>
          </select>
        </td>`;
    return html`<tr>
      ${this.product(line)}
      <td class="num"><div>${number(there)}</div></td>
      ${way}${this.pieces(line, index)}
      <td class="num"><div class=${after < 0 ? "differs" : ""}>${number(after)}</div></td>
      ${this.removal(line)}
    </tr>`;
  }

  choices() {
    const damaged = this.reason === "damaged";
    return html`<section class="panel pad stack">
      <div class="filters unfolded flat">
        ${field(
          "reason",
          t("Reason"),
          html`<select class="input" id="reason" @change=${(event) => this.because(event.target.value)}>
            ${REASONS.map(
              (name) => html`<option value=${name} ?selected=${name === this.reason}>${reason(name)}</option>`,
            )}
          </select>`,
        )}
        ${field(
          "bucket",
          t("Taken from"),
          html`<select
            class="input"
            id="bucket"
            ?disabled=${ON_HAND.includes(this.reason)}
            @change=${(event) => this.set({ bucket: event.target.value })}
          >
            <option value="on_hand" ?selected=${this.bucket === "on_hand"}>${t("stock on hand")}</option>
            <option value="damaged" ?selected=${this.bucket === "damaged"}>${t("damaged stock")}</option>
          </select>`,
        )}
        ${field(
          "note",
          t("Note"),
          html`<input
            class="input"
            id="note"
            maxlength="500"
            autocomplete="off"
            .value=${this.note}
            @input=${(event) => this.set({ note: event.target.value })}
          />`,
          "grow",
        )}
      </div>
      ${
        damaged && this.bucket === "on_hand"
          ? html`<label class="rowx"
              ><input
                type="checkbox"
                id="aside"
                .checked=${this.aside}
                @change=${(event) => this.set({ aside: event.target.checked })}
              /><span>${t("Keep as damaged stock")}</span></label
            >`
          : nothing
      }
    </section>`;
  }

  limits() {
    const above = this.limit && Math.abs(this.value) > this.limit;
    const about = this.lines.length
      ? `${t("About {amount} at the average cost", { amount: money(this.value) })}. `
      : "";
    if (this.limit)
      return html`<p class="muted">
        ${about}${
          above
            ? t("Over {limit}: you approve it by posting it", { limit: money(this.limit) })
            : t("Over {limit} needs a manager's approval", { limit: money(this.limit) })
        }
      </p>`;
    return html`<p class="muted">
      ${about}${t("Over the store's limit a manager must approve, here or later on request")}
    </p>`;
  }

  render() {
    return this.frame(
      t("Post"),
      this.choices(),
      this.sheet(
        [
          [t("Product")],
          [this.bucket === "damaged" ? t("Damaged") : t("On hand"), "num"],
          [t("Change +/−"), "num"],
          [t("Pieces"), "num"],
          [t("New stock"), "num"],
        ],
        (line, index) => this.row(line, index),
        t("Scan the first product"),
      ),
      this.limits(),
    );
  }
}
customElements.define("page-adjust", PageAdjust);
