// Expected payouts and their matches, their sources, and the deposits on their way to the bank.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { day, decimal, number, rate } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { ask } from "../kit/form.js";
import "./texts.js";
import { badge, col, days, differsBy, ifSome, inMoney, link, moment, person, store } from "../records/cells.js";
import { nameOf } from "../records/names.js";
import { facts, figures, section, table } from "../records/record.js";
import { pickField } from "../records/picks.js";
import { formatStep, identity } from "./source_format.js";
import { ofDays, ofState, ofStore } from "../records/records.js";

const METHODS = ["card", "qris", "bank_transfer", "voucher", "deposit"];
export const receipt = (one) =>
  one.kind === "supplier_payment"
    ? link(["payments", one.document_id], t("Payment"))
    : one.kind === "deposit"
      ? html`${t("Bag")} <bdi>${one.reference ?? ""}</bdi>`
      : link([one.kind === "refund" ? "returns" : "sales", one.document_id], one.receipt_no ?? one.document_id, {
          store_id: one.store_id,
        });

const items = {
  path: "/api/settlement-items",
  defaults: { state: "open" },
  list: (page) => ({
    title: t("Pending payouts"),
    create: {
      label: t("Match manually"),
      image: "scale",
      act: () => {
        location.hash = address(["items", "new"], { store_id: page.filters.store_id });
      },
    },
    filters: [
      ofState(["open", "matched", "posted", "written_off"]),
      {
        name: "method",
        label: t("Payment method"),
        kind: "choice",
        choices: METHODS.map((method) => [method, t(method)]),
      },
      ofStore(),
      { name: "settlement_date", label: t("Settled with day"), kind: "date" },
      { name: "older_than_days", label: t("Older than (days)") },
      ...ofDays(),
    ],
    columns: [
      col(t("Document"), receipt),
      col(t("Method"), (one) => t(one.method)),
      col(t("Store"), (one) => store(one.store_id)),
      col(t("When"), (one) => moment(one.occurred_at, one.store_id), "d"),
      col(t("Reference"), (one) => one.reference ?? nothing, "d"),
      col(
        t("Settled with day"),
        (one) =>
          html`${days(one.settlement_date)}${one.late ? html` <span class="badge warn">${t("late")}</span>` : nothing}`,
        "d2",
      ),
      col(t("Carried until"), (one) => days(one.carried_until), "d3"),
      col(t("Amount"), (one) => inMoney(one.amount), "num"),
      col(
        t("Status"),
        (one) =>
          html`${badge(one.state)}${one.match_id ? html` ${link(["items", one.match_id], t("Match"))}` : nothing}`,
      ),
    ],
    none: t("No pending payouts"),
  }),
};

const match = {
  back: () => ["items", t("Pending payouts")],
  needs: ["sources"],
  load: (app, { id }) => app.get("/api/settlement-matches/:id", { id }),
  view: (one, page) => ({
    name: t("Match of {what}", { what: nameOf("sources", one.source_id) }),
    badges: badge(one.state),
    actions: [
      one.state === "matched" && {
        label: t("Undo\u2026"),
        image: "undo-2",
        why: one.slices.some(({ booked }) => booked) ? t("partly posted: its settlement was approved") : null,
        act: page.step({
          label: t("Undo"),
          url: path("/api/settlement-matches/:id/undo", { id: one.match_id }),
          message: t("Undone. The lines and payments are open again"),
          question: {
            title: t("Undo this match?"),
            danger: true,
            text: t("The lines and payments are open again. The next matching may give a different result"),
            list: [{ name: "reason", label: t("Reason"), kind: "area", required: true }],
          },
        }),
      },
    ],
    parts: [
      figures([
        [t("Gross"), decimal(one.gross)],
        [t("Fees"), decimal(one.fee)],
        [t("Net"), decimal(one.net)],
        [
          t("Difference"),
          differsBy(one.difference),
          one.difference_account ? t("to account {no}", { no: one.difference_account }) : null,
        ],
      ]),
      table(
        t("By store and day"),
        [
          col(t("Store"), (row) => store(row.store_id)),
          col(t("Day"), (row) => days(row.settlement_date)),
          col(t("Gross"), (row) => inMoney(row.gross), "num"),
          col(t("Fees"), (row) => inMoney(row.fee), "num"),
          col(t("Net"), (row) => inMoney(row.net), "num"),
          col(t("Difference"), (row) => differsBy(row.difference), "num d"),
          col(t("Status"), (row) => (row.booked ? badge("posted") : nothing)),
        ],
        one.slices,
        t("Not part of a settlement"),
      ),
      section(
        t("Details"),
        facts([
          [t("Matched by"), t(`rule.${one.rule}`) === `rule.${one.rule}` ? one.rule : t(`rule.${one.rule}`)],
          [t("Lines"), number(one.line_ids.length)],
          [t("Payments"), number(one.item_ids.length)],
          [t("Created"), moment(one.made_at)],
          [t("By"), one.made_by ? person(one.made_by) : t("rules")],
          [t("Reason"), one.reason],
          [t("Undone"), one.undone_at ? html`${moment(one.undone_at)} ${person(one.undone_by)}` : null],
          [t("Reason for undoing"), one.undone_reason],
        ]),
      ),
    ],
  }),
};

