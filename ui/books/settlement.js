// Settlements: expected and received money of a store's day, and statements with their differences.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { day, decimal, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { ask } from "../kit/form.js";
import {
  badge,
  col,
  completeness,
  days,
  differs,
  differsBy,
  inMoney,
  link,
  moment,
  person,
  steps,
  store,
} from "../records/cells.js";
import { receipt } from "./clearing.js";
import { setAside } from "./set_aside.js";
import "./texts.js";
import { nameOf } from "../records/names.js";
import { facts, figures, section, table } from "../records/record.js";
import { pickField } from "../records/picks.js";
import { ofDays, ofState, ofStore } from "../records/records.js";
import { differences } from "./differences.js";

/** Reads all pages, because a difference can be resolved only if it is shown. */
const read = async (app, pattern, query, params = {}) => {
  const found = [];
  let cursor;
  do {
    const { items, next_cursor: next } = await app.get(pattern, params, { ...query, limit: 200, cursor });
    found.push(...items);
    cursor = next;
  } while (cursor);
  return found;
};

/** Number of payments shown at once; more are loaded on demand. */
const AT_ONCE = 50;
/**
 * Unmatched payments come first, wherever they are in the list, because users look for them.
 * @type {(app: any, of: any, asked?: {state?: string, cursor?: string}) => Promise<{items: any[], next: any}>}
 */
const payments = async (app, of, asked = { state: "open" }) => {
  const { items: all, next_cursor: cursor } = await app.get(
    "/api/settlement-items",
    {},
    { store_id: of.store_id, settlement_date: of.business_date, limit: AT_ONCE, ...asked },
  );
  const items = asked.state ? all : all.filter(({ state }) => state !== "open");
  if (cursor || !asked.state) return { items, next: cursor ? { ...asked, cursor } : null };
  const others = await payments(app, of, {});
  return { ...others, items: [...items, ...others.items] };
};
const morePayments = (one, page) =>
  page.once(async () => {
    const { items, next } = await payments(page.app, one, one.next);
    Object.assign(one, { items: [...one.items, ...items], next });
  });

const settlements = {
  path: "/api/settlements",
  needs: ["people"],
  live: ["settlement"],
  list: (page) => ({
    title: t("Settlement"),
    filters: [ofState(["open", "discrepant", "reconciled", "approved"]), ofStore(), ...ofDays()],
    open: (one) => address(["settlements", one.settlement_id]),
    create: {
      label: t("Settle a day early"),
      act: async () => {
        const made = await ask(page.app, {
          title: t("Settle a day before the store closes it"),
          yes: t("Create settlement"),
          text: t("Later records for this day go to a later settlement"),
          list: [
            pickField(page.app, "store", { name: "store_id", label: t("Store"), required: true, focus: true }),
            { name: "business_date", label: t("Business date"), kind: "date", required: true },
            { name: "reason", label: t("Reason"), kind: "area", required: true },
          ],
          act: (body) =>
            page.app.command({
              url: "/api/settlements",
              body: { ...body, force: true },
              label: t("Create settlement"),
            }),
        });
        if (made) page.app.go("settlements", made.settlement_id);
      },
    },
    columns: [
      col(t("Day"), (one) => day(one.business_date)),
      col(t("Store"), (one) => store(one.store_id)),
      col(
        t("Status"),
        (one) =>
          html`${badge(one.state)}${one.forced ? html` <span class="badge warn">${t("early")}</span>` : nothing}`,
      ),
      col(t("Expected"), (one) => inMoney(one.expected), "num"),
      col(t("Open"), (one) => differsBy(one.open), "num"),
      col(t("Net"), (one) => inMoney(one.net), "num d"),
      col(t("Exceptions"), (one) => differs(one.exceptions_open), "num d"),
      col(t("Approved"), (one) => moment(one.approved_at), "d"),
      col(t("By"), (one) => person(one.approved_by), "d"),
      col(t("Note"), (one) => one.note ?? nothing, "d2"),
    ],
    none: t("No settlements yet. One is created when a store closes its day"),
  }),
};

