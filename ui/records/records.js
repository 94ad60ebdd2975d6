// A list that is described as data: filters in the address, columns, the target of a row, actions.
import { html, nothing } from "../vendor/lit.js";
import { icon, inside } from "../kit/controls.js";
import { dayField } from "../kit/date.js";
import { t } from "../kit/i18n.js";
import { ListPage, title } from "../kit/list.js";
import { refilter } from "../kit/menu.js";
import { need } from "./names.js";
import { csvOf, cellText, download } from "./files.js";
import { pick, sourceFor } from "./picks.js";

const SEARCH_AFTER_MS = 250;
/** Value in the address that turns off a filter with a default. */
export const ANY = "any";

/** Filters that many lists have. */
export const ofStore = () => ({ name: "store_id", label: t("Store"), kind: "pick", of: "store" });
export const ofSku = () => ({ name: "sku", label: t("Product"), kind: "pick", of: "product" });
export const ofDays = () => [
  { name: "from", label: t("From"), kind: "date" },
  { name: "to", label: t("Until"), kind: "date" },
];
export const ofState = (states, label = t("Status")) => ({
  name: "state",
  label,
  kind: "choice",
  choices: states.map((state) => [state, t(state)]),
});
export const ofText = (label) => ({ name: "q", label, kind: "search" });

class PageRecords extends ListPage {
  spec;

  constructor() {
    super();
    this.unfolded = false;
  }

  get view() {
    return this.spec.list(this);
  }

  get place() {
    return this.view.open;
  }

  /** Defaults of the filters. */
  get defaults() {
    const { defaults } = this.spec;
    return typeof defaults === "function" ? defaults(this.app, this.app.params.query) : defaults;
  }

  /** The current filters: those of the address, otherwise the defaults. */
  get filters() {
    return { ...this.defaults, ...this.app.params.query };
  }

  get pattern() {
    return this.spec.path;
  }

  /** An answer without pages. */
  get whole() {
    return Boolean(this.spec.whole);
  }

  /** The events that concern the list. */
  get live() {
    return this.spec.live;
  }

  /** Name of the rows in an answer. */
  get itemsIn() {
    return this.spec.rows;
  }

  query() {
    const asked = Object.fromEntries(Object.entries(this.filters).filter(([, value]) => value !== ANY));
    return { ...asked, ...this.spec.fixed };
  }

  async load(more = false) {
    await Promise.all(["stores", ...(this.spec.needs ?? [])].map((kind) => need(this.app, kind).catch(() => {})));
    await super.load(more);
    try {
      await this.spec.loaded?.(this.app, this.items ?? []);
    } catch (error) {
      this.app.fail(error);
    }
    this.requestUpdate();
  }

