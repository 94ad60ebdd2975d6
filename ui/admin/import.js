// Products or opening stock from a spreadsheet: what each column means is chosen above its first rows; then the file is
// tried, and taken in whole or not at all.
import { html, nothing } from "../vendor/lit.js";
import { newKey, path } from "../kit/api.js";
import { words } from "../kit/codes.js";
import { icon, problem } from "../kit/controls.js";
import { number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { Page, title } from "../kit/page.js";
import { mayChange } from "./products.js";
import { headerOf, readFile } from "./csv.js";
import { guessed, MEANINGS, NEEDED, problemOf } from "./meanings.js";

/** Rows of the file that are shown. */
const SHOWN = 5;
/** Bad rows that are shown. */
const NAMED = 200;
const URLS = { products: "/api/products/import", stock: "/api/stock/opening/import" };

class PageImportGoods extends Page {
  file;
  refused;
  tried;
  problem;
  own;

  constructor() {
    super();
    this.refused = [];
  }

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  /** Products are head office's where there is one. */
  async load() {
    await this.readBy(
      async () => ({ own: this.kind === "stock" || (await mayChange(this.app)) }),
      () => this.own !== undefined,
    );
    this.app.focusPage();
  }

  get kind() {
    return this.app.params.query?.kind === "stock" ? "stock" : "products";
  }

  keys() {
    return { Escape: () => this.app.go("products") };
  }

  async look(file) {
    if (!file) return;
    const bytes = await file.arrayBuffer();
    const { encoding, rows } = readFile(bytes);
    if (!rows.length) {
      Object.assign(this, { file: null, tried: null, refused: [], problem: t("The file has no rows") });
      this.requestUpdate();
      return;
    }
    const header = headerOf(rows);
    this.file = { name: file.name, bytes, encoding, rows, key: newKey() };
    this.under(header);
  }

  /** Another line names the columns: their meanings are guessed anew. */
  under(header) {
    const width = Math.max(...this.file.rows.map((row) => row.cells.length));
    const names = Array.from({ length: width }, (_, at) => header.cells[at] ?? "");
    Object.assign(this.file, { header, names, columns: guessed(this.kind, names) });
    this.changed();
  }

  /** A column means something else; no two mean the same. */
  mean(at, meaning) {
    const { file } = this;
    file.columns = file.columns.map((known, place) => (place === at ? meaning : known === meaning ? "" : known));
    this.changed();
  }

  changed() {
    Object.assign(this, { refused: [], problem: null, tried: null });
    this.requestUpdate();
    if (!this.missing.length) this.send(true);
  }

  /** What no column means yet, and has to be there. */
  get missing() {
    const { file, kind } = this;
    return NEEDED[kind].filter((meaning) => !file?.columns.includes(meaning));
  }

  async send(dry) {
    const { file, kind } = this;
    const mine = (this.looks = (this.looks ?? 0) + 1);
    this.busy = true;
    this.requestUpdate();
    try {
      const query = {
        dry_run: dry || undefined,
        encoding: file.encoding,
        column_names: file.columns.join(","),
        header_line: file.header.line,
      };
      const key = dry ? newKey() : file.key;
      const done = await this.app.change("POST", path(URLS[kind], {}, query), file.bytes, { type: "text/csv", key });
      if (dry && mine === this.looks) this.tried = done;
      if (!dry) this.imported(done);
    } catch (error) {
      if (mine !== this.looks) return;
      Object.assign(this, { problem: words(error), refused: error.details?.fields ?? [], tried: null });
      file.key = newKey();
    } finally {
      if (mine === this.looks) this.busy = false;
      this.requestUpdate();
    }
  }

  async imported(done) {
    this.app.go("products");
    // A message belongs to the page that is shown: it is said once the next one is.
    await new Promise((resolve) => setTimeout(resolve));
    this.app.say(
      "ok",
      this.kind === "stock"
        ? t("Opening stock of {n} products saved", { n: number(done.products_count) })
        : t("{n} products imported, {changed} new or changed", { n: number(done.rows), changed: number(done.changed) }),
    );
  }

  /** The first rows, with the meaning of each column above it. */
  mapper() {
    const { file, kind } = this;
    const below = file.rows.filter(({ line }) => line > file.header.line);
    return html`<section class="panel">
      <h2 class="pad">${t("{name}: {n} rows", { name: file.name, n: number(below.length) })}</h2>
      <div class="scroll">
        <table class="grid mapper">
          <thead>
            <tr>
              ${file.names.map(
                (name, at) =>
                  html`<th scope="col">
                    <label class="vh" for=${`column-${at}`}
                      >${t("Meaning of column {name}", { name: name || number(at + 1) })}</label
                    ><select class="input" id=${`column-${at}`} @change=${(event) => this.mean(at, event.target.value)}>
                      <option value="">${t("not imported")}</option>
                      ${MEANINGS[kind].map(
                        ([meaning, label]) =>
                          html`<option value=${meaning} ?selected=${file.columns[at] === meaning}>${label()}</option>`,
                      )}</select
                    ><bdi>${name}</bdi>
                  </th>`,
              )}
            </tr>
          </thead>
          <tbody>
            ${below.slice(0, SHOWN).map(
              ({ cells }) =>
                html`<tr>
                  ${file.names.map(
                    (_, at) => html`<td class=${file.columns[at] ? "" : "muted"}><bdi>${cells[at] ?? ""}</bdi></td>`,
                  )}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </section>`;
  }

  /** Rows with the store's problems or warnings. */
  noted(heading, list, advice = "") {
    const { rows } = this.file;
    const text = (line) => rows.find((row) => row.line === line)?.text ?? "";
    return html`<section class="panel" id="noted">
      <h2 class="pad">${heading} <span class="muted">${advice}</span></h2>
      <div class="scroll">
        <table class="grid">
          <thead>
            <tr>
              <th class="num">${t("Line")}</th>
              <th>${t("Problem")}</th>
              <th>${t("As in the file")}</th>
            </tr>
          </thead>
          <tbody>
            ${list.slice(0, NAMED).map(
              ([line, said]) =>
                html`<tr>
                  <td class="num">${line === null ? nothing : number(line)}</td>
                  <td>${said}</td>
                  <td><code>${line === null ? "" : text(line)}</code></td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </section>`;
  }

  /** What the file would come to, or why it can't be taken in. */
  outcome() {
    const { tried, refused, kind, missing } = this;
    if (missing.length) {
      const named = MEANINGS[kind].filter(([meaning]) => missing.includes(meaning)).map(([, label]) => label());
      return html`<p class="notice">${t("Choose the column for: {names}", { names: named.join(", ") })}</p>`;
    }
    if (tried)
      return html`<p role="status">
        ${
          kind === "stock"
            ? t("Ready: opening stock of {n} products. Nothing is saved yet", { n: number(tried.products_count) })
            : t("Ready: {n} products, {changed} new or changed. Nothing is saved yet", {
                n: number(tried.rows),
                changed: number(tried.changed),
              })
        }
      </p>`;
    return refused.length ? nothing : problem(this.problem);
  }

  headers() {
    const { file } = this;
    const first = file.rows.slice(0, 10);
    return html`<div class="field">
      <label for="header">${t("Column names are in line")}</label
      ><select
        class="input"
        id="header"
        @change=${(event) => this.under(file.rows.find(({ line }) => line === Number(event.target.value)))}
      >
        ${first.map(
          ({ line, text }) =>
            html`<option value=${line} ?selected=${line === file.header.line}>
              ${number(line)}: ${text.slice(0, 40)}
            </option>`,
        )}
      </select>
    </div>`;
  }

  render() {
    const { file, kind, tried, refused } = this;
    const heading = kind === "stock" ? t("Import opening stock") : t("Import products");
    if (this.own === undefined) return html`${title(heading)}${this.awaited()}`;
    if (!this.own)
      return html`${title(heading)}
        <p class="empty panel">${t("Head office manages the products of this store. Change them there")}</p>`;
    const line = ({ path: where }) => (/^line \d+$/.test(where) ? Number(where.slice(5)) : null);
    return html`${title(
        html`<a class="back" href=${address(["products"])}
            >${icon("arrow-left")}<span class="vh">${t("Products")}</span></a
          >${heading}`,
        html`<button class="btn primary" ?disabled=${!tried || this.busy} @click=${() => this.send(false)}>
          ${icon("check")}${t("Import")}
        </button>`,
      )}
      <div class="stack">
        <section class="panel pad stack s">
          <div class="filters unfolded flat">
            <div class="field file">
              <label for="file">${t("CSV file")}</label
              ><input
                class="input"
                id="file"
                type="file"
                data-focus
                accept=".csv,.txt,text/csv"
                @click=${({ target }) => {
                  target.value = "";
                }}
                @change=${(event) => this.look(event.target.files[0])}
              />
            </div>
            ${file ? this.headers() : nothing}
          </div>
          <p class="muted">
            ${t("Save the spreadsheet as CSV. All rows are imported, or none; products with the same code are changed")}
          </p>
          ${file ? this.outcome() : problem(this.problem)}
        </section>
        ${
          refused.length
            ? this.noted(
                t("Rejected: {n}", { n: number(refused.length) }),
                refused.map((one) => [line(one), problemOf(kind, one.problem)]),
                t("Correct these rows in the spreadsheet, save it as CSV and choose the file again"),
              )
            : nothing
        }${
          tried?.warnings?.length
            ? this.noted(
                t("Please check: {n}", { n: number(tried.warnings.length) }),
                tried.warnings.map((one) => [one.line, problemOf(kind, one.problem)]),
              )
            : nothing
        }${file ? this.mapper() : nothing}
      </div>`;
  }
}
customElements.define("page-import-goods", PageImportGoods);
