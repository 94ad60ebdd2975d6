// A field in which an object is chosen by its name: typed text is searched among the names. It follows the combobox
// pattern of ARIA; the focus stays in the text field.
import { html, ifDefined, LitElement, nothing } from "../vendor/lit.js";
import { icon, problem } from "./controls.js";
import { number } from "./format.js";
import { t } from "./i18n.js";

const SEARCH_AFTER_MS = 150;
/** Space that a list needs below its field; with less it opens above. */
const ROOM = 240;
const EDGE = 8;
const WIDE = 320;
const same = (one, text) => Boolean(one) && one.toLowerCase() === text.toLowerCase();

/**
 * @typedef {object} Option
 * @property {string} id
 * @property {string} text Text in the field.
 * @property {any} [note] Shown beside it in the list.
 */
/**
 * @typedef {object} Source Objects to choose from.
 * @property {(text: string) => Promise<Option[]>} find
 * @property {(id: string) => string} text
 * @property {(text: string) => Promise<Option | null>} [exact] The one with this code or name.
 * @property {() => Promise<unknown>} [ready] Loads the names of chosen objects.
 * @property {{ label: (text: string) => string, act: (text: string) => Promise<string> }} [create] Adds a new one.
 * @property {boolean} [free] Whether text that names nothing known is taken as it is.
 */

export class Combo extends LitElement {
  static properties = {
    of: { attribute: false, hasChanged: () => false },
    value: { attribute: false },
    several: { attribute: false },
    adds: { attribute: false },
    disabled: { attribute: false },
    field: { attribute: false },
    name: { attribute: false },
    label: { attribute: false },
    choose: { attribute: false, hasChanged: () => false },
    open: { state: true },
    options: { state: true },
    active: { state: true },
    typed: { state: true },
    error: { state: true },
  };

  constructor() {
    super();
    /** @type {Option[]} */
    this.options = [];
    this.active = -1;
    this.typed = null;
    this.open = false;
    this.moves = () => this.place();
    this.focus = () => void this.updateComplete.then(() => this.input?.focus());
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    addEventListener("scroll", this.moves, { capture: true, passive: true });
    addEventListener("resize", this.moves);
    Promise.resolve()
      .then(() => this.of?.ready?.())
      .then(
        () => this.requestUpdate(),
        () => {},
      );
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener("scroll", this.moves, { capture: true });
    removeEventListener("resize", this.moves);
    clearTimeout(this.timer);
  }

  get input() {
    return this.querySelector("input[role=combobox]");
  }

  /** The chosen IDs as a list. */
  get chosen() {
    return [this.value ?? ""].flat().filter((id) => id !== "");
  }

  /** Whether typed text does not name an object. */
  get unclear() {
    return this.typed !== null && this.typed.trim() !== "";
  }

  willUpdate(changed) {
    // Another document is shown: text that was typed for the previous one is dropped.
    if (changed.has("value") && changed.get("value") !== undefined && !this.own) this.typed = null;
    this.own = false;
  }

  get complaint() {
    return t("Nothing found for {text}. Choose from the list", { text: this.typed.trim() });
  }

  /** The form reads this. */
  get kept() {
    return this.unclear && !this.several ? "" : this.chosen.join(",");
  }

  async search(text) {
    const mine = {};
    this.asked = mine;
    const found = await this.of.find(text.trim()).catch(() => []);
    if (mine !== this.asked || !this.isConnected) return;
    this.found = text.trim();
    this.options = this.several ? found.filter(({ id }) => !this.chosen.includes(id)) : found;
    // The entry that adds a new object must be selected: Enter after a typing mistake must not add one.
    this.active = text.trim() && this.options.length ? 0 : -1;
  }

  /** The options, and last the entry that adds a new object. */
  get entries() {
    const text = this.typed?.trim() ?? "";
    const known = this.options.some(({ id, text: name }) => [id, name].some((one) => same(one, text)));
    const { create } = this.of ?? {};
    return create && text && !known
      ? [...this.options, { id: "", text: create.label(text), note: null, adds: text }]
      : this.options;
  }

  show() {
    if (this.disabled || this.open) return;
    this.open = true;
    this.search(this.typed ?? "");
  }

  hide() {
    this.asked = null;
    this.open = false;
    this.active = -1;
  }

