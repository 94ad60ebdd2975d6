// A column chart of a period, drawn in the page's text size so that it is readable on a phone. The table below has
// every value.
import { html, nothing } from "../vendor/lit.js";
import { vars } from "./controls.js";
import { by, money, rate, units } from "./format.js";
import { t } from "./i18n.js";

const LINES = 4;
/** A short figure; the table has the whole one. */
const compact = (value, shown) =>
  by(Intl.NumberFormat, { notation: "compact", maximumFractionDigits: 1 })
    .format(shown === money ? units(value) : value)
    .replace("-", "\u2212");
/** Most columns that can be distinguished. */
export const COLUMNS_MAX = 62;
/** Names below them, on the widest screen. */
const NAMES = 10;
const NICE = [1, 2, 2.5, 5, 10];

/** A round figure of at least `most`. */
const rounded = (most) => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return power * NICE.find((step) => step * power >= most);
};

/**
 * `rows` have a name, a value and, if known, the previous value; `what` is the title. The chart is left out if a value
 * is below zero. A row may have an `href`, which a pointer opens; the table or the title has the link for the keyboard.
 */
export const columns = (rows, what, shown = money, where = t("all values are in the table below")) => {
  if (!rows.length || rows.length > COLUMNS_MAX || rows.some(({ value }) => value < 0)) return nothing;
  const top = rounded(Math.max(1, ...rows.map(({ value, before }) => Math.max(value, before ?? 0))));
  const part = (value) => `${(Math.max(0, value) * 100) / top}%`;
  const best = rows.reduce((a, b) => (b.value > a.value ? b : a));
  const least = rows.reduce((a, b) => (b.value < a.value ? b : a));
  const every = Math.ceil(rows.length / NAMES);
  const ends = t("Highest: {name}, {amount}. Lowest: {other}, {less}", {
    name: best.name,
    amount: shown(best.value),
    other: least.name,
    less: shown(least.value),
  });
  const label = `${what}; ${where}. ${ends}`;
  const column = ({ name, value, before, quiet, href }, index) =>
    html`<i
      class="column ${quiet ? "quiet" : ""} ${href ? "leads" : ""}"
      title="${name}: ${shown(value)}${before === undefined ? "" : ` (${shown(before)})`}"
      @click=${href ? () => (location.hash = href) : nothing}
      ${vars({ "--part": part(value) })}
      ><b></b>${before === undefined ? nothing : html`<s ${vars({ "--part": part(before) })}></s>`}<span
        class=${index % every ? "vh" : ""}
        >${name}</span
      ></i
    >`;
  return html`<figure class="panel columns" role="img" aria-label=${label}>
    <p class="what" aria-hidden="true">${what}</p>
    <div class="scale" aria-hidden="true">
      ${Array.from(
        { length: LINES + 1 },
        (_, line) =>
          html`<span ${vars({ "--part": `${(line * 100) / LINES}%` })}>${compact((top * line) / LINES, shown)}</span>`,
      )}
    </div>
    <div class="plot" aria-hidden="true" ${vars({ "--columns": String(rows.length) })}>${rows.map(column)}</div>
    ${
      rows.some(({ before }) => before !== undefined)
        ? html`<figcaption aria-hidden="true"><i></i>${t("this period")}<s></s>${t("previous period")}</figcaption>`
        : nothing
    }
  </figure>`;
};

const DAY_MS = 86_400_000;
/** A business date `days` later. */
export const moved = (date, days) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
/** Days of a period, both ends counted. */
export const length = (/** @type {{ from?: string, to?: string }} */ { from, to }) =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
export const weekend = (date) => [0, 6].includes(new Date(`${date}T00:00:00Z`).getUTCDay());
/** The change; empty without a former value. */
export const change = (now, before) => {
  if (!before) return "";
  const points = Math.round(((now - before) * 10_000) / Math.abs(before));
  return `${points > 0 ? "+" : ""}${rate(points).replace("-", "\u2212")}`;
};

/** A bar beside a figure, for rows that are compared with one another. */
export const bar = (value, most) =>
  html`<div
    class="bar-of"
    aria-hidden="true"
    ${vars({ "--part": `${(Math.max(0, value) * 100) / Math.max(1, most)}%` })}
  ></div>`;
