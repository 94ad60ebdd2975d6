// Files of products and of suppliers' prices: looked at here first, taken in whole or not at all; each row that is
// refused is named.
import { html, nothing } from "../vendor/lit.js";
import { newKey, path } from "../kit/api.js";
import { words } from "../kit/codes.js";
import { icon, problem } from "../kit/controls.js";
import { number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { title } from "../kit/list.js";
import { Page } from "../kit/page.js";
import "./texts.js";
import { breaking, col } from "../records/cells.js";
import { need, rows } from "../records/names.js";
import { table } from "../records/record.js";

const FIRST = 5;
const COLUMNS = {
  products: "sku,name,price,category,barcode,reorder_level,tax_rate_bp,cost,pack_barcode,pack_qty",
  prices: "sku,unit_cost,supplier_sku,min_qty,pack_qty,from,to,lead_time_days,preferred",
};

/** Encodings of files, as head office names them, with their names for a person. */
const ENCODINGS = [
  ["utf-8", "UTF-8"],
  ["utf-16", "UTF-16"],
  ["windows-1252", "Windows-1252"],
  ["iso-8859-1", "ISO-8859-1"],
];

/** The encoding that the byte order mark of a file names, for a decoder; null without a mark. */
const markOf = (bytes) => {
  const [first, second, third] = new Uint8Array(bytes, 0, Math.min(3, bytes.byteLength));
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xef && second === 0xbb && third === 0xbf ? "utf-8" : null;
};

/**
 * The encoding of a file by its byte order mark, or UTF-8 if its bytes are valid; else the one of spreadsheets on
 * Windows.
 */
const encodingOf = (bytes) => {
  if (markOf(bytes)?.startsWith("utf-16")) return "utf-16";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return "utf-8";
  } catch {
    return "windows-1252";
  }
};

/** The text of a file. A byte order mark overrides the encoding that was chosen. */
const textOf = (bytes, encoding) => new TextDecoder(markOf(bytes) ?? encoding).decode(bytes);

/** What separates the cells: the separator that the header has most of. */
const separatorOf = (header) => {
  const many = (mark) => header.split(mark).length;
  return [",", ";", "\t", "|"].reduce((best, mark) => (many(mark) > many(best) ? mark : best));
};

/** The cells of a line; quotes by RFC 4180. To be shown alone: what counts is what head office reads. */
const cells = (line, separator) => {
  const found = [];
  let cell = "";
  let quoted = false;
  for (const mark of line) {
    if (mark === '"') quoted = !quoted;
    else if (mark === separator && !quoted) {
      found.push(cell);
      cell = "";
    } else cell += mark;
  }
  return [...found, cell];
};

class PageImport extends Page {
  kind;
  supplier;
  file;
  refused;

