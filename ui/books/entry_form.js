// An entry by hand: lines of one book or of several, both sides equal before it can be posted.
import { html, nothing } from "../vendor/lit.js";
import { icon, moneyInput } from "../kit/controls.js";
import { decimal, isoDay } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import "./texts.js";
import { FormPage, textField } from "../records/form_page.js";
import { need } from "../records/names.js";
import { pick } from "../records/picks.js";

const empty = () => ({ account: "", store_id: "", debit: null, credit: null });

/** The lines of an entry in a form, shared with openings. */
export class EntryLines extends FormPage {
  memo;
  date;

  constructor() {
    super();
    Object.assign(this, { date: isoDay(), memo: "", lines: [empty(), empty()] });
  }

  /** Whether its lines may be in several books. */
  get books() {
    return false;
  }

  async load() {
    await Promise.all([need(this.app, "accounts"), need(this.app, "stores")]);
  }

  sums() {
    const sum = (name) => this.lines.reduce((all, one) => all + (one[name] ?? 0), 0);
    return { debit: sum("debit"), credit: sum("credit") };
  }

  /** Lines with an account and an amount. */
  written() {
    return this.lines
      .filter(({ account, debit, credit }) => account && (debit || credit))
      .map(({ account, store_id: book, debit, credit }) => ({
        account,
        ...(book && this.books ? { store_id: book } : {}),
        ...(debit ? { debit } : {}),
        ...(credit ? { credit } : {}),
      }));
  }

  row(line, index) {
    const cell = (name, of) =>
      pick(this, of, {
        id: `${name}-${index}`,
        label: `${name === "account" ? t("Account") : t("Book of store")} ${index + 1}`,
        value: line[name],
        onChoose: (chosen) => this.line(index, { [name]: chosen }),
      });
    const money = (name, other, label) =>
      moneyInput({
        id: `${name}-${index}`,
        value: line[name],
        label: `${label} ${index + 1}`,
        onValue: (value) => this.line(index, { [name]: value, ...(value ? { [other]: null } : {}) }),
      });
    return html`<tr>
      <td class="wide-cell">${cell("account", "account")}</td>
      ${this.books ? html`<td>${cell("store_id", "store")}</td>` : nothing}
      <td class="num wide-in">${money("debit", "credit", t("Debit"))}</td>
      <td class="num wide-in">${money("credit", "debit", t("Credit"))}</td>
      <td class="acts">
        <button
          class="btn small"
          aria-label=${t("Remove line {n}", { n: index + 1 })}
          @click=${() => this.set({ lines: this.lines.filter((_, at) => at !== index) })}
        >
          ${icon("trash-2", "icon-s")}
        </button>
      </td>
    </tr>`;
  }

  table() {
    const { debit, credit } = this.sums();
    const off = debit - credit;
    return html`<section class="panel part">
      <header class="part-head">
        <h2>${t("Lines")}</h2>
        <p class=${off ? "differs" : "muted"}>
          ${
            off
              ? t("{n} missing on the {side}", {
                  n: decimal(Math.abs(off)),
                  side: off > 0 ? t("credit side") : t("debit side"),
                })
              : t("both sides {n}", { n: decimal(debit) })
          }
        </p>
      </header>
      <div class="scroll">
        <table class="grid fold lines">
          <thead>
            <tr>
              <th>${t("Account")}</th>
              ${this.books ? html`<th>${t("Book of store")}</th>` : nothing}
              <th class="num">${t("Debit")}</th>
              <th class="num">${t("Credit")}</th>
              <th><span class="vh">${t("Actions")}</span></th>
            </tr>
          </thead>
          <tbody>
            ${this.lines.map((line, index) => this.row(line, index))}
          </tbody>
        </table>
      </div>
      <p class="pad">
        <button class="btn" @click=${() => this.set({ lines: [...this.lines, empty()] })}>
          ${icon("plus")}${t("Add line")}
        </button>
      </p>
    </section>`;
  }
}

class PageEntryForm extends EntryLines {
  get books() {
    return true;
  }

  get back() {
    return ["journal", t("Journal")];
  }

  get name() {
    return t("New entry");
  }

  body() {
    const lines = this.written();
    const { debit, credit } = this.sums();
    if (!this.memo) this.problem = t("{field} is missing", { field: t("Purpose") });
    else if (lines.length < 2 || debit !== credit)
      this.problem = t("Debits and credits must be equal, with at least two lines");
    return this.problem ? null : { date: this.date, memo: this.memo, lines };
  }

  async save(body) {
    const made = await this.app.command({ url: "/api/finance/journal", body, label: t("Entry") });
    this.app.go("journal", made.entry_id);
  }

  render() {
    return this.frame(
      t("Post"),
      html`<section class="panel pad">
        <div class="filters unfolded flat">
          ${textField(this, "date", t("Day"), { kind: "date" })}${textField(this, "memo", t("Purpose"), {
            focus: true,
          })}
        </div>
        <p class="muted">
          ${t("Blank book: head office. Lines in several books become one entry per book, balanced on account 1290")}
        </p>
      </section>`,
      this.table(),
    );
  }
}
customElements.define("page-entry-form", PageEntryForm);
