// Parts of pages: functions that return templates.
import { Directive, directive, html, ifDefined, LitElement, live, nothing, svg } from "../vendor/lit.js";
import { words } from "./codes.js";
import { amount, decimal, number, time } from "./format.js";
import { t } from "./i18n.js";

const SPRITE = new URL("../vendor/icons.svg", import.meta.url).pathname;
export const icon = (name, size = "") =>
  html`<svg class="icon ${size}" aria-hidden="true">${svg`<use href="${SPRITE}#${name}"></use>`}</svg>`;
export const key = (name) => html`<kbd class="wide" aria-hidden="true">${name}</kbd>`;
export const problem = (text, id) =>
  text
    ? html`<p class="problem" role="alert" id=${ifDefined(id)}>${icon("triangle-alert")}<span>${text}</span></p>`
    : nothing;
export const notice = (kind, name, text) =>
  html`<div class="notice ${kind}">
    ${icon(name)}
    <div class="grow">${text}</div>
  </div>`;

/** A template of one element. */
export const single = (template) => Object.assign(template, { single: true });
/**
 * The content of a cell as one element, which a phone shows beside its head. A single element gets no other around it:
 * a list has hundreds.
 */
export const inside = (value) =>
  typeof value === "object" && value !== null && !value.single ? html`<div>${value}</div>` : value;

/** A field with its label. */
export const field = (label, input, id, error) =>
  html`<div class="field"><label for=${id}>${label}</label>${input}${problem(error, `${id}-problem`)}</div>`;

/** A field of an amount takes the whole pasted amount, or keeps its value. */
export const pasteAmount = async (event, onValue) => {
  event.preventDefault();
  const text = event.clipboardData.getData("text");
  const { target } = event;
  const value = await import("../records/pasted.js").then(({ pasted }) => pasted(text)).catch(() => undefined);
  target.removeAttribute("aria-invalid");
  if (value === undefined) {
    target.setAttribute("aria-invalid", "true");
    target.addEventListener("input", () => target.removeAttribute("aria-invalid"), { once: true });
    return;
  }
  target.value = decimal(value);
  onValue?.(value);
};

/** Groups an amount again, and keeps the caret between the same digits. */
export const regroup = (input, text) => {
  let right = input.value.slice(input.selectionEnd).replace(/\D/g, "").length;
  let at = text.length;
  for (; right > 0 && at > 0; at -= 1) if (/\d/.test(text[at - 1])) right -= 1;
  input.value = text;
  if (document.activeElement === input) input.setSelectionRange(at, at);
};

/**
 * @typedef {object} Figure A field of an amount or of a number of pieces.
 * @property {string} id
 * @property {number | null} value
 * @property {(value: number | null) => void} onValue
 * @property {string} [label]
 * @property {string} [described] The id of the text that describes it.
 * @property {boolean} [large]
 * @property {boolean} [focus]
 */

/**
 * An amount: digits, grouped while they are typed; the decimal key writes three zeros.
 * @param {Figure} figure
 */
export const moneyInput = ({ id, value, onValue, label, large = false, focus = false, described }) =>
  html`<input
    class="input num ${large ? "l" : ""}"
    id=${id}
    ?data-keys=${focus}
    inputmode="numeric"
    autocomplete="off"
    aria-label=${ifDefined(label)}
    aria-describedby=${ifDefined(described)}
    ?data-focus=${focus}
    .value=${live(value === null ? "" : decimal(value))}
    @paste=${(event) => pasteAmount(event, onValue)}
    @input=${(event) => {
      const typed = amount(event.target.value);
      regroup(event.target, typed === null ? "" : decimal(typed));
      onValue(typed);
    }}
  />`;

/** @param {Figure} figure */
export const countInput = ({ id, value, onValue, label, focus = false }) =>
  html`<input
    class="input num"
    id=${id}
    inputmode="numeric"
    autocomplete="off"
    aria-label=${ifDefined(label)}
    ?data-focus=${focus}
    .value=${live(value === null ? "" : String(value))}
    @input=${(event) => {
      const digits = event.target.value.replace(/\D/g, "").slice(0, 7);
      event.target.value = digits;
      onValue(digits === "" ? null : Number(digits));
    }}
  />`;

/** Values of custom properties, set by the object model: the policy refuses `style` attributes. */
class Vars extends Directive {
  update(part, [values]) {
    for (const [name, value] of Object.entries(values)) part.element.style.setProperty(name, value);
    return nothing;
  }

