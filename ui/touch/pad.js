// Number pad for the focused figure on touch screens, where the system's keyboard would cover half of the page.
import { html, LitElement, nothing } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { t } from "../kit/i18n.js";

const COARSE = matchMedia("(pointer: coarse)");
/** Fields of an amount, a percentage or a number of pieces. */
const FIGURE = ".input.num[inputmode]";
const TEXT = "input:not([type=checkbox], [type=radio]), textarea, select";

/** Inserts a text at the caret, as a key would. */
const type = (field, text) => {
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText", data: text }));
};

/** Removes the selection, or the character before the caret: a digit, also after a separator. */
const erase = (field) => {
  let { selectionStart: from } = field;
  const { selectionEnd: to, value } = field;
  if (from === to) {
    from -= 1;
    while (from > 0 && !/[\d%]/.test(value[from])) from -= 1;
  }
  if (from < 0) return;
  field.setSelectionRange(from, to);
  type(field, "");
};

/** Does what Enter does in the field: the page's key, or the submit of its form. */
const enter = (field) => {
  const event = new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true });
  if (field.dispatchEvent(event)) field.form?.requestSubmit();
};

export class NumPad extends LitElement {
  static properties = { scope: {}, field: { state: true } };

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.gone = new AbortController();
    const { signal } = this.gone;
    const look = () => this.looks();
    document.addEventListener("focusin", look, { signal });
    document.addEventListener("pointerdown", (event) => this.quiets(event.target), { capture: true, signal });
    COARSE.addEventListener("change", look, { signal });
    // Redrawn with the app: a field may have been removed without losing the focus first.
    look();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.gone.abort();
  }

  /** The part of the page whose figures the pad writes. */
  get around() {
    return this.scope === "dialog" ? this.closest("dialog") : document.querySelector("main");
  }

  /** The pad stays until a text field is focused; the page does not move while it is shown. */
  looks() {
    const at = document.activeElement;
    if (this.around?.contains(at) && at.matches(FIGURE)) this.takes(at);
    else if (at?.matches(TEXT)) this.field = null;
    this.shows();
  }

  takes(field) {
    this.quiets(field);
    this.field = field;
  }

  /** Suppresses the system's keyboard for figures. */
  quiets(field) {
    if (!COARSE.matches || !field.matches?.(FIGURE) || field.inputMode === "none") return;
    field.dataset.mode = field.inputMode;
    field.inputMode = "none";
  }

  shows() {
    if (this.field && !this.field.isConnected) this.field = null;
    this.toggleAttribute("shown", COARSE.matches && Boolean(this.field));
  }

  updated() {
    this.shows();
  }

  press(act) {
    const { field } = this;
    if (!field?.isConnected) {
      this.shows();
      return;
    }
    if (document.activeElement !== field) field.focus();
    act(field);
  }

  render() {
    if (!this.field) return nothing;
    const button = (label, face, act, kind = "") =>
      html`<button type="button" class="btn ${kind}" tabindex="-1" aria-label=${label} @click=${() => this.press(act)}>
        ${face}
      </button>`;
    const digit = (text) => button(text, text, (field) => type(field, text));
    const last = this.field.dataset.mode === "decimal" ? "%" : "00";
    // The field keeps the focus.
    return html`<div
      class="pad-keys"
      role="group"
      aria-label=${t("Number pad")}
      @pointerdown=${(event) => event.preventDefault()}
    >
      ${digit("1")}${digit("2")}${digit("3")}${button(t("Delete the last digit"), icon("delete"), erase)}
      ${digit("4")}${digit("5")}${digit("6")}${button(t("Clear"), "C", (field) => {
        field.select();
        type(field, "");
      })}
      ${digit("7")}${digit("8")}${digit("9")}${button(t("Enter"), icon("check"), enter, "primary tall")}
      ${digit("000")}${digit("0")}${digit(last)}
    </div>`;
  }
}
customElements.define("num-pad", NumPad);
