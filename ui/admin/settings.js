// Settings in force, with their source: the settings file, the environment, head office, or the default.
import { html, nothing } from "../vendor/lit.js";
import { icon, notice } from "../kit/controls.js";
import { decimal, money, number, rate } from "../kit/format.js";
import { known, t } from "../kit/i18n.js";
import { title } from "../kit/list.js";
import { Page } from "../kit/page.js";
import { ask } from "../kit/form.js";
import { OF_SHIFTS, settingField, settingKind, settingValue } from "../settings/setting_field.js";
import { mayChange } from "./products.js";

const LOOKS = { hub: "ok", environment: "warn", file: "plain" };
const NAMES = { hub: "Head office", environment: "Environment", file: "Settings file", default: "Default" };
const SOURCES = Object.keys(NAMES);
/** Sections for the operator of the server. */
const TECHNICAL = ["http", "storage", "auth", "supervision", "idempotency", "hub", "sync", "log", "backup"];
/** Settings that are amounts of money. */
const AMOUNTS = [
  "payments.cash_rounding",
  "points.earn_per",
  "points.redeem_value",
  "returns.cashier_limit",
  "returns.unreceipted_max",
  "shifts.variance_tolerance",
  "approval.adjustment_value",
  "approval.pay_out_value",
];
/** Settings that a manager of a shop without a head office changes here. */
const OWN = [
  "approval.adjustment_value",
  "approval.pay_out_value",
  "holds.expire_after",
  "payments.cash_rounding",
  "payments.cash_rounding_mode",
  "payments.methods",
  "points.earn_per",
  "points.expire_after",
  "points.restore_days",
  "pricing.discount_limit_bp",
  "pricing.override",
  "receiving.over_tolerance_bp",
  "returns.cashier_limit",
  "returns.unreceipted_any_price",
  "returns.unreceipted_max",
  "returns.window_days",
  "shifts.blind",
  "shifts.variance_tolerance",
  "stock.negative",
  "store.address",
  "store.name",
  "store.receipt_footer",
  "store.tax_id",
  "tax.default_rate_bp",
  "tax.prices_include_tax",
];
/** Limits that 0 turns off. */
const LIFTED = [
  "pricing.discount_limit_bp",
  "returns.cashier_limit",
  "returns.unreceipted_max",
  "shifts.variance_tolerance",
  "approval.adjustment_value",
  "approval.pay_out_value",
];
/** A value of a setting as a person reads it. */
const inWords = ({ name, value }) => {
  if (value === 0 && LIFTED.includes(name)) return t("no limit");
  if (AMOUNTS.includes(name)) return money(value);
  if (name === "payments.denominations") return value.map(decimal).join(", ");
  if (Array.isArray(settingKind(name, value))) return t(`setting.${value}`);
  return name.endsWith("_bp") && typeof value === "number" ? rate(value) : shown(value);
};

/** Returns a value in words if it is a code. */
const wordOf = (one) => {
  if (typeof one === "object") return JSON.stringify(one);
  return known(one) ? t(one) : one;
};

