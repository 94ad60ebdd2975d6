// Parameters of a report: its period, store and groups.
import { html, nothing } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { dayField } from "../kit/date.js";
import { isoDay } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { pick } from "../records/picks.js";
import { group, title } from "./reports.js";

export const monthBegin = () => `${isoDay().slice(0, 8)}01`;
/** @type {[string, number | null, number][]} */
const PERIODS = [
  ["today", 0, 0],
  ["yesterday", -1, -1],
  ["week", -6, 0],
  ["month", null, 0],
  ["quarter", -89, 0],
];
const period = (name) =>
  ({ today: t("Today"), yesterday: t("Yesterday"), week: t("7 days"), month: t("This month"), quarter: t("90 days") })[
    name
  ];

export const filters = (page) => {
  const { asked } = page;
  const now = PERIODS.find(
    ([, first, last]) => asked.from === (first === null ? monthBegin() : isoDay(first)) && asked.to === isoDay(last),
  )?.[0];
  const field = (id, label, input, kind = "") =>
    html`<div class="field ${kind}"><label for=${id}>${label}</label>${input}</div>`;
  const date = (name, label) =>
    field(
      `filter-${name}`,
      label,
      dayField({ id: `filter-${name}`, value: asked[name], onChoose: (day) => page.set({ [name]: day || undefined }) }),
    );
  return html`<div class="filters report-filters ${page.unfolded ? "unfolded" : ""}">
    ${field(
      "filter-report",
      t("Report"),
      html`<select
        class="input"
        id="filter-report"
        @change=${(event) => {
          location.hash = address(["reports", event.target.value], {
            from: asked.from,
            to: asked.to,
            store_id: asked.store_id,
            compare: page.app.params.query.compare,
          });
        }}
      >
        ${page.mine.map((name) => html`<option value=${name} ?selected=${name === page.name}>${title(name)}</option>`)}
      </select>`,
      "search",
    )}
    <button
      class="btn fold-button"
      aria-expanded=${Boolean(page.unfolded)}
      @click=${() => {
        page.unfolded = !page.unfolded;
        page.requestUpdate();
      }}
    >
      ${icon("list-filter")}${t("Filter")}</button
    >${
      page.spec.asOf
        ? date("as_of", t("As of"))
        : html`${field(
            "filter-period",
            t("Period"),
            html`<select
              class="input"
              id="filter-period"
              @change=${(event) => {
                const [, first, last] = PERIODS.find(([name]) => name === event.target.value) ?? [];
                if (last !== undefined)
                  page.set({ from: first === null ? monthBegin() : isoDay(first), to: isoDay(last) });
              }}
            >
              <option value="" ?selected=${!now}>${t("Other days")}</option>
              ${PERIODS.map(([name]) => html`<option value=${name} ?selected=${name === now}>${period(name)}</option>`)}
            </select>`,
          )}${date("from", t("From"))}${date("to", t("Until"))}`
    }
    ${field(
      "filter-store",
      t("Store"),
      pick(page, "store", {
        id: "filter-store",
        value: asked.store_id ?? "",
        onChoose: (store) => page.set({ store_id: store }),
      }),
    )}
    ${field(
      "filter-by",
      t("Group by"),
      html`<select class="input" id="filter-by" @change=${(event) => page.set({ group_by: event.target.value })}>
        ${page.spec.by.map((name) => html`<option value=${name} ?selected=${name === page.by}>${group(name)}</option>`)}
      </select>`,
    )}${
      page.spec.asOf
        ? nothing
        : field(
            "filter-dates",
            t("Date basis"),
            html`<select class="input" id="filter-dates" @change=${(event) => page.set({ dates: event.target.value })}>
              <option value="business" ?selected=${asked.dates !== "books"}>${t("sale date")}</option>
              <option value="books" ?selected=${asked.dates === "books"}>${t("posting date")}</option>
            </select>`,
          )
    }${
      page.spec.asOf
        ? nothing
        : field(
            "filter-compare",
            t("Compare with"),
            html`<select
              class="input"
              id="filter-compare"
              @change=${(event) => page.set({ compare: event.target.value })}
            >
              <option value="">${t("None")}</option>
              <option value="previous" ?selected=${Boolean(page.earlier)}>${t("previous period")}</option>
            </select>`,
          )
    }
  </div>`;
};
