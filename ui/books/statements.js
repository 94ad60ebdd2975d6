// Statements: reports of providers and banks; a file is previewed first, and stored when the user confirms.
import { html, nothing } from "../vendor/lit.js";
import { newKey, path } from "../kit/api.js";
import { words } from "../kit/codes.js";
import { icon, problem } from "../kit/controls.js";
import { decimal, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { ListPage, title } from "../kit/list.js";
import { address, refilter } from "../kit/menu.js";
import { ask } from "../kit/form.js";
import { badge, completeness, days, inMoney } from "../records/cells.js";
import { need, nameOf, rows } from "../records/names.js";
import { pickField } from "../records/picks.js";
import { previewed } from "./set_aside.js";
import { begin, mapper } from "./mapper.js";
import { identity, MARKS } from "./source_format.js";

const STATES = ["imported", "discrepant", "reconciled", "approved"];

class PageStatements extends ListPage {
  constructor() {
    super();
    this.pattern = "/api/statements";
  }

  query() {
    return this.app.params.query;
  }

  async load(more) {
    this.sources = await need(this.app, "sources").catch(() => new Map());
    await super.load(more);
  }

  set(name, value) {
    this.app.params.query = { ...this.app.params.query, [name]: value };
    refilter(["statements"], this.app.params.query);
    this.load();
  }

  /** The selected source; until then the one in the address. */
  get source() {
    return this.querySelector("#source")?.value ?? this.first?.source_id;
  }

  get active() {
    return rows("sources").filter(({ state }) => state === "active");
  }

  get first() {
    const { source_id: asked } = this.app.params.query;
    return this.active.find(({ source_id: id }) => id === asked) ?? this.active[0];
  }

  /** Applies another source's format to the selected file. */
  rechoose() {
    this.drop();
    if (this.file) this.look(this.file);
  }

  /** Takes the selected file. The field is cleared, so that the same file can be selected again. */
  taken(field) {
    const [file] = field.files;
    if (!file) return;
    this.look(file);
    field.value = "";
  }

  /** Shows the columns of a file that the source's format can't read, with their guessed meanings. */
  async mapped(bytes, mine = this.looks) {
    const source = await this.app.get("/api/statement-sources/:id", { id: this.source });
    if (mine !== this.looks) return;
    this.columns = begin(bytes, source, source.csv);
    this.requestUpdate();
  }

  remap(changed) {
    this.columns = { ...this.columns, ...changed };
    this.requestUpdate();
  }

  /** `repeats`: also import lines that repeat known payments. */
  url(source, dry, repeats) {
    return path(
      "/api/statements",
      {},
      { source_id: source, dry_run: dry ? true : undefined, accept_repeats: repeats ? true : undefined },
    );
  }

  /**
   * Previews a file without storing it. Preview and import belong to one file and one source: an answer that arrives
   * after another selection is dropped.
   */
  async look(file, repeats = false) {
    if (!file) return;
    this.drop();
    this.file = file;
    const { looks: mine, source } = this;
    this.busy = true;
    const type = /\.xml$/i.test(file.name) ? "application/xml" : "text/csv";
    // Its raw bytes: the source determines their encoding.
    const bytes = await file.arrayBuffer();
    try {
      const preview = await this.app.change("POST", this.url(source, true, repeats), bytes, { type });
      if (mine === this.looks) this.seen = { preview, bytes, type, source, repeats, name: file.name, key: newKey() };
    } catch (error) {
      if (mine !== this.looks) return;
      this.problem = words(error);
      this.fields = error.details?.fields ?? [];
      this.repeated = error.code === "duplicate";
      if (type === "text/csv" && this.fields.length) {
        await this.mapped(bytes, mine);
        const asks = this.fields.every(({ path: where }) => where !== "csv.decimal");
        if (this.columns && asks) this.problem = t("This file has another format than the one kept for this source");
      }
    } finally {
      if (mine === this.looks) this.busy = false;
    }
  }

  drop() {
    this.columns = null;
    this.looks = (this.looks ?? 0) + 1;
    this.seen = null;
    this.problem = null;
    this.repeated = false;
    this.busy = false;
    this.requestUpdate();
  }

  async keep() {
    const { seen } = this;
    await this.once(async () => {
      const made = await this.app.change("POST", this.url(seen.source, false, seen.repeats), seen.bytes, {
        type: seen.type,
        key: seen.key,
      });
      this.app.go("statements", made.statement_id);
    });
  }

  /** Asks for what the file does not show, stores it with the source, and reads the file again. */
  async says(decimal) {
    const { file, source } = this;
    await this.once(async () => {
      const { csv } = await this.app.get("/api/statement-sources/:id", { id: source });
      await this.app.change("PATCH", path("/api/statement-sources/:id", { id: source }), { csv: { ...csv, decimal } });
    });
    await this.look(file);
  }

  /** The meaning of ambiguous figures. */
  marks() {
    if (!this.file || !this.fields?.some(({ path: where }) => where === "csv.decimal")) return nothing;
    return html`<div class="rowx wrap" id="marks">
      <span>${t("Amount format of this source")}</span>${MARKS().map(
        ([decimal, label]) =>
          html`<button class="btn" ?disabled=${this.busy} @click=${() => this.says(decimal)}>${label}</button>`,
      )}
    </div>`;
  }

  /** Lines that repeat known payments in other words may be other payments. */
  repeats(preview) {
    const some = preview ? preview.repeats?.length || this.seen.repeats : this.repeated && this.file;
    if (!some) return nothing;
    return html`<label class="rowx"
      ><input
        type="checkbox"
        id="repeats"
        .checked=${Boolean(this.seen?.repeats)}
        @change=${(event) => this.look(this.file, event.target.checked)}
      /><span>${t("Also add rows that look like known payments: they are different payments")}</span></label
    >`;
  }

  async addSource() {
    const made = await ask(this.app, {
      title: t("Add a provider or a bank"),
      yes: t("Add"),
      list: [
        { name: "name", label: t("Name"), required: true, focus: true },
        {
          name: "kind",
          label: t("Kind"),
          kind: "choice",
          choices: [
            ["provider", t("Payment provider")],
            ["bank", t("Bank")],
          ],
          required: true,
        },
        pickField(this.app, "method", { name: "methods", label: t("Payment methods"), several: true }),
        pickField(this.app, "account", {
          name: "account",
          label: t("Account"),
          hint: t("Leave blank for the default account"),
        }),
        ...identity({}),
        { name: "lag_days", label: t("Payout delay (days)"), kind: "count" },
      ],
      act: (body) => this.app.change("POST", "/api/statement-sources", body),
    });
    if (!made) return;
    await need(this.app, "sources", true);
    this.load();
    this.app.say("ok", t("{name} added", { name: made.name }));
  }

  upload() {
    const known = this.active;
    if (!known.length)
      return html`<section class="panel pad stack s">
        <p>${t("Add a payment provider or bank before you import a statement")}</p>
        <p>
          <button class="btn primary" @click=${() => this.addSource()}>
            ${icon("plus")}${t("Add a provider or a bank")}
          </button>
        </p>
      </section>`;
    const { preview, name } = this.seen ?? {};
    const shown = (label, value) =>
      html`<div>
        <dt>${label}</dt>
        <dd>${value}</dd>
      </div>`;
    return html`<section class="panel part">
        <header class="part-head"><h2>${t("Import a statement")}</h2></header>
        <div class="pad stack s">
          <div class="filters unfolded">
            <div class="field">
              <label for="source">${t("Statement source")}</label
              ><select class="input" id="source" @change=${() => this.rechoose()}>
                ${known.map(
                  (one) =>
                    html`<option value=${one.source_id} ?selected=${one.source_id === this.first?.source_id}>
                      ${one.name}
                    </option>`,
                )}
              </select>
            </div>
            <div class="field file">
              <label for="file">${t("CSV or CAMT.053 file")}</label
              ><input
                class="input"
                id="file"
                type="file"
                accept=".csv,.xml,text/csv,application/xml"
                @change=${(event) => this.taken(event.target)}
              />${this.file ? html`<p class="muted hint"><bdi>${this.file.name}</bdi></p>` : nothing}
            </div>
            <button class="btn" @click=${() => this.addSource()}>${t("Another source\u2026")}</button>
          </div>
          ${problem(this.problem)}${
            this.problem && this.fields?.length && !this.columns
              ? html`<ul class="rows-wrong">
                  ${this.fields
                    .slice(0, 20)
                    .map(({ path: where, problem: what }) => html`<li><code>${where}</code> ${what}</li>`)}
                </ul>`
              : nothing
          }
          ${this.problem ? html`${this.marks()}${this.repeats(null)}` : nothing}
          ${
            preview
              ? html`<dl class="figures panel">
                    ${shown(
                      t("Lines"),
                      number(preview.lines_total),
                    )}${shown(t("New"), number(preview.lines_new))}${shown(
                      t("Already imported"),
                      number(preview.lines_known),
                    )}${shown(t("Matched"), number(preview.matched))}${shown(
                      t("Differences"),
                      number(preview.exceptions),
                    )}${shown(t("Net"), decimal(preview.net))}${
                      preview.balance_difference
                        ? shown(t("Balance difference"), decimal(preview.balance_difference))
                        : nothing
                    }
                  </dl>
                  ${this.repeats(preview)}
                  <p class="muted">
                    ${t("Preview, not saved yet")}: <bdi>${name}</bdi>, ${days(preview.from)} – ${days(preview.to)}
                  </p>
                  <p class="rowx">
                    <button
                      class="btn primary"
                      ?disabled=${this.busy || !preview.lines_new}
                      title=${preview.lines_new ? nothing : t("All lines are already imported")}
                      @click=${() => this.keep()}
                    >
                      ${icon("check")}${t("Import {n} lines", { n: number(preview.lines_new) })}</button
                    >${
                      this.seen.type === "text/csv"
                        ? html`<button class="btn" @click=${() => this.mapped(this.seen.bytes)}>
                            ${icon("list-filter")}${t("Columns\u2026")}
                          </button>`
                        : nothing
                    }<button class="btn" @click=${() => this.drop()}>${t("Cancel")}</button>
                  </p>`
              : nothing
          }
        </div>
      </section>
      ${this.columns ? mapper(this) : nothing}${preview ? previewed(preview) : nothing}`;
  }

  row(one) {
    const way = address(["statements", one.statement_id]);
    return html`<tr
      class="open"
      @click=${(event) => {
        if (!event.target.closest("a")) location.hash = way;
      }}
    >
      <td><a class="rowlink" href=${way}>${one.doc_no}</a></td>
      <td>${nameOf("sources", one.source_id)}</td>
      <td><div>${days(one.from)} – ${days(one.to)}</div></td>
      <td class="num d">${number(one.lines_total)}</td>
      <td class="num d">${number(one.matched)}</td>
      <td class="num">${one.exceptions ? html`<span class="differs">${number(one.exceptions)}</span>` : 0}</td>
      <td class="num d2">${inMoney(one.fee)}</td>
      <td class="num">${inMoney(one.net)}</td>
      <td>${badge(one.state)}</td>
    </tr>`;
  }

  render() {
    const { query } = this.app.params;
    const heads = [
      [t("Number")],
      [t("Source")],
      [t("Days")],
      [t("Lines"), "num d"],
      [t("Matched"), "num d"],
      [t("Differences"), "num"],
      [t("Fees"), "num d2"],
      [t("Net"), "num"],
      [t("Status")],
    ];
    return html`${title(t("Statements"), this.app.find())}${this.app.tabs()}
      <div class="stack">
        ${this.sources ? this.upload() : nothing}
        <div class="filters unfolded">
          <div class="field">
            <label for="filter-state">${t("Status")}</label
            ><select class="input" id="filter-state" @change=${(event) => this.set("state", event.target.value)}>
              <option value="">${t("Any")}</option>
              ${STATES.map(
                (state) => html`<option value=${state} ?selected=${state === query.state}>${t(state)}</option>`,
              )}
            </select>
          </div>
        </div>
        ${completeness(this.answer?.completeness)}${this.table(
          heads,
          (one) => this.row(one),
          t("No statements yet"),
          "records",
        )}
      </div>`;
  }
}
customElements.define("page-statements", PageStatements);
