// Matches lines of a statement and payments by hand; the shortfall goes to an account that the user names.
import { html, nothing } from "../vendor/lit.js";
import { decimal, number } from "../kit/format.js";
import { apart, t } from "../kit/i18n.js";
import "./texts.js";
import { days, inMoney, store } from "../records/cells.js";
import { FormPage, field, textField } from "../records/form_page.js";
import { nameOf, need } from "../records/names.js";
import { pick } from "../records/picks.js";
import { figures } from "../records/record.js";

const AT_ONCE = 200;
/** Returns the part of a line that is for payments: its gross, or the amount that reached the account. */
const worth = ({ gross, net }) => gross ?? net ?? 0;

class PageMatchForm extends FormPage {
  reason;
  account;

  constructor() {
    super();
    Object.assign(this, {
      statements: [],
      statement: "",
      store: "",
      lines: [],
      items: [],
      taken: new Set(),
      reason: "",
      account: "",
    });
  }

  get back() {
    return ["items", t("Pending payouts")];
  }

  get name() {
    return t("Match manually");
  }

  async load() {
    const { statement_id: statement, store_id: store, line_id: line, item_id: item } = this.app.params.query;
    await Promise.all([need(this.app, "sources"), need(this.app, "stores"), need(this.app, "accounts")]);
    this.statements = (await this.app.get("/api/statements", {}, { limit: 50 })).items.filter(
      ({ state }) => state !== "approved",
    );
    this.store = store ?? "";
    this.statement = statement ?? this.statements[0]?.statement_id ?? "";
    await this.read();
    for (const id of `${line ?? ""},${item ?? ""}`.split(",")) if (id) this.taken.add(id);
  }

  /** Reads unmatched lines and the open payments of the source's methods. */
  async read() {
    const of = this.statements.find(({ statement_id: id }) => id === this.statement);
    const left = of
      ? await Promise.all(
          ["unmatched", "excepted", "resolved"].map((state) =>
            this.app.get("/api/statements/:id/lines", { id: this.statement }, { state, limit: AT_ONCE }),
          ),
        )
      : [];
    const { items } = await this.app.get(
      "/api/settlement-items",
      {},
      { state: "open", store_id: this.store, limit: AT_ONCE },
    );
    this.taken = new Set();
    this.lines = left.flatMap(({ items: found }) => found).filter(({ match_id: id }) => !id);
    this.items = items;
    this.requestUpdate();
  }

  take(id, on) {
    this.taken[on ? "add" : "delete"](id);
    this.requestUpdate();
  }

  chosen() {
    return {
      lines: this.lines.filter(({ line_id: id }) => this.taken.has(id)),
      items: this.items.filter(({ item_id: id }) => this.taken.has(id)),
    };
  }

  body() {
    const { lines, items } = this.chosen();
    const off = this.off();
    if (!lines.length || !items.length) this.problem = t("Select at least one line and one payment");
    else if (!this.reason) this.problem = t("{field} is missing", { field: t("Reason") });
    else if (off && !this.account) this.problem = t("Amounts differ. Choose an account for the difference");
    const source = this.statements.find(({ statement_id: id }) => id === this.statement)?.source_id;
    return this.problem
      ? null
      : {
          source_id: source,
          line_ids: lines.map(({ line_id: id }) => id),
          item_ids: items.map(({ item_id: id }) => id),
          reason: this.reason,
          ...(off ? { difference_account: this.account } : {}),
        };
  }

  off() {
    const { lines, items } = this.chosen();
    return lines.reduce((sum, one) => sum + worth(one), 0) - items.reduce((sum, { amount }) => sum + amount, 0);
  }

  async save(body) {
    const made = await this.app.command({ url: "/api/settlement-matches", body, label: t("Match") });
    this.app.go("items", made.match_id);
  }

