// A field for a day. It reads and shows the day in the page's language. The browser's own field uses the browser's
// language, in which the month may come first.
import { html, ifDefined, LitElement, nothing } from "../vendor/lit.js";
import { icon, problem } from "./controls.js";
import { isoDay } from "./format.js";
import { locale, t } from "./i18n.js";

const CENTURY = 2000;
const MONTHS = 12;
const two = (figure) => String(figure).padStart(2, "0");

/** A day as the field shows it. */
const calendarDay = (text) =>
  new Intl.DateTimeFormat(locale(), { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${text}T00:00:00Z`),
  );

/** Months by the first three letters of their names, in both languages. */
const months = new Map();
for (const language of ["en-GB", "id-ID"]) {
  const { format } = new Intl.DateTimeFormat(language, { month: "long", timeZone: "UTC" });
  for (let month = 1; month <= MONTHS; month += 1)
    months.set(
      format(Date.UTC(CENTURY, month - 1, 1))
        .slice(0, 3)
        .toLowerCase(),
      month,
    );
}

/** The day as `2026-11-28`; null if the calendar does not have it. */
const dayOf = (year, month, date) => {
  const at = new Date(Date.UTC(year, month - 1, date));
  const exists = at.getUTCMonth() === month - 1 && at.getUTCDate() === date;
  return exists ? `${year}-${two(month)}-${two(date)}` : null;
};

/**
 * The typed day: `2026-11-28`, or day, month (number or name) and year. The year defaults to the present one. Null if
 * it is no day.
 */
export const typedDay = (text, today = isoDay()) => {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text.trim());
  if (iso) return dayOf(...iso.slice(1).map(Number));
  const found = /^(\d{1,2})(?:[\s./-]+(\d{1,2})|[\s./-]*(\p{L}{3,}))(?:[\s./-]+(\d{4}|\d{2}))?$/u.exec(text.trim());
  if (!found) return null;
  const [, date, figure, name, written] = found;
  const month = figure ? Number(figure) : months.get(name.toLowerCase().slice(0, 3));
  const year = written ? Number(written) + (written.length === 2 ? CENTURY : 0) : Number(today.slice(0, 4));
  return month ? dayOf(year, month, Number(date)) : null;
};

export class DayField extends LitElement {
  static properties = {
    value: { attribute: false },
    field: { attribute: false },
    name: { attribute: false },
    max: { attribute: false },
    // Set again with each drawing of the page, which may be in another language.
    choose: { attribute: false, hasChanged: () => true },
    typed: { state: true },
    wrong: { state: true },
  };

  constructor() {
    super();
    this.value = "";
    this.typed = null;
    this.wrong = false;
    this.focus = () => void this.updateComplete.then(() => this.input?.focus());
  }

  createRenderRoot() {
    return this;
  }

  get input() {
    return this.querySelector("input.input");
  }

  get native() {
    return this.querySelector("input[type=date]");
  }

  /** Whether the typed text is not a day. */
  get unclear() {
    return Boolean(this.typed?.trim()) && !typedDay(this.typed);
  }

  get complaint() {
    return t("{text} is not a date. Example: {example}", {
      text: this.typed?.trim() ?? "",
      example: calendarDay(isoDay()),
    });
  }

  /** The form reads this. */
  get kept() {
    return this.typed === null ? (this.value ?? "") : (typedDay(this.typed) ?? "");
  }

  willUpdate(changed) {
    // Another document is shown: text that was typed for the previous one is dropped.
    if (changed.has("value") && changed.get("value") !== undefined) Object.assign(this, { typed: null, wrong: false });
  }

  types(event) {
    this.typed = event.target.value;
    this.wrong = false;
  }

  /** Chooses a complete day. Other text stays, with an error. */
  ends() {
    if (this.typed === null) return;
    this.wrong = this.unclear;
    if (!this.wrong) this.becomes(this.kept);
  }

  becomes(day) {
    const changes = day !== (this.value ?? "");
    Object.assign(this, { typed: null, wrong: false, value: day });
    this.requestUpdate();
    if (changes) this.choose?.(day);
  }

  opens() {
    this.native.value = this.kept;
    this.native.showPicker();
  }

  render() {
    const id = this.field;
    return html`<div class="dated">
        <input
          class="input"
          id=${id}
          autocomplete="off"
          placeholder=${t("day month")}
          aria-invalid=${this.wrong ? "true" : nothing}
          aria-describedby=${this.wrong ? `${id}-problem` : nothing}
          .value=${this.typed ?? (this.value ? calendarDay(this.value) : "")}
          @input=${this.types}
          @change=${(event) => {
            this.types(event);
            this.ends();
          }}
        /><button type="button" class="ib" aria-label=${t("Calendar")} title=${t("Calendar")} @click=${this.opens}>
          ${icon("calendar", "icon-s")}</button
        ><input
          type="date"
          tabindex="-1"
          aria-hidden="true"
          max=${ifDefined(this.max)}
          @change=${(event) => {
            event.stopPropagation();
            this.becomes(event.target.value);
          }}
        />${this.name ? html`<input type="hidden" name=${this.name} .value=${this.kept} />` : nothing}
      </div>
      ${problem(this.wrong && this.complaint, `${id}-problem`)}`;
  }
}
customElements.define("x-date", DayField);

/**
 * A field for a day.
 * @param {object} about
 * @param {string} about.id Of the text field, as its label has it.
 * @param {string} [about.value]
 * @param {string} [about.name] Of the value in a form.
 * @param {string} [about.max] The last day that its calendar offers.
 * @param {boolean} [about.focus]
 * @param {(day: string) => void} [about.onChoose]
 */
export const dayField = ({ id, value, name, max, focus, onChoose }) =>
  html`<x-date
    .field=${id}
    .name=${name}
    .max=${max}
    ?data-focus=${focus}
    .value=${value ?? ""}
    .choose=${onChoose}
  ></x-date>`;
