// Cells and marks of the tables of Store Admin and the portal.
import { html, nothing } from "../vendor/lit.js";
import { icon, inside, single, vars } from "../kit/controls.js";
import { ago, brief, by, date, day, decimal, number, several, time, zone } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { nameOf, row, zoneOf } from "./names.js";

/** Styles of states; others are plain. */
const LOOKS = {
  open: "warn",
  discrepant: "bad",
  disputed: "bad",
  draft: "warn",
  approved: "ok",
  reconciled: "ok",
  matched: "ok",
  paid: "ok",
  posted: "ok",
  received: "ok",
  resolved: "ok",
  settled: "ok",
  locked: "ok",
  partially_paid: "warn",
  partially_received: "warn",
  sent: "plain",
  cancelled: "plain",
  closed: "plain",
  voided: "bad",
  reversed: "bad",
  interrupted: "bad",
  ended: "warn",
  in_transit: "warn",
  rejected: "bad",
  accepted: "ok",
  blocked: "bad",
  disabled: "bad",
  expected: "warn",
  difference: "bad",
  match: "ok",
  not_yet: "plain",
  imported: "warn",
  withdrawn: "plain",
  revoked: "bad",
  expired: "warn",
};
export const badge = (state) =>
  state ? single(html`<span class="badge ${LOOKS[state] ?? "plain"}">${t(state)}</span>`) : nothing;
/** Returns a number of pieces, documents or people. */
export const figure = (value, shown = number) =>
  value === null || value === undefined
    ? nothing
    : value < 0
      ? single(html`<span class="minus">${shown(value)}</span>`)
      : shown(value);
/** Names of amounts of money in details of actions. */
const MONEY = /(^|[_.])(amount|price|cost|total|discount|variance|value|refund|tax|rounding|net|gross|fee|limit)$/;
export const isMoney = (name) => MONEY.test(name);
/** Returns an amount of money. */
export const inMoney = (value) => figure(value, decimal);
export const differs = (value, shown = number) =>
  value ? single(html`<span class="differs">${shown(value)}</span>`) : figure(value, shown);
export const differsBy = (value) => differs(value, decimal);
export const days = (text) => (text ? single(html`<span class="date">${day(text)}</span>`) : nothing);
/**
 * Returns the short name of a time zone if the company has several. Only the Indonesian locale has WIB, WITA and WIT.
 */
const zoneName = (moment, timeZone = zone) =>
  several
    ? `\u00a0${
        by(Intl.DateTimeFormat, { timeZone, timeZoneName: "short" }, "id-ID")
          .formatToParts(new Date(moment))
          .find(({ type }) => type === "timeZoneName").value
      }`
    : "";
const exact = (at, zone) => `${date(at, zone)}, ${time(at, zone)}${zoneName(at, zone)}`;
/** Short time, with the exact time in its tooltip: in the zone of a document's store, otherwise in head office's. */
export const moment = (at, of) => {
  if (!at) return nothing;
  const zone = zoneOf(of);
  return single(
    html`<time datetime=${at} title=${exact(at, zone)}
      >${brief(at, zone)}, ${time(at, zone)}${zoneName(at, zone)}</time
    >`,
  );
};
export const since = (at) =>
  at ? html`<time datetime=${at} title=${exact(at)}>${ago(at)}</time>` : html`<span class="muted">${t("never")}</span>`;
export const link = (parts, text, query) => html`<a href=${address(parts, query)}><bdi>${text}</bdi></a>`;
/** Returns a store by name, if the role may know it. */
export const store = (id) =>
  row("stores", id) && nameOf("stores", id) !== id
    ? html`<bdi>${nameOf("stores", id)}</bdi> <span class="muted">${id}</span>`
    : single(id ? html`<bdi>${id}</bdi>` : html`<span class="muted">${t("Head office")}</span>`);