  constructor() {
    super();
    Object.assign(this, { kind: "products", supplier: "", refused: [] });
  }

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve()
      .then(() => need(this.app, "suppliers"))
      .then(() => this.requestUpdate())
      .catch((error) => this.app.fail(error));
  }

  /** What is asked for has changed: what the file would come to is looked up at once, and nothing is kept of it. */
  set(changed) {
    Object.assign(this, { refused: [], problem: null, tried: null, busy: false }, changed);
    this.requestUpdate();
    this.looks = (this.looks ?? 0) + 1;
    this.send(true);
  }

  async look(file) {
    if (!file) return;
    const bytes = await file.arrayBuffer();
    this.decode(file.name, bytes, encodingOf(bytes));
  }

  /** Reads the bytes of a file in an encoding. The server reads them anew. */
  decode(name, bytes, encoding) {
    const lines = textOf(bytes, encoding).split(/\r\n|\n|\r/);
    const [hint] = lines;
    // The first line of some spreadsheets only names the separator.
    const named = /^sep=(.)$/i.exec(hint ?? "")?.[1] ?? null;
    const full = lines.slice(named ? 1 : 0).filter((line) => line.trim());
    this.set({
      file: { name, bytes, encoding, lines, full, separator: named ?? separatorOf(full[0] ?? ""), key: newKey() },
    });
  }

  get url() {
    return this.kind === "products"
      ? ["/api/products/import", {}]
      : ["/api/suppliers/:id/products/import", { id: this.supplier }];
  }

  /**
   * What a file would come to is dropped once another one is chosen; what was taken in is said whatever was chosen
   * since.
   */
  async send(dry) {
    const { file, looks: mine } = this;
    if (!(file?.full.length > 1) || (this.kind === "prices" && !this.supplier)) return;
    this.busy = true;
    this.requestUpdate();
    try {
      const done = await this.app.change(
        "POST",
        path(...this.url, { dry_run: dry || undefined, encoding: file.encoding }),
        file.bytes,
        { type: "text/csv", key: dry ? newKey() : file.key },
      );
      if (dry && mine !== this.looks) return;
      if (dry) this.tried = done;
      else {
        if (this.file === file) [this.file, this.tried] = [null, null];
        this.app.say(
          "ok",
          t("{rows} rows imported, {changed} with changes", { rows: number(done.rows), changed: number(done.changed) }),
        );
      }
    } catch (error) {
      if (dry && mine !== this.looks) return;
      this.problem = words(error);
      [this.refused, this.tried, file.key] = [error.details?.fields ?? [], null, newKey()];
    } finally {
      if (mine === this.looks) this.busy = false;
      this.requestUpdate();
    }
  }

  /** What is wrong, beside the row as it stands in the file. */
  wrong() {
    const line = (where) => this.file?.lines[Number(where.match(/\d+/)?.[0] ?? 0) - 1] ?? "";
    return table(
      t("Rejected: {n}", { n: number(this.refused.length) }),
      [
        col(t("Row"), (row) => html`<code>${row.path}</code>`),
        col(t("Error"), (row) => row.problem, "wide-cell"),
        col(t("As in the file"), (row) => html`<code>${line(row.path)}</code>`, "wide-cell"),
      ],
      this.refused.slice(0, 200),
    );
  }

  /** Rows that would be taken in although something about them is doubtful. */
  doubtful() {
    const { lines } = this.file;
    return table(
      t("Please check: {n}", { n: number(this.tried.warnings.length) }),
      [
        col(t("Line"), (row) => number(row.line)),
        col(t("Warning"), (row) => row.problem, "wide-cell"),
        col(t("As in the file"), (row) => html`<code>${lines[row.line - 1] ?? ""}</code>`, "wide-cell"),
      ],
      this.tried.warnings.slice(0, 200),
    );
  }

  first() {
    const { full, separator } = this.file;
    const [names = [], ...lines] = full.slice(0, FIRST + 1).map((line) => cells(line, separator));
    return table(
      t("{name}: {n} rows", { name: this.file.name, n: number(Math.max(0, full.length - 1)) }),
      names.map((name, at) => col(name, (row) => html`<bdi>${row[at] ?? ""}</bdi>`)),
      lines,
      t("The file has no rows"),
    );
  }

  render() {
    const { file, kind, tried } = this;
    // The same file is chosen anew, too, which the browser tells of a field that is empty alone.
    return html`${title(
        t("Import"),
        this.app.find(),
        html`<button class="btn primary" ?disabled=${!tried || this.busy} @click=${() => this.busy || this.send(false)}>
          ${icon("check")}${
            this.busy
              ? t("Saving\u2026")
              : file
                ? t("Import {n} rows", { n: number(Math.max(0, file.full.length - 1)) })
                : t("Import rows")
          }
        </button>`,
      )}${this.app.tabs()}
      <div class="stack">
        <section class="panel pad stack s">
          <div class="filters unfolded flat">
            <div class="field">
              <label for="kind">${t("Type")}</label
              ><select class="input" id="kind" data-focus @change=${(event) => this.set({ kind: event.target.value })}>
                <option value="products">${t("Products")}</option>
                <option value="prices" ?selected=${kind === "prices"}>${t("A supplier's price list")}</option>
              </select>
            </div>
            ${
              kind === "prices"
                ? html`<div class="field">
                    <label for="supplier">${t("Supplier")}</label
                    ><select
                      class="input"
                      id="supplier"
                      @change=${(event) => this.set({ supplier: event.target.value })}
                    >
                      <option value="">${t("Choose\u2026")}</option>
                      ${rows("suppliers").map(
                        (one) =>
                          html`<option value=${one.supplier_id} ?selected=${one.supplier_id === this.supplier}>
                            ${one.name}
                          </option>`,
                      )}
                    </select>
                  </div>`
                : nothing
            }
            <div class="field file">
              <label for="file">${t("CSV file")}</label
              ><input
                class="input"
                id="file"
                type="file"
                accept=".csv,text/csv"
                @click=${({ target }) => {
                  target.value = "";
                }}
                @change=${(event) => this.look(event.target.files[0])}
              />
            </div>
            ${
              file
                ? html`<div class="field">
                    <label for="encoding">${t("Encoding")}</label
                    ><select
                      class="input"
                      id="encoding"
                      @change=${(event) => this.decode(file.name, file.bytes, event.target.value)}
                    >
                      ${ENCODINGS.map(
                        ([value, name]) =>
                          html`<option value=${value} ?selected=${value === file.encoding}>${name}</option>`,
                      )}
                    </select>
                  </div>`
                : nothing
            }
          </div>
          <p class="muted">${t("Columns, in any order:")} ${breaking(COLUMNS[kind])}</p>
          <p class="muted">${t("All rows are imported, or none")}</p>
          ${
            tried
              ? html`<p>
                  ${t("{changed} of {rows} rows have changes; not saved yet", {
                    changed: number(tried.changed),
                    rows: number(tried.rows),
                  })}
                </p>`
              : nothing
          }${this.refused.length ? nothing : problem(this.problem)}
        </section>
        ${this.refused.length ? this.wrong() : nothing}${
          tried?.warnings?.length ? this.doubtful() : nothing
        }${file ? this.first() : nothing}
      </div>`;
  }
}
customElements.define("page-import", PageImport);
