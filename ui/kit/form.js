// Questions with fields, described as data: the answer becomes the body of a request.
import { html, nothing } from "../vendor/lit.js";
import { words } from "./codes.js";
import { pasteAmount, problem, regroup } from "./controls.js";
import { dayField } from "./date.js";
import { amount, decimal } from "./format.js";
import { t } from "./i18n.js";

/** Basis points in one per cent and in one whole. */
const PER = 100;
const TIMES = 10_000;

const figures = ({ target }) => {
  const typed = amount(target.value);
  regroup(target, typed === null ? "" : decimal(typed));
};
const control = ({ name, kind = "text", value, required, choices, focus, rows = 3, min, max, source, several }) => {
  const id = `f-${name}`;
  const first = Boolean(focus);
  switch (kind) {
    case "choice":
      return html`<select class="input" id=${id} name=${name} ?data-focus=${first}>
        ${choices.map(([key, label]) => html`<option value=${key} ?selected=${key === value}>${label}</option>`)}
      </select>`;
    case "area":
      return html`<textarea
        class="input area"
        id=${id}
        name=${name}
        rows=${rows}
        ?data-focus=${first}
        .value=${value ?? ""}
      ></textarea>`;
    case "money":
      return html`<input
        class="input num"
        id=${id}
        name=${name}
        inputmode="numeric"
        autocomplete="off"
        ?data-focus=${first}
        .value=${value === undefined || value === null ? "" : decimal(value)}
        @paste=${(event) => pasteAmount(event)}
        @input=${figures}
      />`;
    case "rate":
      return html`<input
        class="input num"
        id=${id}
        name=${name}
        type="number"
        min="0"
        max=${max === undefined ? nothing : max / PER}
        step="0.01"
        ?data-focus=${first}
        .value=${value === undefined || value === null ? "" : value / PER}
      />`;
    case "times":
      return html`<input
        class="input num"
        id=${id}
        name=${name}
        type="number"
        min="0"
        max=${max === undefined ? nothing : max / TIMES}
        step="0.0001"
        ?data-focus=${first}
        .value=${value === undefined || value === null ? "" : value / TIMES}
      />`;
    case "count":
      return html`<input
        class="input num"
        id=${id}
        name=${name}
        type="number"
        min=${min ?? 0}
        max=${max ?? nothing}
        step="1"
        ?data-focus=${first}
        .value=${value ?? ""}
      />`;
    case "date":
      return dayField({ id, name, value, focus: first });
    case "check":
      return html`<input type="checkbox" id=${id} name=${name} ?checked=${value} />`;
    case "pick":
      return html`<x-combo
        .field=${id}
        .name=${name}
        .several=${Boolean(several)}
        ?data-focus=${first}
        .of=${source}
        .value=${value ?? (several ? [] : "")}
      ></x-combo>`;
    case "password":
      return html`<input
        class="input"
        id=${id}
        name=${name}
        type="password"
        autocomplete="new-password"
        ?data-focus=${first}
      />`;
    default:
      return html`<input
        class="input"
        id=${id}
        name=${name}
        autocomplete="off"
        ?required=${required}
        ?data-focus=${first}
        .value=${value ?? ""}
      />`;
  }
};

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {any} label
 * @property {string} [kind] A case of `control`.
 * @property {any} [value]
 * @property {boolean} [required]
 * @property {boolean} [focus]
 * @property {any} [hint]
 * @property {any[][]} [choices] Keys and labels.
 * @property {any} [source] Source of a field of kind `pick`, as in `ui/records/picks.js`.
 * @property {boolean} [several] Whether it may name several.
 * @property {number} [rows]
 * @property {number} [min]
 * @property {number} [max]
 * @property {any} [clears] Value of an empty field; `true` is `null`.
 */

/** A choice without an empty option always has a value. */
const isAlways = ({ kind, choices }) => kind === "choice" && choices.every(([key]) => key !== "");

const optional = (one) =>
  one.required || isAlways(one) ? nothing : html` <span class="muted">${t("(optional)")}</span>`;

