// Shared by pages that write a new document: data is read first, one save runs at a time, and a refusal is shown where
// the user looks.
import { html, nothing } from "../vendor/lit.js";
import { icon, problem } from "../kit/controls.js";
import { words } from "../kit/codes.js";
import { dayField } from "../kit/date.js";
import { t } from "../kit/i18n.js";
import { backTo } from "../kit/menu.js";
import { Page } from "../kit/page.js";
import { head } from "./record.js";
import { pick } from "./picks.js";

export class FormPage extends Page {
  loaded = false;

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.begin());
  }

  /**
   * Subclasses implement `back`, `name`, `load()`, `body()` and `save(body)`; `beside()` is shown next to the main
   * button.
   */
  async begin() {
    await this.readBy(
      async () => {
        await this.load();
        return { loaded: true };
      },
      () => false,
      () => this.begin(),
    );
    this.app.focusPage();
  }

  keys() {
    return {
      Escape: () => {
        location.hash = backTo(this.app.section);
      },
      "Ctrl+Enter": () => void this.send(),
    };
  }

  /** Subclasses return the key of the draft on this device and its fields. */
  get draft() {
    return null;
  }

  get kept() {
    return ["lines"];
  }

  /** Restores the draft of this device; one with another `base` is dropped. */
  recall(base = null) {
    this.base = base;
    const kept = this.draft ? JSON.parse(localStorage.getItem(this.draft) ?? "null") : null;
    if (kept && (kept.base ?? null) === base) Object.assign(this, kept);
    else this.forget();
  }

  keep() {
    // The stored draft must not be overwritten before it was read.
    if (this.draft && this.loaded)
      localStorage.setItem(
        this.draft,
        JSON.stringify({ ...Object.fromEntries(this.kept.map((name) => [name, this[name]])), base: this.base }),
      );
  }

  forget() {
    if (this.draft) localStorage.removeItem(this.draft);
  }

  beside() {
    return this.draft ? html`<span class="badge plain">${t("draft on this device")}</span>` : nothing;
  }

  /** Changes fields of the document. */
  set(changed) {
    Object.assign(this, changed);
    this.problem = null;
    this.keep();
    this.requestUpdate();
  }

  /** Changes one line of the document. */
  line(index, changed) {
    this.set({ lines: this.lines.map((one, at) => (at === index ? { ...one, ...changed } : one)) });
  }

  async send() {
    if (this.busy || !this.loaded) return;
    this.problem = unclear(this);
    this.requestUpdate();
    if (this.problem) return;
    const body = this.body();
    this.requestUpdate();
    if (!body) return;
    this.busy = true;
    try {
      await this.save(body);
    } catch (error) {
      this.problem = error.words ?? words(error);
    } finally {
      this.busy = false;
    }
  }

  frame(label, ...content) {
    return html`${head(
        this.back,
        this.name,
        this.beside(),
        html`<button class="btn primary" ?disabled=${this.busy || !this.loaded} @click=${() => this.send()}>
          ${icon("check")}${this.busy ? t("Saving\u2026") : label}
        </button>`,
      )}
      <div class="stack">${problem(this.problem)}${this.loaded ? content : this.awaited(() => this.begin())}</div>`;
  }
}

/** Returns a field of the page with typed text that names nothing, which must not be left out silently. */
export const unclear = (page) => {
  const one = [...page.querySelectorAll("x-combo, x-date")].find((field) => field.unclear);
  one?.focus();
  return one ? one.complaint : null;
};

/** The present lines, with the typed values on lines whose fields in `of` did not change. */
export const typedOn = (now, kept, of, typed) => {
  const same = (one) => JSON.stringify(of.map((name) => one[name]));
  const before = new Map(kept.map((one) => [same(one), one]));
  return now.map((one) => ({
    ...one,
    ...Object.fromEntries(
      typed.filter((name) => before.has(same(one))).map((name) => [name, before.get(same(one))[name]]),
    ),
  }));
};

/** A labelled field of a form page. */
export const field = (id, label, input, kind = "") =>
  html`<div class="field ${kind}"><label for=${id}>${label}</label>${input}</div>`;
/**
 * @param {any} page
 * @param {string} name
 * @param {any} label
 * @param {{ kind?: string, focus?: boolean }} [options]
 */
export const textField = (page, name, label, { kind = "text", focus = false } = {}) =>
  field(
    name,
    label,
    kind === "date"
      ? dayField({ id: name, value: page[name], focus, onChoose: (day) => page.set({ [name]: day }) })
      : html`<input
          class="input"
          id=${name}
          type=${kind}
          autocomplete="off"
          ?data-focus=${focus}
          .value=${page[name] ?? ""}
          @change=${(event) => page.set({ [name]: event.target.value.trim() })}
        />`,
  );
export const supplierField = (page, chosen, onChoose) =>
  field("supplier", t("Supplier"), pick(page, "supplier", { id: "supplier", value: chosen, focus: true, onChoose }));