/** A source as it is asked about; its kind is said once. */
const terms = (app, one) => [
  { name: "name", label: t("Name"), value: one.name, required: true, focus: true },
  pickField(app, "method", { name: "methods", label: t("Payment methods"), value: one.methods, several: true }),
  pickField(app, "account", { name: "account", label: t("Account"), value: one.account, required: true }),
  ...(one.account_no === undefined ? [] : identity(one)),
  ...(one.kind === "provider"
    ? [
        {
          name: "fee_rate_bp",
          label: t("Fee (%; as reported if blank)"),
          kind: "rate",
          value: one.fee_rate_bp,
          clears: true,
        },
        { name: "fee_fixed", label: t("Fee for each payment"), kind: "money", value: one.fee_fixed },
        { name: "fee_tolerance", label: t("Fee tolerance"), kind: "money", value: one.fee_tolerance },
      ]
    : []),
  { name: "lag_days", label: t("Payout delay (days)"), kind: "count", value: one.lag_days },
  { name: "window_days", label: t("Matching window (days)"), kind: "count", value: one.window_days },
  {
    name: "state",
    label: t("Status"),
    kind: "choice",
    value: one.state,
    choices: [
      ["active", t("active")],
      ["inactive", t("inactive")],
    ],
  },
];
const changed = ({ methods = [], ...body }) => ({ ...body, methods });
const sources = {
  path: "/api/statement-sources",
  list: (page) => ({
    title: t("Payment providers and banks"),
    create: {
      label: t("Add a provider or a bank"),
      act: async () => {
        const made = await ask(page.app, {
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
            },
            pickField(page.app, "method", { name: "methods", label: t("Payment methods"), several: true }),
            pickField(page.app, "account", {
              name: "account",
              label: t("Account"),
              hint: t("Leave blank for the default account"),
            }),
          ],
          act: (body) => page.app.change("POST", "/api/statement-sources", changed(body)),
        });
        if (made) page.app.go("sources", made.source_id);
      },
    },
    open: (one) => address(["sources", one.source_id]),
    columns: [
      col(t("Name"), (one) => html`<bdi>${one.name}</bdi>`),
      col(t("Kind"), (one) => (one.kind === "bank" ? t("Bank") : t("Payment provider"))),
      col(t("Payment methods"), (one) => one.methods.map((method) => t(method)).join(", ")),
      col(t("Account"), (one) => one.account, "d"),
      col(
        t("Fee"),
        (one) =>
          one.kind === "bank"
            ? nothing
            : one.fee_rate_bp === null
              ? html`<span class="muted">${t("as reported")}</span>`
              : rate(one.fee_rate_bp),
        "num d",
      ),
      col(t("Payout delay"), (one) => t("{n} days", { n: number(one.lag_days) }), "d2"),
      col(t("Status"), (one) => badge(one.state)),
    ],
    none: t("No providers or banks yet"),
  }),
};
const source = {
  back: () => ["sources", t("Payment providers and banks")],
  load: async (app, { id }) => {
    const [one, statements] = await Promise.all([
      app.get("/api/statement-sources/:id", { id }),
      app.get("/api/statements", {}, { source_id: id, limit: 10 }),
    ]);
    return { ...one, statements: statements.items };
  },
  view: (one, page) => ({
    name: one.name,
    badges: badge(one.state),
    actions: [
      {
        label: t("Import a statement"),
        act: () => {
          location.hash = address(["statements"], { source_id: one.source_id });
        },
      },
      { label: t("File format"), act: formatStep(page, one) },
      {
        label: t("Edit"),
        kind: "primary",
        act: page.step({
          label: t("Save"),
          method: "PATCH",
          money: false,
          message: t("Saved"),
          url: path("/api/statement-sources/:id", { id: one.source_id }),
          question: { title: t("Edit provider or bank"), list: terms(page.app, one), body: changed },
        }),
      },
    ],
    parts: [
      section(
        t("Details"),
        facts([
          [t("Kind"), one.kind === "bank" ? t("Bank") : t("Payment provider")],
          [t("Payment methods"), one.methods.map((method) => t(method)).join(", ") || t("all other methods")],
          [t("Account"), link(["balance", one.account], one.account)],
          [t("Account number or IBAN in its files"), one.account_no],
          [t("Currency"), one.currency],
          [t("Time zone of the times in its files"), one.timezone],
          [
            t("Fee"),
            one.fee_rate_bp === null ? t("as reported") : `${rate(one.fee_rate_bp)} + ${decimal(one.fee_fixed)}`,
          ],
          [t("Fee tolerance"), decimal(one.fee_tolerance)],
          [t("Fees on refunds"), t(`fees.${one.fee_on_refunds}`)],
          [t("Payout delay (days)"), number(one.lag_days)],
          [t("Matching window (days)"), number(one.window_days)],
          [
            t("Store names in its reports"),
            one.store_refs.map(({ ref, store_id: id }) => `${ref}: ${nameOf("stores", id)}`).join(", "),
          ],
        ]),
      ),
      ifSome(Object.entries(one.csv?.columns ?? {}), (list) =>
        section(
          t("File format"),
          facts([
            [t("Days"), one.csv.date_format],
            [t("Decimal separator"), one.csv.decimal],
            ...list.map(([name, column]) => [name, [column].flat().join(" + ")]),
          ]),
        ),
      ),
      table(
        t("Last statements"),
        [
          col(t("Number"), (row) => link(["statements", row.statement_id], row.doc_no)),
          col(t("Days"), (row) => html`${days(row.from)} – ${days(row.to)}`),
          col(t("Net"), (row) => inMoney(row.net), "num"),
          col(t("Status"), (row) => badge(row.state)),
        ],
        one.statements,
        t("No statements yet"),
      ),
    ],
  }),
};

const deposits = {
  path: "/api/deposits",
  list: () => ({
    title: t("Deposits"),
    filters: [ofState(["on_the_way", "banked", "missing"]), ofStore(), ...ofDays()],
    columns: [
      col(
        t("Bag"),
        (one) =>
          html`<bdi>${one.bag_no}</bdi
            >${one.reverses ? html` <span class="badge plain">${t("reversal")}</span>` : nothing}`,
      ),
      col(t("Store"), (one) => store(one.store_id)),
      col(t("Day"), (one) => day(one.business_date)),
      col(t("Left the store"), (one) => moment(one.deposited_at, one.store_id), "d"),
      col(t("Bank account"), (one) => one.bank_account, "d2"),
      col(t("Entries"), (one) => link(["journal"], t("View"), { cause_id: one.deposit_id }), "d"),
      col(t("Status"), (one) => (one.state ? badge(one.state) : nothing)),
      col(t("Amount"), (one) => inMoney(one.amount), "num"),
      col(t("Banked"), (one) => inMoney(one.banked), "num d"),
      col(t("Difference"), (one) => inMoney(one.difference), "num d2"),
    ],
    note: nothing,
    none: t("No bank deposits yet"),
  }),
};

export const pages = { items, match, sources, source, deposits };
