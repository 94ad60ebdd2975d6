// Imports a spreadsheet at the store and at head office: the meaning of each column is chosen above its first rows.
// Each choice is tried at once without storing anything; then the file is imported whole or not at all.
import { html, nothing } from "../vendor/lit.js";
import { newKey, path } from "../kit/api.js";
import { words } from "../kit/codes.js";
import { icon, problem } from "../kit/controls.js";
import { number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { Page } from "../kit/page.js";
import { col } from "../records/cells.js";
import { table } from "../records/record.js";
import { ENCODINGS, headerOf, readFile } from "./csv.js";
import { guessed, MEANINGS, NEEDED, problemOf } from "./meanings.js";

/** Rows of the file that are shown. */
const SHOWN = 5;
/** Bad rows that are shown. */
const NAMED = 200;
/** First lines of which one may be the header. */
const HEADERS = 10;

const advice = () =>
  html`<p class="notice">${t("Correct these rows in the spreadsheet, save it as CSV and choose the file again")}</p>`;

/**
 * A page that imports files. `kind` determines its columns and `target` the path of the file, which is null while
 * another choice comes first.
 */
export class FileImport extends Page {
  file = null;
  refused = [];
  tried = null;
  problem = null;
  /** Whether the file is being imported. Nothing can be changed then. */
  saving = false;

  /**
   * What the rows of the file are.
   * @returns {"products" | "stock" | "prices"}
   */
  get kind() {
    return "products";
  }

  /**
   * The path that the file is sent to.
   * @returns {{ pattern: string, params?: Record<string, string> } | null}
   */
  get target() {
    return null;
  }

  /** Shows that a file was imported. */
  imported(_done) {}

  /** Fields before that of the file. */
  before() {
    return nothing;
  }

  /** Describes what an import would change. */
  preview(_done) {
    return "";
  }

  async look(file) {
    if (!file) return;
    this.decode(file.name, await file.arrayBuffer());
  }

  /** Reads a file, in the encoding that the user chose, if any. */
  decode(name, bytes, chosen = "") {
    const { encoding, rows } = readFile(bytes, chosen);
    if (!rows.length) {
      Object.assign(this, { file: null, tried: null, refused: [], problem: t("The file has no rows") });
      this.requestUpdate();
      return;
    }
    const header = headerOf(rows);
    this.file = { name, bytes, encoding, rows, key: newKey() };
    this.under(header);
  }

  /** Another line has the headers: the meanings are guessed again. */
  under(header) {
    const width = Math.max(...this.file.rows.map((row) => row.cells.length));
    const names = Array.from({ length: width }, (_, at) => header.cells[at] ?? "");
    Object.assign(this.file, { header, names, columns: guessed(this.kind, names) });
    this.changed();
  }

  /** Changes the meaning of a column; no two columns have the same. */
  mean(at, meaning) {
    const { file } = this;
    file.columns = file.columns.map((known, place) => (place === at ? meaning : known === meaning ? "" : known));
    this.changed();
  }

  changed() {
    Object.assign(this, { refused: [], problem: null, tried: null, busy: false, saving: false });
    this.looks = (this.looks ?? 0) + 1;
    this.requestUpdate();
    if (this.file && this.target && !this.missing.length) this.send(true);
  }

  /** Required meanings without a column. */
  get missing() {
    const { file, kind } = this;
    return NEEDED[kind].filter((meaning) => !file?.columns.includes(meaning));
  }

  async send(dry) {
    const { file } = this;
    const { pattern, params } = this.target;
    const mine = (this.looks = (this.looks ?? 0) + 1);
    Object.assign(this, { busy: true, saving: !dry });
    this.requestUpdate();
    try {
      const query = {
        dry_run: dry || undefined,
        encoding: file.encoding,
        column_names: file.columns.join(","),
        header_line: file.header.line,
      };
      const key = dry ? newKey() : file.key;
      const done = await this.app.change("POST", path(pattern, params, query), file.bytes, { type: "text/csv", key });
      if (!dry) this.imported(done);
      else if (mine === this.looks) this.tried = done;
    } catch (error) {
      if (mine !== this.looks) return;
      Object.assign(this, { problem: words(error), refused: error.details?.fields ?? [], tried: null });
      file.key = newKey();
    } finally {
      if (mine === this.looks) Object.assign(this, { busy: false, saving: false });
      this.requestUpdate();
    }
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
                    ><select
                      class="input"
                      id=${`column-${at}`}
                      ?disabled=${this.saving}
                      @change=${(event) => this.mean(at, event.target.value)}
                    >
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

  /** Rows with their problems or warnings. */
  noted(heading, list) {
    const { rows } = this.file;
    const text = (line) => rows.find((row) => row.line === line)?.text ?? "";
    return table(
      heading,
      [
        col(t("Line"), ([line]) => (line === null ? nothing : number(line)), "num"),
        col(t("Problem"), ([, problem]) => problem, "wide-cell"),
        col(t("As in the file"), ([line]) => html`<code>${line === null ? "" : text(line)}</code>`, "wide-cell"),
      ],
      list.slice(0, NAMED),
    );
  }

  /** The effect of the import, or why the file can't be imported. */
  outcome() {
    const { tried, refused, kind, missing } = this;
    if (!this.target) return nothing;
    if (missing.length) {
      const named = MEANINGS[kind].filter(([meaning]) => missing.includes(meaning)).map(([, label]) => label());
      return html`<p class="notice">${t("Choose the column for: {names}", { names: named.join(", ") })}</p>`;
    }
    if (tried) return html`<p role="status">${this.preview(tried)}</p>`;
    return refused.length ? nothing : problem(this.problem);
  }

  /** The encoding and the header line. */
  howRead() {
    const { file } = this;
    return html`<div class="field">
        <label for="encoding">${t("Encoding")}</label
        ><select
          class="input"
          id="encoding"
          ?disabled=${this.saving}
          @change=${(event) => this.decode(file.name, file.bytes, event.target.value)}
        >
          ${ENCODINGS.map(
            ([value, name]) => html`<option value=${value} ?selected=${value === file.encoding}>${name}</option>`,
          )}
        </select>
      </div>
      <div class="field">
        <label for="header">${t("Column names are in line")}</label
        ><select
          class="input"
          id="header"
          ?disabled=${this.saving}
          @change=${(event) => this.under(file.rows.find(({ line }) => line === Number(event.target.value)))}
        >
          ${file.rows
            .slice(0, HEADERS)
            .map(
              ({ line, text }) =>
                html`<option value=${line} ?selected=${line === file.header.line}>
                  ${number(line)}: ${text.slice(0, 40)}
                </option>`,
            )}
        </select>
      </div>`;
  }

  fields() {
    // The same file can be chosen again: without the empty value the browser reports no change.
    return html`<div class="filters unfolded flat">
      ${this.before()}
      <div class="field file">
        <label for="file">${t("CSV file")}</label
        ><input
          class="input"
          id="file"
          type="file"
          data-focus
          accept=".csv,.txt,text/csv"
          ?disabled=${this.saving}
          @click=${({ target }) => {
            target.value = "";
          }}
          @change=${(event) => this.look(event.target.files[0])}
        />
      </div>
      ${this.file ? this.howRead() : nothing}
    </div>`;
  }

  /** The button that imports the file. */
  button() {
    const { file, tried, busy } = this;
    const count = file?.rows.filter(({ line }) => line > file.header.line).length;
    return html`<button class="btn primary" ?disabled=${!tried || busy} @click=${() => this.send(false)}>
      ${icon("check")}${
        this.saving ? t("Saving\u2026") : count ? t("Import {n} rows", { n: number(count) }) : t("Import")
      }
    </button>`;
  }

  /** The page without its title. */
  body() {
    const { file, kind, tried, refused } = this;
    const line = ({ path: where }) => (/^line \d+$/.test(where) ? Number(where.slice(5)) : null);
    return html`<div class="stack">
      <section class="panel pad stack s">
        ${this.fields()}
        <p class="muted">
          ${t("Save the spreadsheet as CSV. All rows are imported, or none")}${
            kind === "products" ? html`. ${t("Products with the same code are changed")}` : nothing
          }
        </p>
        ${file ? this.outcome() : problem(this.problem)} ${refused.length ? advice() : nothing}
      </section>
      ${
        refused.length
          ? this.noted(
              t("Rejected: {n}", { n: number(refused.length) }),
              refused.map((one) => [line(one), problemOf(kind, one.problem)]),
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