/** Returns a value as in the settings file, with yes or no in words. */
const shown = (value) => {
  if (value === "" || value === null) return html`<span class="muted">${t("empty")}</span>`;
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  if (typeof value === "number") return number(value);
  if (Array.isArray(value))
    return value.length
      ? html`<bdi>${value.map(wordOf).join(", ")}</bdi>`
      : html`<span class="muted">${t("None")}</span>`;
  if (typeof value === "object")
    return html`<dl class="pairs">
      ${Object.entries(value).map(
        ([name, one]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${shown(one)}</dd>
          </div>`,
      )}
    </dl>`;
  return html`<bdi class="lines-kept">${value}</bdi>`;
};

class PageSettings extends Page {
  /** Whether a manager can change settings here: only without a head office. */
  own = false;

  constructor() {
    super();
    this.rows = null;
    this.text = "";
    this.source = "";
  }

  connectedCallback() {
    super.connectedCallback();
    this.text = this.app.params.query?.q ?? "";
    Promise.resolve().then(() => this.load());
  }

  async load() {
    await this.readBy(
      async () => {
        const { settings, setting_places: places } = await this.app.get("/api/admin/settings");
        return {
          own: await mayChange(this.app),
          rows: Object.entries(settings).flatMap(([section, keys]) =>
            Object.entries(keys).map(([key, value]) => ({
              section,
              key,
              value,
              name: `${section}.${key}`,
              source: places[`${section}.${key}`]?.source ?? "default",
              place: places[`${section}.${key}`]?.place ?? null,
            })),
          ),
        };
      },
      () => this.rows,
    );
    this.app.focusPage();
  }

  keys() {
    return { "/": (event) => (event.target.matches("input") ? false : this.querySelector("#search").focus()) };
  }

  found() {
    const wanted = this.text.trim().toLowerCase();
    const fits = ({ name, value, section }) =>
      !wanted ||
      name.includes(wanted) ||
      t(`setting.${name}`).toLowerCase().includes(wanted) ||
      t(`section.${section}`).toLowerCase().includes(wanted) ||
      JSON.stringify(value).toLowerCase().includes(wanted);
    return this.rows.filter((one) => fits(one) && (!this.source || one.source === this.source));
  }

  from({ source, place }) {
    return html`<span class="badge ${LOOKS[source] ?? ""}">${this.named(source)}</span
      >${place ? html` <code>${place}</code>` : nothing}`;
  }

  /** In a shop without a head office, its managers set what head office sets elsewhere. */
  named(source) {
    return source === "hub" && this.own ? t("Store Admin") : t(NAMES[source]);
  }

  async edit({ name, value }) {
    const done = await ask(this.app, {
      title: t(`setting.${name}`),
      yes: t("Save"),
      text: OF_SHIFTS.test(name) ? t("Applies from the next shift") : t("Applies immediately"),
      list: [settingField(name, value)],
      act: ({ value: given }) => this.send(name, settingValue(name, value, given)),
    });
    await this.done(done);
  }

  /** Resets a setting to the value of the file. */
  async leave({ name }) {
    const done = await ask(this.app, {
      title: t(`setting.${name}`),
      yes: t("Use the file's value"),
      text: t("The value from the settings file applies again"),
      act: () => this.send(name, null),
    });
    await this.done(done);
  }

  send(name, value) {
    return this.app.change("PATCH", "/api/admin/settings", { [name]: value });
  }

  async done(done) {
    if (!done) return;
    await this.load();
    this.app.say("ok", t("Saved"));
  }

  acts(one) {
    if (!this.own || !OWN.includes(one.name)) return nothing;
    return html`<div class="rowx end">
      <button class="btn small" @click=${() => this.edit(one)}>
        ${t("Change\u2026")}<span class="vh"> ${t(`setting.${one.name}`)}</span>
      </button>
      ${
        one.source === "hub"
          ? html`<button class="btn small" @click=${() => this.leave(one)}>
              ${t("Use file")}<span class="vh"> ${t(`setting.${one.name}`)}</span>
            </button>`
          : nothing
      }
    </div>`;
  }

  /** The settings file, where one is in use. */
  get file() {
    const place = this.rows.find(({ source }) => source === "file")?.place;
    return place?.replace(/:\d+$/, "") ?? "config.toml";
  }

  section(name, rows) {
    return html`<section class="panel" aria-labelledby=${`section-${name}`}>
      <h2 class="pad" id=${`section-${name}`}>${t(`section.${name}`)} <code>[${name}]</code></h2>
      <div class="scroll">
        <table class="grid fold settings-of">
          <thead>
            <tr>
              <th scope="col">${t("Setting")}</th>
              <th scope="col">${t("Value")}</th>
              <th scope="col">${t("Source")}</th>
            </tr>
          </thead>
          <tbody>
            ${rows.map(
              (one) =>
                html`<tr id=${`set-${one.name}`}>
                  <td>
                    <div>
                      ${known(`setting.${one.name}`) ? html`${t(`setting.${one.name}`)}<br />` : nothing}<code
                        >${one.key}</code
                      >
                    </div>
                  </td>
                  <td><div>${inWords(one)}</div></td>
                  <td><div>${this.from(one)} ${this.acts(one)}</div></td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </section>`;
  }

  tools() {
    const count = (source) => this.rows.filter((one) => one.source === source).length;
    const chip = (source) =>
      html`<button
        class="btn"
        aria-pressed=${this.source === source}
        @click=${() => {
          this.source = this.source === source ? "" : source;
          this.requestUpdate();
        }}
      >
        ${this.named(source)} <span class="muted">${number(count(source))}</span>
      </button>`;
    return html`<div class="rowx tools">
      <label class="vh" for="search">${t("Search settings")}</label>
      <div class="searching">
        ${icon("search")}<input
          class="input"
          id="search"
          data-focus
          data-keys
          autocomplete="off"
          spellcheck="false"
          placeholder=${t("Search settings")}
          .value=${this.text}
          @input=${(event) => {
            this.text = event.target.value;
            this.requestUpdate();
          }}
        />
      </div>
      ${SOURCES.filter(count).map(chip)}
    </div>`;
  }

  body() {
    if (!this.rows) return this.awaited();
    const found = this.found();
    const sections = [...new Set(found.map(({ section }) => section))];
    const draw = (names) =>
      names.map((name) =>
        this.section(
          name,
          found.filter(({ section }) => section === name),
        ),
      );
    const technical = sections.filter((name) => TECHNICAL.includes(name));
    const searched = Boolean(this.text || this.source);
    return html`${this.tools()}
      <div class="stack">
        ${notice(
          "",
          "info",
          this.own
            ? t(
                "Settings with a button are changed here. The others are changed in the file {file} of the server, below the section in square brackets, and need a restart. Secrets are never shown",
                { file: this.file },
              )
            : t(
                "Settings are changed in the file {file} of the server, below the section in square brackets, and need a restart. Head office changes them with immediate effect and overrides the file. Secrets are never shown",
                { file: this.file },
              ),
        )}
        ${draw(sections.filter((name) => !TECHNICAL.includes(name)))}${
          technical.length
            ? html`<details class="technical" ?open=${searched}>
                <summary>${t("Technical")}</summary>
                <div class="stack">${draw(technical)}</div>
              </details>`
            : nothing
        }${
          found.length
            ? nothing
            : html`<div class="empty panel">
                <p>${t("No settings found")}</p>
                <button
                  class="btn"
                  @click=${() => {
                    this.text = "";
                    this.source = "";
                    this.requestUpdate();
                  }}
                >
                  ${icon("x")}${t("Clear filter")}
                </button>
              </div>`
        }
      </div>`;
  }

  render() {
    return html`${title(t("Settings"), this.app.find())}${this.body()}`;
  }
}
customElements.define("page-settings", PageSettings);