/** Cash needs no statement: shifts settle it with the safe, and bags are matched with the bank as deposits. */
const cash = ({ cash: seen, store_id: of, business_date: date }) =>
  html`<div class="halves">
    ${table(
      t("Cash of shifts"),
      [
        col(t("Till"), (row) => link(["shifts", row.shift_id], row.register_id, { store_id: of })),
        col(t("Expected"), (row) => inMoney(row.expected), "num"),
        col(
          t("Counted"),
          (row) =>
            row.counted === null ? html`<span class="badge warn">${t("not counted")}</span>` : inMoney(row.counted),
          "num",
        ),
        col(t("Difference"), (row) => differsBy(row.variance), "num"),
      ],
      seen.shifts,
      t("No shifts on this day"),
    )}
    ${section(
      t("Cash"),
      facts([
        [t("Expected"), decimal(seen.expected)],
        [t("Counted"), decimal(seen.counted)],
        [t("Difference"), differsBy(seen.variance)],
        [t("pay_in"), decimal(seen.pay_in)],
        [t("pay_out"), decimal(seen.pay_out)],
        [t("To the safe"), decimal(seen.drops)],
        [
          t("To the bank"),
          html`<a href=${address(["deposits"], { store_id: of, from: date, to: date })}>${decimal(seen.deposits)}</a>`,
        ],
      ]),
    )}
  </div>`;

const settlement = {
  back: () => ["settlements", t("Settlement")],
  needs: ["sources", "accounts"],
  load: async (app, { id }) => {
    const one = await app.get("/api/settlements/:id", { id });
    const [found, paid] = await Promise.all([
      read(app, "/api/settlement-exceptions", {
        store_id: one.store_id,
        from: one.business_date,
        to: one.business_date,
      }),
      payments(app, one),
    ]);
    return { ...one, found: found.filter(({ business_date: date }) => !date || date === one.business_date), ...paid };
  },
  view: (one, page) => {
    const url = (step) => path(`/api/settlements/:id/${step}`, { id: one.settlement_id });
    const left = one.exceptions.open;
    return {
      name: `${nameOf("stores", one.store_id)}, ${day(one.business_date)}`,
      badges: badge(one.state),
      actions: [
        one.state !== "approved" && {
          label: t("Match again"),
          image: "refresh-cw",
          act: page.step({ label: t("Match again"), url: url("match") }),
        },
        one.state !== "approved" && {
          label: t("Approve"),
          image: "check",
          kind: "primary",
          why:
            one.state === "reconciled"
              ? null
              : left
                ? t("{n} differences are left to resolve", { n: number(left) })
                : t("some lines are not matched yet"),
          act: page.step({
            label: t("Approve"),
            url: url("approve"),
            message: t("Approved. The day is locked"),
            question: {
              title: t("Approve {day} of {store}?", {
                day: day(one.business_date),
                store: nameOf("stores", one.store_id),
              }),
              text: t("The settlement is posted and the store's day is locked"),
              list: [{ name: "note", label: t("Note"), kind: "area" }],
            },
          }),
        },
      ],
      parts: [
        steps(["open", "discrepant", "reconciled", "approved"], one.state),
        table(
          t("By method"),
          [
            col(t("Method"), (row) => t(row.method)),
            col(t("Sales"), (row) => inMoney(row.sales), "num d"),
            col(t("Refunds"), (row) => inMoney(row.refunds), "num d"),
            col(t("From earlier days"), (row) => inMoney(row.carried_in), "num d2"),
            col(t("To later days"), (row) => inMoney(row.carried_out), "num d2"),
            col(t("Expected"), (row) => inMoney(row.expected), "num"),
            col(t("Matched"), (row) => inMoney(row.matched), "num"),
            col(t("Not matched"), (row) => differsBy(row.open), "num"),
          ],
          one.by_method,
          t("No payments on this day"),
        ),
        figures([
          [t("Net"), decimal(one.net), t("net received")],
          [t("Fees"), decimal(one.fee)],
          [t("Difference"), differsBy(one.difference)],
          [
            t("Differences to resolve"),
            number(one.exceptions.open),
            t("{n} resolved", { n: number(one.exceptions.resolved) }),
          ],
        ]),
        completeness(one.completeness),
        differences(page, one.found, one.open),
        cash(one),
        table(
          t("Payments of the day"),
          [
            col(t("Receipt"), receipt),
            col(t("Method"), (row) => t(row.method)),
            col(t("Reference"), (row) => row.reference ?? nothing, "d"),
            col(t("When"), (row) => moment(row.occurred_at, one.store_id), "d"),
            col(t("Amount"), (row) => inMoney(row.amount), "num"),
            col(t("Account"), (row) => row.account, "d2"),
            col(
              t("Status"),
              (row) =>
                html`${badge(row.state)}${row.late ? html` <span class="badge warn">${t("late")}</span>` : nothing}${
                  row.match_id ? html` ${link(["items", row.match_id], t("View"))}` : nothing
                }`,
            ),
          ],
          one.items,
          t("No payments to settle"),
          one.next
            ? html`<button class="btn small" ?disabled=${page.busy} @click=${() => morePayments(one, page)}>
                ${t("Load more")}
              </button>`
            : nothing,
        ),
        section(
          t("Details"),
          facts([
            [t("Store"), store(one.store_id)],
            [t("Business date"), days(one.business_date)],
            [t("Approved"), one.approved_at ? moment(one.approved_at) : null],
            [t("Approved by"), one.approved_by ? person(one.approved_by) : null],
            [t("Note"), one.note],
            [
              t("Entries"),
              one.entries.length ? one.entries.map((id) => html`${link(["journal", id], t("View"))} `) : null,
            ],
          ]),
        ),
      ],
    };
  },
};

