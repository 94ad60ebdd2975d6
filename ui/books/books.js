// The books: balances, movements of an account, entries with their document.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { single } from "../kit/controls.js";
import { dayField } from "../kit/date.js";
import { day, decimal, isoDay, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import {
  accountOf,
  badge,
  col,
  completeness,
  days,
  ifSome,
  inMoney,
  link,
  moment,
  person,
  store,
} from "../records/cells.js";
import "./texts.js";
import { nameOf } from "../records/names.js";
import { facts, figures, section, table } from "../records/record.js";
import { pick } from "../records/picks.js";
import { ofDays, ofStore } from "../records/records.js";

const KINDS = [
  "event",
  "manual",
  "reversal",
  "opening",
  "year_end",
  "settlement",
  "bank",
  "invoice",
  "payment",
  "credit_note",
];
/** Number of an account's entries that are loaded at once. */
const AT_ONCE = 200;
const amount = (value) => (value ? inMoney(value) : nothing);

/** Wraps the trial balance as a list with totals. */
const balanceList = {
  path: "/api/finance/trial-balance",
  whole: true,
  get defaults() {
    return { date: isoDay() };
  },
  list: (page) => ({
    title: t("Trial balance"),
    papers: true,
    create: { label: t("Opening balances"), act: () => page.app.go("balance", "new") },
    filters: [
      { name: "date", label: t("As of"), kind: "date" },
      { name: "from", label: t("Movements since"), kind: "date" },
      ofStore(),
      { name: "head_office", label: t("Book"), kind: "choice", choices: [["true", t("head office only")]] },
    ],
    open: (one) =>
      address(["balance", one.account], {
        store_id: page.filters.store_id,
        from: page.filters.from,
        to: page.filters.date,
      }),
    above: ({ answer }) =>
      answer
        ? html`<div class="stack s above">
            ${completeness(answer.completeness)}${figures([
              [t("Debit"), decimal(answer.total_debit), days(answer.date)],
              [t("Credit"), decimal(answer.total_credit)],
              [
                t("Difference"),
                html`<span class=${answer.total_debit === answer.total_credit ? nothing : "differs"}
                  >${decimal(answer.total_debit - answer.total_credit)}</span
                >`,
              ],
            ])}
          </div>`
        : nothing,
    columns: [
      col(t("Account"), (one) => accountOf(one)),
      ...(page.filters.from
        ? [
            col(t("Opening balance"), (one) => inMoney((one.opening_debit ?? 0) - (one.opening_credit ?? 0)), "num d"),
            col(t("Movements, debit"), (one) => amount(one.moved_debit), "num d"),
            col(t("Movements, credit"), (one) => amount(one.moved_credit), "num d"),
          ]
        : []),
      col(t("Debit"), (one) => amount(one.debit), "num"),
      col(t("Credit"), (one) => amount(one.credit), "num"),
    ],
    none: t("No entries yet"),
  }),
};

/** Period and book of an account's entries, all in the address. */
const accountFilters = (page, one) => {
  const { query } = page.app.params;
  const set = (changed) => {
    location.hash = address(["balance", one.id], { ...query, ...changed });
  };
  const date = (name, label) =>
    html`<div class="field">
      <label for=${`filter-${name}`}>${label}</label
      >${dayField({ id: `filter-${name}`, value: query[name], onChoose: (chosen) => set({ [name]: chosen }) })}
    </div>`;
  return html`<div class="filters unfolded">
    <div class="pair">${date("from", t("From"))}${date("to", t("Until"))}</div>
    <div class="field">
      <label for="filter-store_id">${t("Book of store")}</label
      >${pick(page, "store", { id: "filter-store_id", value: query.store_id, onChoose: (id) => set({ store_id: id }) })}
    </div>
  </div>`;
};
const more = (page, one) =>
  page.once(async () => {
    const { query } = page.app.params;
    const next = await page.app.get(
      "/api/finance/accounts/:account/entries",
      { account: one.id },
      { from: query.from, to: query.to, store_id: query.store_id, limit: AT_ONCE, cursor: one.next_cursor },
    );
    page.data = { ...one, items: [...one.items, ...next.items], next_cursor: next.next_cursor };
  });
const account = {
  back: () => ["balance", t("Trial balance")],
  needs: ["accounts"],
  load: async (app, { id, query }) => ({
    id,
    ...(await app.get(
      "/api/finance/accounts/:account/entries",
      { account: id },
      { from: query.from, to: query.to, store_id: query.store_id, limit: AT_ONCE },
    )),
  }),
  view: (one, page) => ({
    name: `${one.id} ${nameOf("accounts", one.id) === one.id ? "" : nameOf("accounts", one.id)}`,
    parts: [
      accountFilters(page, one),
      figures([
        [t("Opening balance"), decimal(one.opening_balance)],
        [t("Movements"), decimal(one.closing_balance - one.opening_balance)],
        [t("Closing balance"), decimal(one.closing_balance)],
        [t("Entries"), one.next_cursor ? `${number(one.items.length)}+` : number(one.items.length)],
      ]),
      table(
        t("Entries"),
        [
          col(t("Day"), (row) => link(["journal", row.entry_id], day(row.entry_date))),
          col(t("Effective date"), (row) => days(row.reference_date), "d2"),
          col(t("Description"), (row) =>
            row.kind === "event"
              ? single(html`<bdi>${row.memo ?? t("event")}</bdi>`)
              : html`${t(row.kind)} <span class="muted">${row.memo ?? ""}</span>`,
          ),
          col(t("Book"), (row) => store(row.store_id), "d"),
          col(t("Debit"), (row) => amount(row.debit), "num"),
          col(t("Credit"), (row) => amount(row.credit), "num"),
          col(t("Balance"), (row) => inMoney(row.balance), "num"),
        ],
        one.items,
        t("No movements"),
      ),
      one.next_cursor
        ? html`<p>
            <button class="btn" ?disabled=${page.busy} @click=${() => more(page, one)}>${t("Load more")}</button>
          </p>`
        : nothing,
    ],
  }),
};

const journal = {
  path: "/api/finance/journal",
  needs: ["people"],
  list: (page) => ({
    title: t("Journal"),
    papers: true,
    create: { label: t("New entry"), act: () => page.app.go("journal", "new") },
    filters: [
      ofStore(),
      { name: "account", label: t("Account"), kind: "pick", of: "account" },
      { name: "kind", label: t("Kind"), kind: "choice", choices: KINDS.map((kind) => [kind, t(kind)]) },
      { name: "late", label: t("Late"), kind: "choice", choices: [["true", t("late only")]] },
      { name: "cause_id", label: t("Document") },
      ...ofDays(),
    ],
    open: (one) => address(["journal", one.entry_id]),
    columns: [
      col(
        t("Day"),
        (one) =>
          html`${days(one.entry_date)}${
            one.reference_date && one.reference_date !== one.entry_date
              ? html` <span class="badge warn">${t("for")} ${days(one.reference_date)}</span>`
              : nothing
          }`,
      ),
      col(t("Description"), (one) => html`${whatOf(one)} <span class="muted">${one.memo ?? ""}</span>`),
      col(t("Book"), (one) => store(one.store_id)),
      col(t("Number"), (one) => number(one.entry_no), "num d"),
      col(t("Person"), (one) => person(one.created_by), "d2"),
      col(t("Amount"), (one) => inMoney(one.total), "num"),
      col(t("Status"), (one) => (one.reversed_by ? badge("reversed") : nothing)),
    ],
    none: t("No entries yet"),
  }),
};

/** Returns the type of the cause of an entry in words, or the type itself. */
const causeWord = (type) => {
  const word = t(`cause.${type}`);
  return word === `cause.${type}` ? t(type) : word;
};
/** Returns the source of an entry: its document, or the reason why head office made it. */
const whatOf = ({ kind, cause }) => {
  const word = kind === "event" ? causeWord(cause.type) : t(kind);
  return word[0].toUpperCase() + word.slice(1);
};

/** Documents that have a page, by the type of what posted them. */
const DOCUMENT = {
  transaction: "sales",
  return: "returns",
  shift: "shifts",
  invoice: "invoices",
  credit_note: "credit-notes",
  supplier_payment: "payments",
  payment: "payments",
  receiving: "receipts",
  supplier_return: "supplier-returns",
  settlement: "settlements",
  statement: "statements",
  transfer: "transfers",
  adjustment: "adjustments",
  opname: "counts",
};
const entry = {
  back: () => ["journal", t("Journal")],
  needs: ["accounts"],
  load: (app, { id }) => app.get("/api/finance/journal/:entry_id", { entry_id: id }),
  view: (one, page) => {
    const place = DOCUMENT[one.cause.type];
    const byHand = one.kind === "manual" || one.kind === "opening";
    return {
      name: t("Entry {no}", { no: number(one.entry_no) }),
      badges: html`${badge(one.reversed_by ? "reversed" : null)}<span class="badge plain">${whatOf(one)}</span>`,
      actions: [
        byHand &&
          !one.reversed_by && {
            label: t("Reverse"),
            image: "undo-2",
            act: page.step({
              label: t("Reverse"),
              url: path("/api/finance/journal/:entry_id/reverse", { entry_id: one.entry_id }),
              question: {
                title: t("Reverse this entry?"),
                text: t("A reversing entry is posted; this entry stays"),
                danger: true,
                list: [
                  { name: "date", label: t("Day"), kind: "date", hint: t("Leave blank for the date of the entry") },
                  { name: "reason", label: t("Reason"), kind: "area", required: true },
                ],
              },
            }),
          },
      ],
      parts: [
        table(
          t("Lines"),
          [
            col(t("Account"), (row) =>
              link(["balance", row.account], `${row.account} ${nameOf("accounts", row.account)}`),
            ),
            col(t("Debit"), (row) => amount(row.debit), "num"),
            col(t("Credit"), (row) => amount(row.credit), "num"),
          ],
          one.lines,
        ),
        section(
          t("Details"),
          facts([
            [t("Day"), days(one.entry_date)],
            [t("Effective date"), one.reference_date ? days(one.reference_date) : null],
            [t("Book"), store(one.store_id)],
            [t("Amount"), decimal(one.total)],
            [t("Purpose"), one.memo],
            [
              t("Document"),
              place ? link([place, one.cause.id], whatOf(one), { store_id: one.store_id }) : one.cause.id,
            ],
            [t("Created"), moment(one.created_at)],
            [t("By"), one.created_by ? person(one.created_by) : null],
            [t("Reverses"), one.reverses ? link(["journal", one.reverses], t("Entry")) : null],
            [t("Reversed by"), one.reversed_by ? link(["journal", one.reversed_by], t("Entry")) : null],
          ]),
        ),
        ifSome(Object.keys(one.source ?? {}), () =>
          section(
            t("Original record"),
            html`<pre class="source" tabindex="0">${JSON.stringify(one.source, null, 2)}</pre>`,
          ),
        ),
      ],
    };
  },
};

export const pages = { balance: balanceList, account, journal, entry };
