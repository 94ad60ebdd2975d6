// Quick keys of a till: goods without a barcode, found by scan or name, in the order of the keys.
import { html, nothing } from "../vendor/lit.js";
import { LinesPage } from "../goods/lines.js";
import { field } from "../records/form_page.js";
import { icon } from "../kit/controls.js";
import { decimal, number } from "../kit/format.js";
import { path } from "../kit/api.js";
import { t } from "../kit/i18n.js";

const KEYS = "/api/pos/quick-keys";
const LABEL_MAX = 64;
const asked = (lines) => lines.map(({ sku, label }) => ({ sku, ...(label ? { label } : {}) }));

class PageQuickKeys extends LinesPage {
  get till() {
    return this.app.params.id;
  }

  get back() {
    return ["tills", t("Tills")];
  }

  get name() {
    return t("Quick keys of {till}", { till: this.tillName(this.till) });
  }

  get draft() {
    return `draft.quick-keys.${this.till}`;
  }

  tillName(id) {
    return this.tills?.find((one) => one.register_id === id)?.name ?? id;
  }

  of(till) {
    return this.app.get(KEYS, {}, { register_id: till });
  }

  async load() {
    const [{ items, limit }, tills] = await Promise.all([
      this.of(this.till),
      this.app.get("/api/registers", {}, { limit: 500 }),
    ]);
    this.most = limit;
    this.tills = tills.items;
    this.lines = items;
    this.recall(JSON.stringify(asked(items)));
  }

  async put({ sku, name }) {
    const at = this.lines.findIndex((line) => line.sku === sku);
    if (at >= 0 || this.lines.length >= this.most) {
      this.app.say(
        "warn",
        at >= 0
          ? t("{name} is already on key .{n}", { name, n: at + 1 })
          : t("A till has at most {n} quick keys", { n: this.most }),
      );
      return;
    }
    this.set({ lines: [...this.lines, { sku, name, label: null, price: null, state: "active" }] });
    try {
      const { price } = await this.app.get("/api/pos/products/:sku", { sku });
      this.change(sku, { price });
    } catch (error) {
      if (error.status === 404) this.change(sku, { state: "inactive" });
      else this.app.fail(error);
    }
  }

  change(sku, changed) {
    this.set({ lines: this.lines.map((one) => (one.sku === sku ? { ...one, ...changed } : one)) });
  }

  /** The pressed button keeps the focus, so that it can be pressed again. */
  async move(index, by) {
    const lines = [...this.lines];
    const [line] = lines.splice(index, 1);
    lines.splice(index + by, 0, line);
    this.set({ lines });
    await this.updateComplete;
    const button = (way) => this.querySelector(`#${way}-${CSS.escape(line.sku)}:enabled`);
    (button(by < 0 ? "up" : "down") ?? button(by < 0 ? "down" : "up"))?.focus();
  }

  /** Copies the keys of another till, to be checked and saved. */
  copy(till) {
    return this.once(async () => {
      const { items } = await this.of(till);
      if (items.length) this.set({ lines: items });
      else this.app.say("warn", t("{till} has no quick keys", { till: this.tillName(till) }));
    });
  }

  body() {
    return { items: asked(this.lines) };
  }

  async save(body) {
    await this.app.change("PUT", path(KEYS, {}, { register_id: this.till }), body);
    this.forget();
    await this.app.go("tills");
    this.app.say("ok", t("Saved and shown on the till"));
  }

  summed() {
    return t("keys: {n} of {most}", { n: number(this.lines.length), most: number(this.most) });
  }

  step(line, index, way, by, label) {
    const last = by < 0 ? 0 : this.lines.length - 1;
    return html`<button
      class="btn small"
      id="${way}-${line.sku}"
      aria-label=${label}
      ?disabled=${index === last}
      @click=${() => this.move(index, by)}
    >
      ${icon(`chevron-${way}`, "icon-s")}
    </button>`;
  }

  row(line, index) {
    const { sku, name, label, price, state } = line;
    return html`<tr>
      <td>
        <div>
          <b class="muted">.${index + 1}</b> <bdi>${name}</bdi>
          <span class="muted">${sku}</span
          >${state === "inactive" ? html` <span class="badge bad">${t("not sold")}</span>` : nothing}
        </div>
      </td>
      <td class="num d">${price === null ? nothing : decimal(price)}</td>
      <td class="in label-in">
        <input
          class="input"
          id="label-${sku}"
          maxlength=${LABEL_MAX}
          autocomplete="off"
          aria-label=${t("{name}: key label", { name })}
          placeholder=${name}
          .value=${label ?? ""}
          @change=${(event) => this.change(sku, { label: event.target.value.trim() || null })}
        />
      </td>
      <td class="acts">
        <div>
          ${this.step(line, index, "up", -1, t("Move {name} up", { name }))}${this.step(
            line,
            index,
            "down",
            1,
            t("Move {name} down", { name }),
          )}<button
            class="btn small"
            aria-label=${t("Remove {name}", { name })}
            @click=${() => this.set({ lines: this.lines.filter((one) => one.sku !== sku) })}
          >
            ${icon("trash-2", "icon-s")}
          </button>
        </div>
      </td>
    </tr>`;
  }

  beside() {
    return html`<span class="muted wide">${t("draft on this device")}</span>`;
  }

  render() {
    const others = (this.tills ?? []).filter((one) => one.register_id !== this.till);
    const choice = html`<select
      class="input"
      id="other"
      @change=${(event) => {
        this.copy(event.target.value);
        event.target.value = "";
      }}
    >
      <option value="">${t("Choose\u2026")}</option>
      ${others.map((one) => html`<option value=${one.register_id}>${one.name}</option>`)}
    </select>`;
    return this.frame(
      t("Save"),
      html`<section class="panel pad">
        <p class="muted">${t("Quick keys sell products without a barcode: .1 for the first, .2 for the second")}</p>
        ${
          others.length
            ? html`<div class="filters unfolded flat">${field("other", t("Copy from another till"), choice)}</div>`
            : nothing
        }
      </section>`,
      this.sheet(
        [[t("Product")], [t("Price"), "num d"], [t("Key label")]],
        (line, index) => this.row(line, index),
        t("No shared quick keys: each device of this till has its own. Scan or find the first product"),
      ),
    );
  }
}
customElements.define("page-quick-keys", PageQuickKeys);