  table(heading, rows, heads, cells, none, id) {
    return html`<section class="panel part">
      <header class="part-head"><h2>${heading}</h2></header>
      ${
        rows.length
          ? html`<div class="scroll">
              <table class="grid fold lines">
                <thead>
                  <tr>
                    ${heads.map(([label, kind]) => html`<th class=${kind ?? nothing}>${label}</th>`)}
                  </tr>
                </thead>
                <tbody>
                  ${rows.map(
                    (row) =>
                      html`<tr>
                        <td>
                          <label class="rowx"
                            ><input
                              type="checkbox"
                              .checked=${this.taken.has(id(row))}
                              @change=${(event) => this.take(id(row), event.target.checked)}
                            /><span>${cells[0](row)}</span></label
                          >
                        </td>
                        ${cells
                          .slice(1)
                          .map(
                            (cell, index) =>
                              html`<td class=${heads[index + 1][1] ?? nothing}><div>${cell(row)}</div></td>`,
                          )}
                      </tr>`,
                  )}
                </tbody>
              </table>
            </div>`
          : html`<p class="empty">${none}</p>`
      }
    </section>`;
  }

  render() {
    const { lines, items } = this.chosen();
    const again = (changed) => {
      this.set(changed);
      this.read().catch((error) => this.app.fail(error));
    };
    const off = this.off();
    return this.frame(
      t("Match"),
      html`<section class="panel pad">
          <div class="filters unfolded flat">
            ${field(
              "statement",
              t("Statement"),
              html`<select
                class="input"
                id="statement"
                data-focus
                @change=${(event) => again({ statement: event.target.value })}
              >
                ${this.statements.map(
                  (one) =>
                    html`<option value=${one.statement_id} ?selected=${one.statement_id === this.statement}>
                      ${one.doc_no}, ${apart(nameOf("sources", one.source_id))}
                    </option>`,
                )}
              </select>`,
            )}
            ${field(
              "store",
              t("Payments of store"),
              pick(this, "store", { id: "store", value: this.store, onChoose: (store) => again({ store }) }),
            )}${textField(this, "reason", t("Reason"))}${
              off
                ? field(
                    "account",
                    t("Account for the difference"),
                    pick(this, "account", {
                      id: "account",
                      value: this.account,
                      onChoose: (account) => this.set({ account }),
                    }),
                  )
                : nothing
            }
          </div>
        </section>
        ${figures([
          [
            t("Lines"),
            decimal(lines.reduce((sum, one) => sum + worth(one), 0)),
            t("{n} selected", { n: number(lines.length) }),
          ],
          [
            t("Payments"),
            decimal(items.reduce((sum, { amount }) => sum + amount, 0)),
            t("{n} selected", { n: number(items.length) }),
          ],
          [t("Difference"), html`<span class=${off ? "differs" : nothing}>${decimal(off)}</span>`],
        ])}
        <div class="halves">
          ${this.table(
            t("Unmatched lines"),
            this.lines,
            [[t("Line")], [t("Reference"), "d"], [t("Fees"), "num d2"], [t("Amount"), "num"]],
            [
              (row) => html`${days(row.date)} <span class="muted">${row.description}</span>`,
              (row) => row.reference,
              (row) => inMoney(row.fee),
              (row) => inMoney(worth(row)),
            ],
            t("All lines of this statement are matched"),
            (row) => row.line_id,
          )}
          ${this.table(
            t("Open payments"),
            this.items,
            [[t("Payment")], [t("Store"), "d"], [t("Day"), "d2"], [t("Amount"), "num"]],
            [
              (row) => html`${t(row.method)} <span class="muted">${row.reference ?? row.receipt_no ?? ""}</span>`,
              (row) => store(row.store_id),
              (row) => days(row.business_date),
              (row) => inMoney(row.amount),
            ],
            t("No open payments"),
            (row) => row.item_id,
          )}
        </div>`,
    );
  }
}
customElements.define("page-match-form", PageMatchForm);
