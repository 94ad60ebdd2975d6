// Settings of head office and of one store: the value in force, its source, and head office's override.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { decimal, number, rate } from "../kit/format.js";
import { apart, t } from "../kit/i18n.js";
import { ask } from "../kit/form.js";
import { title } from "../kit/list.js";
import { address, refilter } from "../kit/menu.js";
import { Page } from "../kit/page.js";
import "./texts.js";
import { col } from "../records/cells.js";
import { need, rows } from "../records/names.js";
import { pickField } from "../records/picks.js";
import { table } from "../records/record.js";
import { KIND, OF_SHIFTS, settingField, settingKind, settingValue } from "../settings/setting_field.js";

/** Settings for which 0 means no limit. */
const NO_LIMIT = ["finance.manual_limit", "finance.approval_limit", "purchasing.approval_limit"];
/** Lists with their own pages or tables. */
const ELSEWHERE = ["reasons", "tiers"];
const SECTIONS = [
  "company",
  "finance",
  "purchasing",
  "settlement",
  "tax",
  "payments",
  "points",
  "pricing",
  "returns",
  "holds",
  "shifts",
  "approval",
  "receiving",
  "stock",
  "store",
];

const shown = (name, value) => {
  if (value === null || value === undefined) return html`<span class="muted">${t("store's value")}</span>`;
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value === "object") return html`<code>${JSON.stringify(value)}</code>`;
  if (typeof value === "string")
    return Array.isArray(KIND[name]) ? t(`setting.${value}`) : html`<bdi class="lines-kept">${value}</bdi>`;
  if (value === 0 && NO_LIMIT.includes(name))
    return html`<span class="date">0 <span class="muted">${t("no limit")}</span></span>`;
  const kind = settingKind(name, value);
  return kind === "rate" ? rate(value) : kind === "money" ? decimal(value) : number(value);
};
class PageSettings extends Page {
  sources;

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  get store() {
    return this.app.params.query.store_id ?? "";
  }

  get pattern() {
    return this.store ? "/api/stores/:id/settings" : "/api/settings";
  }

  load() {
    return this.readBy(
      async () => {
        await need(this.app, "stores");
        const sources = this.store ? {} : await this.app.get("/api/settings/sources");
        return { sources, values: await this.app.get(this.pattern, { id: this.store }) };
      },
      () => this.values,
    );
  }

  choose(id) {
    this.values = null;
    this.app.params.query = { store_id: id };
    refilter(["settings"], this.app.params.query);
    this.load();
  }

  send(name, value) {
    return this.app.change("PATCH", path(this.pattern, { id: this.store }), { [name]: value });
  }

  /** Payment methods are chosen from the list of head office. */
  field(name, value) {
    const field = settingField(name, value);
    if (settingKind(name, value) !== "words") return field;
    const hint = t("Must include cash");
    return pickField(this.app, "method", { ...field, kind: undefined, value: value ?? [], several: true, hint });
  }

  async edit(name, value) {
    const done = await ask(this.app, {
      title: t(`setting.${name}`),
      yes: t("Save"),
      text: this.store
        ? OF_SHIFTS.test(name)
          ? t("Applies from the store's next shift")
          : t("Sent to the store")
        : t("Applies immediately"),
      list: [this.field(name, value)],
      act: ({ value: given }) => this.send(name, settingValue(name, value, given)),
    });
    await this.done(done);
  }

  /** Resets to the value of the file. */
  async leave(name) {
    const done = await ask(this.app, {
      title: t(`setting.${name}`),
      yes: t("Use the file's value"),
      text: this.store
        ? t("The value from the store's file applies again")
        : t("The value from head office's file applies again"),
      act: () => this.send(name, null),
    });
    await this.done(done);
  }

  async done(done) {
    if (!done) return;
    await this.load();
    this.app.say("ok", t("Saved"));
  }

  part(section) {
    const names = Object.keys(this.values).filter((name) => name.startsWith(`${section}.`));
    if (!names.length) return nothing;
    return table(
      t(`section.${section}`),
      [
        col(t("Setting"), (name) => html`<span title=${name}>${t(`setting.${name}`)}</span>`),
        col(t("Value"), (name) => shown(name, this.values[name])),
        col(
          t("Source"),
          (name) =>
            this.store
              ? this.values[name] === null
                ? t("the store's file")
                : html`<span class="badge ok">${t("head office")}</span>`
              : this.sources[name] === "administrator"
                ? html`<span class="badge ok">${t("set here")}</span>`
                : t("head office's file"),
          "date",
        ),
        col(
          "",
          (name) =>
            html`<button class="btn small" @click=${() => this.edit(name, this.values[name])}>
                ${t("Change\u2026")}
              </button>
              ${
                (this.store ? this.values[name] === null : this.sources[name] !== "administrator")
                  ? nothing
                  : html`<button class="btn small" @click=${() => this.leave(name)}>${t("Use file")}</button>`
              }`,
          "acts",
        ),
      ],
      names,
    );
  }

  render() {
    const head = html`${title(t("Settings"), this.app.find())}${this.app.tabs()}
      <div class="filters unfolded">
        <div class="field search">
          <label for="of">${t("Settings for")}</label
          ><select class="input" id="of" data-focus @change=${(event) => this.choose(event.target.value)}>
            <option value="">${t("Head office")}</option>
            ${rows("stores").map(
              (one) =>
                html`<option value=${one.store_id} ?selected=${one.store_id === this.store}>
                  ${apart(one.name)} ${one.store_id}
                </option>`,
            )}
          </select>
        </div>
      </div>`;
    if (!this.values) return html`${head}${this.awaited()}`;
    const others = ELSEWHERE.filter((name) => name in this.values);
    return html`${head}
      <div class="stack">
        ${SECTIONS.map((section) => this.part(section))}${
          others.length
            ? table(
                t("Lists"),
                [
                  col(t("Setting"), (name) => html`<a href=${address([name])}>${t(`setting.${name}`)}</a>`),
                  col(t("Value"), (name) => shown(name, this.values[name])),
                ],
                others,
              )
            : nothing
        }
      </div>`;
  }
}
customElements.define("page-settings", PageSettings);