  onInput() {
    this.typed = this.input.value;
    this.error = null;
    this.keep();
    this.open = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.search(this.typed ?? ""), SEARCH_AFTER_MS);
  }

  /** The form's value follows at once, before the next drawing. */
  keep() {
    const field = this.querySelector("input[type=hidden]");
    if (field) field.value = this.kept;
  }

  set(value) {
    this.own = true;
    this.value = this.adds ? "" : value;
    this.typed = null;
    this.error = null;
    this.keep();
    this.choose?.(value);
    this.querySelector("input[type=hidden]")?.dispatchEvent(new Event("input", { bubbles: true }));
  }

  async pick(option) {
    if (!option) return;
    this.hide();
    clearTimeout(this.timer);
    try {
      const id = option.adds ? await this.of.create.act(option.adds) : option.id;
      this.set(this.several ? [...this.chosen, id] : id);
    } catch (error) {
      this.error = error.words ?? error.message;
    }
  }

  takeOff(id) {
    this.set(this.chosen.filter((one) => one !== id));
    this.focus();
  }

  /**
   * Chooses the object that the typed text names: the option with this code or name, the only result, or the new name
   * that was `active` before the search ended. Otherwise shows an error, and nothing is chosen.
   */
  async settle(active = null) {
    const text = this.typed?.trim();
    if (text === undefined) return;
    clearTimeout(this.timer);
    if (text === "") {
      this.hide();
      if (this.several) this.typed = null;
      else this.set("");
      return;
    }
    const named = this.options.filter(({ id, text: name }) => same(id, text) || same(name, text));
    const one = named.length === 1 ? named[0] : await this.exact(text);
    if (this.typed?.trim() !== text) return;
    this.hide();
    const chosen = one ?? (active?.adds === text ? active : null);
    if (chosen) {
      await this.pick(chosen);
      return;
    }
    if (this.of.free) {
      this.set(this.several ? [...this.chosen, text] : text);
      return;
    }
    this.error = t("Nothing found for {text}. Choose from the list", { text });
  }

  async exact(text) {
    try {
      const exact = await this.of.exact?.(text);
      if (exact) return exact;
      const found = await this.of.find(text);
      return (
        found.find(({ id, text: name }) => same(id, text) || same(name, text)) ?? (found.length === 1 ? found[0] : null)
      );
    } catch {
      return null;
    }
  }

  onKey(event) {
    const { key } = event;
    const { entries } = this;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step) {
      event.preventDefault();
      event.stopPropagation();
      if (!this.open) this.show();
      else if (entries.length) this.active = (this.active + step + entries.length) % entries.length;
    } else if (key === "Enter" && this.open) {
      event.preventDefault();
      event.stopPropagation();
      // A scanner is faster than the search: its code is looked up by itself.
      if (entries[this.active] && this.fresh) this.pick(entries[this.active]);
      else this.settle(entries[this.active]);
    } else if (key === "Escape" && (this.open || this.unclear)) {
      event.preventDefault();
      event.stopPropagation();
      this.hide();
      this.typed = null;
      this.error = null;
    } else if (key === "Backspace" && this.several && !this.typed && this.chosen.length) {
      this.set(this.chosen.slice(0, -1));
    }
  }

  /** Whether the options belong to the current text. */
  get fresh() {
    return this.found === (this.typed ?? "").trim();
  }

  place() {
    const list = this.querySelector(".options");
    if (!this.open || !list?.matches(":popover-open")) return;
    const box = this.input.getBoundingClientRect();
    const width = Math.min(Math.max(box.width, WIDE), innerWidth - 2 * EDGE);
    const below = innerHeight - box.bottom - EDGE;
    const up = below < ROOM && box.top > below;
    const at = {
      "--left": `${Math.max(EDGE, Math.min(box.left, innerWidth - width - EDGE))}px`,
      "--width": `${width}px`,
      "--top": up ? "auto" : `${box.bottom + 2}px`,
      "--bottom": up ? `${innerHeight - box.top + 2}px` : "auto",
      "--room": `${Math.max(88, up ? box.top - EDGE : below)}px`,
    };
    for (const [name, value] of Object.entries(at)) list.style.setProperty(name, value);
  }

  updated(changed) {
    const list = this.querySelector(".options");
    if (list && this.open !== list.matches(":popover-open")) list.togglePopover(this.open);
    this.place();
    if (changed.has("active")) list?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
    this.keep();
  }

  option(one, index) {
    return html`<li
      role="option"
      id=${`${this.field}-option-${index}`}
      aria-selected=${index === this.active}
      class=${one.adds ? "adds" : nothing}
      @pointerdown=${(event) => event.preventDefault()}
      @click=${() => this.pick(one)}
    >
      ${one.adds ? icon("plus", "icon-s") : nothing}<span><bdi>${one.text}</bdi></span
      >${one.note ? html`<span class="muted">${one.note}</span>` : nothing}
    </li>`;
  }

  chips() {
    return html`<ul class="picked" aria-label=${t("Selected")}>
      ${this.chosen.map((id) => {
        const text = this.of.text(id);
        return html`<li>
          <bdi>${text}</bdi
          ><button
            type="button"
            class="ib"
            aria-label=${t("Remove {name}", { name: text })}
            @click=${() => this.takeOff(id)}
          >
            ${icon("x", "icon-s")}
          </button>
        </li>`;
      })}
    </ul>`;
  }

  render() {
    if (!this.of) return nothing;
    const { entries, field, several } = this;
    const shown = this.typed ?? (several || !this.chosen.length ? "" : this.of.text(this.chosen[0]));
    const list = `${field}-options`;
    return html`${several && this.chosen.length ? this.chips() : nothing}
      <div class="combo">
        <input
          class="input"
          id=${field}
          role="combobox"
          autocomplete="off"
          spellcheck="false"
          aria-autocomplete="list"
          aria-expanded=${this.open}
          aria-controls=${list}
          aria-activedescendant=${this.open && this.active >= 0 ? `${field}-option-${this.active}` : nothing}
          aria-label=${ifDefined(this.label)}
          aria-invalid=${this.error ? "true" : nothing}
          aria-describedby=${this.error ? `${field}-problem` : nothing}
          ?disabled=${this.disabled}
          .value=${shown}
          @input=${() => this.onInput()}
          @change=${(event) => {
            event.stopPropagation();
            this.settle();
          }}
          @click=${() => this.show()}
          @keydown=${(event) => this.onKey(event)}
          @blur=${() => {
            this.settle();
            this.hide();
          }}
        />${icon("chevron-down", "icon-s")}
      </div>
      <ul class="options" id=${list} role="listbox" popover="manual" aria-label=${this.label ?? t("Choices")}>
        ${
          this.open
            ? entries.length
              ? entries.map((one, index) => this.option(one, index))
              : html`<li class="muted" role="option" aria-disabled="true" aria-selected="false">
                  ${this.fresh ? t("Nothing found") : t("Loading\u2026")}
                </li>`
            : nothing
        }
      </ul>
      <span class="vh" role="status"
        >${this.open && this.fresh ? t("{n} results", { n: number(entries.length) }) : ""}</span
      >
      ${this.name ? html`<input type="hidden" name=${this.name} />` : nothing}
      ${problem(this.error, `${field}-problem`)}`;
  }
}
customElements.define("x-combo", Combo);

/**
 * A field in which an object of `source` is chosen.
 * @param {object} about
 * @param {string} about.id Of the text field, as its label has it.
 * @param {Source} about.source
 * @param {any} [about.value] One id, or a list of them.
 * @param {boolean} [about.several]
 * @param {boolean} [about.adds] Whether the chosen object is added elsewhere, and the field is cleared.
 * @param {string} [about.name] Of the value in a form.
 * @param {string} [about.label] If there is no label beside it.
 * @param {boolean} [about.focus]
 * @param {boolean} [about.disabled]
 * @param {(value: any) => void} [about.onChoose]
 */
export const combo = ({ id, source, value, name, label, onChoose, ...is }) =>
  html`<x-combo
    .field=${id}
    .name=${name}
    .label=${label}
    .several=${Boolean(is.several)}
    .adds=${Boolean(is.adds)}
    .disabled=${Boolean(is.disabled)}
    ?data-focus=${is.focus}
    .of=${source}
    .value=${value ?? (is.several ? [] : "")}
    .choose=${onChoose}
  ></x-combo>`;
