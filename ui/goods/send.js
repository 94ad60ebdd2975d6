// A new transfer: destination, and products by scan; sent at once, or saved as a draft.
import { html } from "../vendor/lit.js";
import { field } from "../records/form_page.js";
import { need, rows } from "../records/names.js";
import { number } from "../kit/format.js";
import { apart, t } from "../kit/i18n.js";
import { LinesPage } from "./lines.js";

class PageSend extends LinesPage {
  constructor() {
    super();
    this.store = "";
    this.note = "";
  }

  get back() {
    return ["transfers", t("Transfers")];
  }

  get name() {
    return t("New transfer");
  }

  get draft() {
    return "draft.transfer";
  }

  get kept() {
    return ["lines", "store", "note"];
  }

  async load() {
    this.recall();
    await need(this.app, "stores", true);
  }

  /** The other stores of the company. Without a list from head office, an ID is typed. */
  get stores() {
    return rows("stores").filter(({ store_id: id }) => id !== this.app.settings.store_id);
  }

  body() {
    if (!this.store) {
      this.problem = t("Choose the receiving store");
      this.querySelector("#store")?.focus();
      return null;
    }
    const lines = this.filled();
    return (
      lines && {
        to_store_id: this.store,
        ...(this.note ? { note: this.note } : {}),
        lines: lines.map(({ sku, qty }) => ({ sku, qty })),
      }
    );
  }

  async save(body) {
    const draft = this.asDraft;
    const transfer = await this.app.command({
      url: "/api/transfers",
      body: { ...body, ...(draft ? { draft } : {}) },
      label: "Transfer",
    });
    this.forget();
    await this.app.go("transfers", transfer.transfer_id);
    this.app.say("ok", draft ? t("Draft saved. Stock has not changed") : t("Sent. Stock updated"));
  }

  beside() {
    return html`<span class="muted wide">${t("draft on this device")}</span
      ><button class="btn" ?disabled=${this.busy || !this.loaded} @click=${() => this.send(true)}>
        ${t("Save draft")}
      </button>`;
  }

  /** Sends the goods, or only saves a draft. */
  send(draft = false) {
    this.asDraft = draft === true;
    return super.send();
  }

  row(line, index) {
    const isShort = (line.qty ?? 0) > line.there;
    return html`<tr>
      ${this.product(line)}
      <td class="num"><div class=${isShort ? "differs" : ""}>${number(line.there)}</div></td>
      ${this.pieces(line, index)}${this.removal(line)}
    </tr>`;
  }

  render() {
    const { stores } = this;
    const choice = stores.length
      ? html`<select class="input" id="store" @change=${(event) => this.set({ store: event.target.value })}>
          <option value="">${t("Choose\u2026")}</option>
          ${stores.map(
            (one) =>
              html`<option
                value=${one.store_id}
                ?selected=${one.store_id === this.store}
                ?disabled=${one.state === "disabled"}
              >
                ${apart(one.name)} (${one.store_id})
              </option>`,
          )}
        </select>`
      : html`<input
          class="input"
          id="store"
          autocomplete="off"
          .value=${this.store}
          @change=${(event) => this.set({ store: event.target.value.trim() })}
        />`;
    return this.frame(
      t("Send now"),
      html`<section class="panel pad">
        <div class="filters unfolded flat">
          ${field("store", stores.length ? t("To store") : t("To store (ID)"), choice)}${field(
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
      </section>`,
      this.sheet(
        [[t("Product")], [t("On hand"), "num"], [t("Pieces"), "num"]],
        (line, index) => this.row(line, index),
        t("Scan the first product to send"),
      ),
    );
  }
}
customElements.define("page-send", PageSend);
