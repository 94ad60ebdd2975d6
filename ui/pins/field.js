// The field of a PIN, and the keys that write into it.
import { html } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { t } from "../kit/i18n.js";
import "./texts.js";

export const DIGITS_MAX = 8;

/** No password manager stores it, and no system keyboard covers the pad. */
export const pinField = (id, { figure = false } = {}) =>
  html`<input
    class="input ${figure ? "num" : ""}"
    id=${id}
    name="pin"
    type="password"
    inputmode=${figure ? "numeric" : "none"}
    autocomplete="off"
    maxlength=${DIGITS_MAX}
    data-focus
    @input=${({ target }) => {
      const digits = target.value.replace(/\D/g, "");
      if (digits !== target.value) target.value = digits;
    }}
  />`;

/** Writes into the field with this id, which keeps the focus. */
export const pinPad = (id) => {
  const press = (change) => () => {
    /** @type {any} */
    const at = document.getElementById(id);
    at.value = change(at.value).slice(0, DIGITS_MAX);
    at.dispatchEvent(new InputEvent("input", { bubbles: true }));
    at.focus();
  };
  const button = (label, face, act) =>
    html`<button type="button" class="btn" tabindex="-1" aria-label=${label} @click=${act}>${face}</button>`;
  const digit = (one) =>
    button(
      one,
      one,
      press((typed) => typed + one),
    );
  return html`<div
    class="pad-keys"
    role="group"
    aria-label=${t("Number pad")}
    @pointerdown=${(event) => event.preventDefault()}
  >
    ${digit("1")}${digit("2")}${digit("3")}${button(
      t("Delete the last digit"),
      icon("delete"),
      press((typed) => typed.slice(0, -1)),
    )}
    ${digit("4")}${digit("5")}${digit("6")}${button(
      t("Clear"),
      "C",
      press(() => ""),
    )}
    ${digit("7")}${digit("8")}${digit("9")}<button class="btn primary tall" aria-label=${t("Enter")}>
      ${icon("check")}
    </button>
    <span></span>${digit("0")}<span></span>
  </div>`;
};