  render(_) {
    return nothing;
  }
}
export const vars = directive(Vars);

/** Largest width of a bold digit in the system's fonts, and of the characters between digits, in ems. */
const DIGIT_EMS = 0.71;
const OTHER_EMS = 0.4;
/** Width of a figure, from which the styles shrink it if its place is too narrow. */
export const fits = (text) =>
  vars({ "--ems": [...text].reduce((all, one) => all + (/\d/.test(one) ? DIGIT_EMS : OTHER_EMS), 0) });

/** Value of a template that leaves a part unchanged. */
const SAME = Symbol.for("lit-noChange");
class Unless extends Directive {
  update(part, [shown, draw]) {
    if (this.shown?.length === shown.length && shown.every((one, index) => one === this.shown[index])) return SAME;
    this.shown = shown;
    return draw();
  }

  render(shown, draw) {
    return draw();
  }
}
/** A part that is drawn again only if one of its values differs. */
export const unlessSame = directive(Unless);

/** Scans that were not taken, a red line for each; `dismiss(one)` takes one away, `dismiss(null)` all. */
export const refusedLines = (list, dismiss) => {
  if (!list.length) return nothing;
  const name = (one) => one.code ?? t("Code with letters");
  return html`<section class="refused" aria-label=${t("Ignored scans")}>
    <ul tabindex="0">
      ${list.map(
        (one) =>
          html`<li>
            ${icon("triangle-alert", "icon-s")}<span class="grow"
              >${one.why.includes(name(one)) ? nothing : html`<b>${name(one)}</b> `}${one.why}</span
            ><span class="muted">${time(one.at)}</span>
            <button class="ib" aria-label=${t("Dismiss {code}", { code: name(one) })} @click=${() => dismiss(one)}>
              ${icon("x", "icon-s")}
            </button>
          </li>`,
      )}
    </ul>
    ${
      list.length > 1
        ? html`<button class="btn small" @click=${() => dismiss(null)}>
            ${t("Dismiss all: {n}", { n: number(list.length) })}
          </button>`
        : nothing
    }
  </section>`;
};

// ---- pending and failed answers

/** Time after which a message says that the wait continues. */
const STILL_MS = 3000;
const SECOND_MS = 1000;
const BONES = 8;

class Loading extends LitElement {
  static properties = { still: { state: true } };

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.late = setTimeout(() => {
      this.still = true;
    }, STILL_MS);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.late);
  }

  render() {
    // The message is outside of the busy part, in which nothing is read out.
    return html`<div class="panel bones">
      <p class=${this.still ? "muted" : "vh"} role="status">
        ${this.still ? t("Still loading\u2026") : t("Loading\u2026")}
      </p>
      <div aria-busy="true">${Array.from({ length: BONES }, () => html`<i></i>`)}</div>
    </div>`;
  }
}
customElements.define("x-loading", Loading);

/** Shown while an answer is pending. */
export const loading = () => html`<x-loading></x-loading>`;

/** Counts down the server's delay, then retries. */
export class Retry extends LitElement {
  static properties = {
    error: { attribute: false },
    act: { attribute: false, hasChanged: () => false },
    left: { state: true },
  };

  createRenderRoot() {
    return this;
  }

  willUpdate(changed) {
    if (changed.has("error")) this.counts(this.error.retryAfter);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.second);
  }

  counts(left) {
    clearTimeout(this.second);
    this.left = left;
    this.second = setTimeout(() => (left > 1 ? this.counts(left - 1) : this.act()), SECOND_MS);
  }

  render() {
    return html`<span role="timer">${t("Retrying in {n} s", { n: number(this.left) })}</span>`;
  }
}
customElements.define("x-retry", Retry);

/** Counts down to the next try, if the server named its time. */
export const retry = (error, act) =>
  error.retryAfter ? html`<x-retry .error=${error} .act=${act}></x-retry>` : nothing;

/** The reason why there is nothing, with a retry. */
export const failed = (error, again) =>
  html`<div class="empty panel" role="alert">
    <p class="rowx mid">${icon("triangle-alert")}${words(error, true)}</p>
    ${error.retryAfter ? html`<p>${retry(error, again)}</p>` : nothing}<button class="btn" @click=${again}>
      ${icon("refresh-cw")}${t("Try again")}
    </button>
  </div>`;