/** Returns a person by name; otherwise by the end of the ID. */
export const person = (id) => {
  if (!id) return nothing;
  const name = row("people", id)?.name;
  return single(
    name
      ? html`<bdi title=${id}>${name}</bdi>`
      : html`<span class="muted" title=${id}>${`\u2026${id.slice(-6)}`}</span>`,
  );
};
/** An account by its number and its name. */
export const accountOf = ({ account, name }) => html`<span class="account">${account}</span><bdi>${name}</bdi>`;
/** Returns a code that can break after its dots and commas. */
export const breaking = (text) =>
  single(html`<code>${text.split(/(?<=[.,])/).map((part, at) => (at ? html`<wbr />${part}` : part))}</code>`);
export const supplier = (id) => (id ? single(html`<bdi>${nameOf("suppliers", id)}</bdi>`) : nothing);
/** A column: its head, its cell, `num` and `d`, `d2`, `d3` for those that narrow screens leave out. */
export const col = (head, cell, kind = "") => ({ head, cell, kind });

/** A table of rows that are loaded already. */
/** `open` gives the address that a click on a row leads to. */
export const grid = (columns, rows, none = t("None"), open = null) =>
  rows.length
    ? html`<div class="scroll">
        <table class="grid fold">
          <thead>
            <tr>
              ${columns.map(
                ({ head, kind }) =>
                  html`<th scope="col" class=${kind}>${head || html`<span class="vh">${t("Actions")}</span>`}</th>`,
              )}
            </tr>
          </thead>
          <tbody>
            ${rows.map(
              (one) =>
                html`<tr
                  class=${open ? "open" : nothing}
                  @click=${(event) => {
                    if (open && !event.target.closest("a, button, input")) location.hash = open(one);
                  }}
                >
                  ${columns.map(
                    ({ head, cell, kind }) => html`<td class=${kind} data-label=${head}>${inside(cell(one))}</td>`,
                  )}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`
    : html`<p class="empty">${none}</p>`;

/** Returns how many stores are included in a figure. */
export const storesIn = (complete, expected) =>
  t(expected === 1 ? "Data from {n} of {all} store" : "Data from {n} of {all} stores", {
    n: number(complete),
    all: number(expected),
  });
/** Returns the completeness of figures in words, with the names of missing stores. */
export const completeness = (seen) => {
  if (!seen) return nothing;
  const { stores_complete: complete, stores_expected: expected, missing } = seen;
  const all = missing.length === 0;
  const named = missing
    .slice(0, 3)
    .map(({ store_id: id, reasons }) => `${nameOf("stores", id)} (${reasons.map((reason) => t(reason)).join(", ")})`)
    .join("; ");
  const more = missing.length > 3 ? ` ${t("and {n} more", { n: number(missing.length - 3) })}` : "";
  return html`<p class="notice ${all ? "plain" : "warn"} complete">
    ${icon(all ? "circle-check" : "triangle-alert")}<span
      >${storesIn(complete, expected)}${all ? "" : `. ${t("Missing: {names}", { names: named })}${more}`}</span
    >
  </p>`;
};

/** The states of a document as a row of words. */
export const steps = (all, now) =>
  html`<ol class="steps" aria-label=${t("Status")}>
    ${all.map(
      (state) =>
        html`<li class=${state === now ? "now" : nothing} aria-current=${state === now ? "step" : nothing}>
          ${t(state)}
        </li>`,
    )}
  </ol>`;
export const ifSome = (list, template) => (list?.length ? template(list) : nothing);

/** Compares rows by a bar each, in the given order. */
export const bars = (heading, rows, label, value, none, shown = number) => {
  const most = Math.max(1, ...rows.map(value));
  return html`<section class="panel">
    <h2 class="pad">${heading}</h2>
    ${
      rows.length
        ? html`<table class="grid bars">
            <tbody>
              ${rows.map(
                (row) =>
                  html`<tr>
                    <th scope="row">${label(row)}</th>
                    <td>
                      <div class="bar-of" ${vars({ "--part": `${(Math.max(0, value(row)) * 100) / most}%` })}></div>
                    </td>
                    <td class="num">${shown(value(row))}</td>
                  </tr>`,
              )}
            </tbody>
          </table>`
        : html`<p class="empty">${none}</p>`
    }
  </section>`;
};