  set(name, value) {
    const query = { ...this.app.params.query };
    if (value || this.defaults?.[name]) query[name] = value || ANY;
    else delete query[name];
    this.app.params.query = query;
    refilter([this.app.section], query);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load(), SEARCH_AFTER_MS);
    this.requestUpdate();
  }

  clear() {
    this.app.params.query = {};
    refilter([this.app.section]);
    this.load();
  }

  keys() {
    const typing = (event) => event.target.closest?.("input, select, textarea");
    const move = (step) => (event) => {
      if (typing(event)) return false;
      const links = [...this.querySelectorAll("tbody tr .rowlink")];
      const at = links.indexOf(document.activeElement);
      return links.length ? void links[Math.max(0, Math.min(links.length - 1, at + step))].focus() : false;
    };
    const begin = this.view.create;
    return {
      "/": (event) =>
        typing(event)
          ? false
          : void (this.querySelector("#filter-q") ?? this.querySelector(".filters .input"))?.focus(),
      ArrowDown: move(1),
      ArrowUp: move(-1),
      J: move(1),
      K: move(-1),
      N: (event) => (typing(event) || !begin ? false : void begin.act()),
    };
  }

  /** Searches for a scanned code, if one of the filters accepts it. */
  get scanned() {
    const { scans } = this.spec;
    return scans && ((code) => this.set(scans, code));
  }

  /** Some lists have their own search. */
  async listed(more) {
    /** @type {any[] | null} */
    const items = await this.spec.finds?.(this.app, this.filters);
    return items ? { answer: null, items, next: null } : super.listed(more);
  }

  control(one) {
    const value = this.filters[one.name] === ANY ? "" : (this.filters[one.name] ?? "");
    const id = `filter-${one.name}`;
    const on = (event) => this.set(one.name, event.target.value.trim());
    switch (one.kind) {
      case "choice":
        return html`<select class="input" id=${id} @change=${on}>
          ${one.always ? nothing : html`<option value="">${t("Any")}</option>`}${one.choices.map(
            ([key, label]) => html`<option value=${key} ?selected=${key === value}>${label}</option>`,
          )}
        </select>`;
      case "date":
        return dayField({ id, value, onChoose: (day) => this.set(one.name, day) });
      case "pick":
        return pick(this, one.of, { id, value, onChoose: (chosen) => this.set(one.name, chosen) });
      case "search":
        return html`<div class="searching">
          ${icon("search")}<input class="input" id=${id} autocomplete="off" .value=${value} @input=${on} />
        </div>`;
      case "found":
        return html`<div class="searching">
          ${icon("search")}<input
            class="input"
            id=${id}
            autocomplete="off"
            .value=${value && one.shown(value)}
            @change=${(event) => this.found(one, event.target)}
          />
        </div>`;
      default:
        return html`<input class="input" id=${id} autocomplete="off" .value=${value} @input=${on} />`;
    }
  }

  /** Sets a filter to the ID of what the typed text names. Text that names nothing changes nothing. */
  async found(one, field) {
    const text = field.value.trim();
    try {
      const id = text && (await one.find(this.app, text));
      // If the user has left meanwhile, another page makes the request.
      if (id !== null && this.isConnected) this.set(one.name, id);
    } catch (error) {
      this.app.fail(error);
    }
  }

  field(one) {
    return html`<div class="field ${one.kind ?? ""}">
      <label for=${`filter-${one.name}`}>${one.label}</label>${this.control(one)}
    </div>`;
  }

  /** The first and the last day stay beside each other. */
  bar(filters) {
    if (!filters.length) return nothing;
    const set = filters.filter(
      ({ name, always }) => !always && this.filters[name] && this.filters[name] !== ANY,
    ).length;
    return html`<div class="filters ${this.unfolded ? "unfolded" : ""}">
      <button
        class="btn fold-button"
        aria-expanded=${this.unfolded}
        @click=${() => {
          this.unfolded = !this.unfolded;
          this.requestUpdate();
        }}
      >
        ${icon("list-filter")}${set ? t("Filter, {n} set", { n: set }) : t("Filter")}
      </button>
      ${filters.map((one, at) =>
        one.name === "to" && at
          ? nothing
          : one.name === "from" && filters[at + 1]?.name === "to"
            ? html`<div class="pair">${this.field(one)}${this.field(filters[at + 1])}</div>`
            : this.field(one),
      )}
    </div>`;
  }

  /** Returns the current filters in words. */
  filtered(filters) {
    return filters
      .filter(({ name }) => this.filters[name] && this.filters[name] !== ANY)
      .map(({ name, label, choices, shown, of }) => {
        const value = this.filters[name];
        const picked = of && sourceFor(this, of).text(value);
        return `${label}: ${choices?.find(([key]) => key === value)?.[1] ?? shown?.(value) ?? picked ?? value}`;
      })
      .join(", ");
  }

  none({ filters = [], none }) {
    const set = this.filtered(filters.filter(({ name }) => this.app.params.query?.[name]));
    return set
      ? html`<div class="empty panel">
          <p>${t("No results for {filters}", { filters: set })}</p>
          <button class="btn" @click=${() => this.clear()}>${t("Clear filter")}</button>
        </div>`
      : html`<p class="empty panel">${none}</p>`;
  }

  body(view) {
    const { columns, open, actions } = view;
    if (this.items === null) return this.awaited();
    if (!this.items.length) return this.none(view);
    const cells = (one) =>
      columns.map(
        ({ cell, kind }, index) =>
          html`<td class=${kind}>
            ${index === 0 && open ? html`<a class="rowlink" href=${open(one)}>${cell(one)}</a>` : inside(cell(one))}
          </td>`,
      );
    const row = (one) =>
      html`<tr
        class=${open ? "open" : nothing}
        @click=${(event) => {
          if (open && !event.target.closest("a, button, input")) location.hash = open(one);
        }}
      >
        ${cells(one)}${
          actions
            ? html`<td class="acts">
                ${actions(one).map(
                  ({ label, act }) =>
                    html`<button class="btn small" ?disabled=${this.busy} @click=${act}>${label}</button>`,
                )}
              </td>`
            : nothing
        }
      </tr>`;
    return html`<div class="panel scroll">
        <table class="grid fold records">
          <thead>
            <tr>
              ${columns.map(
                ({ head, kind }) =>
                  html`<th scope="col" class=${kind}>${head || html`<span class="vh">${t("Actions")}</span>`}</th>`,
              )}${actions ? html`<th><span class="vh">${t("Actions")}</span></th>` : nothing}
            </tr>
          </thead>
          <tbody>
            ${this.rows(row)}
          </tbody>
        </table>
      </div>
      ${
        this.next ? html`<button class="btn more" @click=${() => this.load(true)}>${t("Load more")}</button>` : nothing
      }`;
  }

  /** Saves the list as a file with its columns, after reading all pages. */
  async save() {
    await this.once(async () => {
      while (this.next) await this.load(true);
      await this.updateComplete;
      const rows = [...this.querySelectorAll("table.records tr")].map((row) =>
        [...row.cells].filter((cell) => !cell.matches(".acts")).map(cellText),
      );
      download(`${this.app.section}.csv`, csvOf(rows));
    });
  }

  render() {
    const view = this.view;
    const { create, filters = [] } = view;
    const tool = (act, image, label) =>
      html`<button class="btn" ?disabled=${!this.items?.length || this.busy} @click=${act}>
        ${icon(image)}${label}
      </button>`;
    return html`${title(
      view.title,
      view.papers
        ? html`${tool(() => this.save(), "download", "CSV")}${tool(() => print(), "printer", t("Print"))}`
        : nothing,
      this.app.find(),
      create
        ? html`<button class="btn ${create.kind ?? "primary"}" @click=${create.act}>
            ${icon(create.image ?? "plus")}${create.label}
          </button>`
        : nothing,
    )}
    ${this.app.tabs()}${view.note ?? nothing}${this.bar(filters)}${
      view.above ? view.above(this) : nothing
    }${this.body(view)}${view.below && this.items ? html`<div class="above">${view.below(this)}</div>` : nothing}`;
  }
}
customElements.define("page-records", PageRecords);