const statement = {
  back: () => ["statements", t("Statements")],
  needs: ["sources", "accounts"],
  load: async (app, { id }) => {
    const one = await app.get("/api/statements/:id", { id });
    const found = await read(app, "/api/settlement-exceptions", { source_id: one.source_id });
    const lines = await read(app, "/api/statements/:id/lines", {}, { id });
    const aside = Object.keys(one.set_aside ?? {}).length
      ? await read(app, "/api/statements/:id/set-aside", {}, { id })
      : [];
    return { ...one, lines, aside, found: found.filter(({ statement_id: of }) => of === id) };
  },
  view: (one, page) => ({
    name: one.doc_no,
    badges: badge(one.state),
    actions: [
      one.state !== "approved" && {
        label: t("Match manually"),
        act: () => {
          location.hash = address(["items", "new"], { statement_id: one.statement_id });
        },
      },
      one.state !== "approved" && {
        label: t("Approve"),
        image: "check",
        kind: "primary",
        why: one.state === "reconciled" ? null : t("some lines are not matched or resolved"),
        act: page.step({
          label: t("Approve"),
          url: path("/api/statements/:id/approve", { id: one.statement_id }),
          question: {
            title: t("Approve {name}?", { name: one.doc_no }),
            text: t("Lines outside settlements are posted"),
          },
        }),
      },
    ],
    parts: [
      steps(["imported", "discrepant", "reconciled", "approved"], one.state),
      figures([
        [t("Gross"), decimal(one.gross)],
        [t("Fees"), decimal(one.fee)],
        [t("Net"), decimal(one.net)],
        [
          t("Lines"),
          number(one.lines_total),
          t("{n} new, {known} already imported", { n: number(one.lines_new), known: number(one.lines_known) }),
        ],
        [t("Matched"), number(one.matched), t("{n} differences", { n: number(one.exceptions) })],
      ]),
      differences(page, one.found),
      setAside(page, one),
      table(
        t("Lines"),
        [
          col(t("Day"), (row) => days(row.date)),
          col(t("Type"), (row) => html`${t(`line.${row.type}`)} <span class="muted">${row.description}</span>`),
          col(t("Reference"), (row) => row.reference, "d"),
          col(t("Gross"), (row) => inMoney(row.gross), "num d2"),
          col(t("Fees"), (row) => inMoney(row.fee), "num d"),
          col(t("Net"), (row) => inMoney(row.net ?? row.gross), "num"),
          col(
            t("Status"),
            (row) =>
              html`${badge(row.state)}${row.match_id ? html` ${link(["items", row.match_id], t("View"))}` : nothing}`,
          ),
        ],
        one.lines,
        t("No lines"),
      ),
      section(
        t("Details"),
        facts([
          [t("Source"), nameOf("sources", one.source_id)],
          [t("From"), days(one.from)],
          [t("Until"), days(one.to)],
          [t("Opening balance"), one.opening_balance === null ? null : decimal(one.opening_balance)],
          [t("Closing balance"), one.closing_balance === null ? null : decimal(one.closing_balance)],
          [t("Balance difference"), one.balance_difference ? differsBy(one.balance_difference) : null],
        ]),
      ),
    ],
  }),
};

export const pages = { settlements, settlement, statement };