/** The fields of a question. */
export const fields = (list) =>
  list.map((one) =>
    one.kind === "check"
      ? html`<label class="rowx">${control(one)}<span>${one.label}</span></label>`
      : html`<div class="field">
          <label for=${`f-${one.name}`}>${one.label}${optional(one)}</label
          >${control(one)}${one.hint ? html`<p class="muted hint">${one.hint}</p>` : nothing}
        </div>`,
  );

/**
 * The typed values, by kind. An empty field is left out, or has the value of `clears`; `true` is `null`.
 */
export const read = (list, given) => {
  const body = {};
  for (const { name, kind = "text", clears, several } of list) {
    const text = (given[name] ?? "").trim();
    if (kind === "check") body[name] = given[name] === "on";
    else if (several) body[name] = text.split(",").filter(Boolean);
    else if (text === "") {
      if (clears !== undefined) body[name] = clears === true ? null : clears;
    } else if (kind === "money") body[name] = amount(text);
    else if (kind === "count") body[name] = Number(text);
    else if (kind === "rate") body[name] = Math.round(Number(text) * PER);
    else if (kind === "times") body[name] = Math.round(Number(text) * TIMES);
    else body[name] = text;
  }
  return body;
};

const marked = (list, error) => {
  const wrong = error.details?.fields?.[0]?.path ?? "";
  const found = list.find(({ name }) => wrong === name || wrong.startsWith(`${name}.`) || wrong.startsWith(`${name}[`));
  const field = found && document.getElementById(`f-${found.name}`);
  field?.setAttribute("aria-invalid", "true");
  field?.focus();
};

/** Delay of the preview after a key. */
const PREVIEW_AFTER_MS = 250;
/** Fields with a preview below them, which is computed again when all required fields have values. */
const looking = (list, preview) => {
  let [shown, timer, latest] = [nothing, 0, 0];
  const look = async (form, redraw) => {
    /** @type {any} */
    const given = Object.fromEntries(new FormData(form));
    const mine = (latest += 1);
    const whole = list.every(({ name, required }) => !required || given[name]?.trim());
    const found = whole ? await preview(read(list, given)).catch((error) => problem(words(error))) : nothing;
    if (mine !== latest || !form.isConnected) return;
    shown = found;
    redraw();
  };
  return (redraw) =>
    html`<div
        class="stack"
        @input=${({ target: { form } }) => {
          clearTimeout(timer);
          timer = setTimeout(() => look(form, redraw), PREVIEW_AFTER_MS);
        }}
      >
        ${fields(list)}
      </div>
      <div id="preview" aria-live="polite">${shown}</div>`;
};

/**
 * Asks a question and calls `act(body)` with the typed values. An error is shown in the dialog. Returns the answer, or
 * null if the user cancelled. `preview(body)` returns the text below the fields.
 * @param {any} app
 * @param {object} question
 * @param {any} question.title
 * @param {any} [question.text]
 * @param {any} question.yes
 * @param {any} [question.no]
 * @param {boolean} [question.danger]
 * @param {Field[]} [question.list]
 * @param {(body: any) => Promise<any>} [question.preview]
 * @param {(body: any) => any} question.act
 */
export const ask = (app, { title, text, yes, no, danger = false, list = [], preview, act }) =>
  app.dialog.ask({
    title,
    text,
    yes,
    no: no ?? (danger ? t("Keep") : undefined),
    danger,
    body: preview ? looking(list, preview) : html`${fields(list)}`,
    act: async (given) => {
      for (const { name } of list) document.getElementById(`f-${name}`)?.removeAttribute("aria-invalid");
      // Typed text that names nothing is not left out silently.
      const unclear = [...document.querySelectorAll("dialog :is(x-combo, x-date)")].find((one) => one.unclear);
      if (unclear) {
        unclear.focus();
        throw Object.assign(new Error("unclear"), { words: unclear.complaint });
      }
      const empty = list.find(({ name, required }) => required && !(given[name] ?? "").trim());
      if (empty) {
        document.getElementById(`f-${empty.name}`).setAttribute("aria-invalid", "true");
        document.getElementById(`f-${empty.name}`).focus();
        throw Object.assign(new Error("empty"), { words: t("{field} is missing", { field: empty.label }) });
      }
      try {
        return await act(read(list, given));
      } catch (error) {
        error.words ??= words(error);
        marked(list, error);
        throw error;
      }
    },
  });
