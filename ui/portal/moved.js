// Goods that moved between stores, were adjusted and counted, as the stores reported them.
import { html, nothing } from "../vendor/lit.js";
import { day, decimal, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import "../catalogue/texts.js";
import {
  badge,
  col,
  days,
  differs,
  differsBy,
  figure,
  ifSome,
  inMoney,
  moment,
  person,
  store,
} from "../records/cells.js";
import { nameOf } from "../records/names.js";
import { inBooks } from "./in_books.js";
import { facts, figures, section, table } from "../records/record.js";
import { ofDays, ofState, ofStore } from "../records/records.js";

const F = ["admin", "ho_finance"];
const REASONS = ["damaged", "expired", "theft", "loss", "found", "sample", "correction"];
const product = (row) =>
  html`<a href=${address(["stock", row.sku])}><bdi>${row.name ?? row.sku}</bdi></a>
    <span class="muted">${row.sku}</span>`;
const entries = (page, one) => (page.app.may(F) ? inBooks(one.entries) : nothing);

const transfers = {
  path: "/api/transfers",
  list: () => ({
    title: t("Transfers"),
    filters: [ofState(["draft", "in_transit", "received", "cancelled"]), ofStore(), ...ofDays()],
    open: (one) => address(["transfers", one.transfer_id]),
    columns: [
      col(t("From"), (one) => store(one.from_store_id)),
      col(t("To"), (one) => store(one.to_store_id)),
      col(t("Sent"), (one) => moment(one.sent_at, one.from_store_id)),
      col(t("Received"), (one) => moment(one.received_at, one.to_store_id), "d"),
      col(t("Lines"), (one) => figure(one.lines.length), "num d2"),
      col(
        t("Differences"),
        (one) =>
          one.discrepancies.length ? html`<span class="differs">${number(one.discrepancies.length)}</span>` : nothing,
        "num",
      ),
      col(t("In transit"), (one) => inMoney(one.in_transit_value), "num d"),
      col(t("Status"), (one) => badge(one.state)),
    ],
    none: t("No transfers yet"),
  }),
};
const transfer = {
  back: () => ["transfers", t("Transfers")],
  load: (app, { id }) => app.get("/api/transfers/:id", { id }),
  view: (one, page) => ({
    name: `${nameOf("stores", one.from_store_id)} \u203a ${nameOf("stores", one.to_store_id)}`,
    badges: badge(one.state),
    parts: [
      figures([
        [t("From"), store(one.from_store_id), moment(one.sent_at, one.from_store_id)],
        [t("To"), store(one.to_store_id), moment(one.received_at, one.to_store_id)],
        [t("In transit"), decimal(one.in_transit_value)],
      ]),
      table(
        t("Lines"),
        [
          col(t("Product"), product),
          col(t("Sent"), (row) => figure(row.qty), "num"),
          col(
            t("Received"),
            (row) =>
              row.received_qty === null
                ? html`<span class="muted">${t("not yet")}</span>`
                : html`<span class=${row.received_qty === row.qty ? nothing : "differs"}
                    >${number(row.received_qty)}</span
                  >`,
            "num",
          ),
          col(t("Cost"), (row) => inMoney(row.cost), "num d"),
        ],
        one.lines,
      ),
      ifSome(one.discrepancies, (list) =>
        table(
          t("Differences"),
          [
            col(t("Product"), product),
            col(t("Pieces"), (row) => differs(row.qty), "num"),
            col(t("Outcome"), (row) => t(`outcome.${row.resolution}`)),
            col(t("When"), (row) => moment(row.resolved_at, one.from_store_id), "d"),
          ],
          list,
        ),
      ),
      section(
        t("Details"),
        facts([
          [t("Business date"), days(one.business_date)],
          [t("Created by"), person(one.created_by)],
          [t("Received by"), one.received_by ? person(one.received_by) : null],
          [t("Cancelled"), one.cancelled_at ? moment(one.cancelled_at, one.from_store_id) : null],
          [t("Note"), one.note],
        ]),
      ),
      entries(page, one),
    ],
  }),
};

const stateOf = ({ state }) =>
  state === "pending" ? html`<span class="badge warn">${t("pending approval")}</span>` : badge(state);
const adjustments = {
  path: "/api/adjustments",
  needs: ["people"],
  list: () => ({
    title: t("Adjustments"),
    filters: [
      {
        name: "state",
        label: t("Status"),
        kind: "choice",
        choices: [
          ["pending", t("pending approval")],
          ...["posted", "rejected", "reversed"].map((state) => [state, t(state)]),
        ],
      },
      { name: "reason", label: t("Reason"), kind: "choice", choices: REASONS.map((reason) => [reason, t(reason)]) },
      ofStore(),
      ...ofDays(),
    ],
    open: (one) => address(["adjustments", one.adjustment_id], { store_id: one.store_id }),
    columns: [
      col(t("Day"), (one) => days(one.business_date)),
      col(t("Store"), (one) => store(one.store_id)),
      col(t("Reason"), (one) => t(one.reason)),
      col(t("Person"), (one) => person(one.created_by), "d"),
      col(t("Lines"), (one) => figure(one.lines.length), "num d2"),
      col(t("Value"), (one) => differsBy(one.value), "num"),
      col(t("Status"), stateOf),
    ],
    none: t("No adjustments yet"),
  }),
};
const adjustment = {
  back: () => ["adjustments", t("Adjustments")],
  load: (app, { id, query }) => app.get("/api/adjustments/:id", { id }, { store_id: query.store_id }),
  view: (one, page) => ({
    name: `${t(one.reason)}, ${nameOf("stores", one.store_id)}`,
    badges: stateOf(one),
    parts: [
      figures([
        [t("Value"), differsBy(one.value)],
        [t("Store"), store(one.store_id)],
        [t("Day"), days(one.business_date)],
      ]),
      table(
        t("Lines"),
        [
          col(t("Product"), product),
          col(t("Pieces"), (row) => differs(row.qty), "num"),
          col(t("Stock after"), (row) => figure(row.balance_after), "num d"),
          col(t("Cost"), (row) => inMoney(row.cost), "num"),
        ],
        one.lines,
      ),
      section(
        t("Details"),
        facts([
          [t("Created by"), html`${person(one.created_by)} ${moment(one.created_at, one.store_id)}`],
          [
            t("Decided by"),
            one.decided_by ? html`${person(one.decided_by)} ${moment(one.decided_at, one.store_id)}` : null,
          ],
          [t("Stock"), t(one.bucket)],
          [t("Note"), one.note],
        ]),
      ),
      entries(page, one),
    ],
  }),
};

const counts = {
  path: "/api/opname",
  needs: ["people"],
  list: () => ({
    title: t("Counts"),
    filters: [ofStore(), ...ofDays()],
    open: (one) => address(["counts", one.opname_id], { store_id: one.store_id }),
    columns: [
      col(t("Day"), (one) => days(one.business_date)),
      col(t("Store"), (one) => store(one.store_id)),
      col(t("Scope"), (one) =>
        one.scope === "all"
          ? t("Everything")
          : one.categories.join(", ") || one.category || t("{n} products", { n: number(one.skus.length) }),
      ),
      col(t("Person"), (one) => person(one.created_by), "d"),
      col(t("Lines"), (one) => figure(one.lines_total), "num d"),
      col(t("Difference"), (one) => differsBy(one.variance_value), "num"),
      col(t("Status"), (one) => badge(one.state)),
    ],
    none: t("No counts yet"),
  }),
};
const count = {
  back: () => ["counts", t("Counts")],
  load: (app, { id, query }) => app.get("/api/opname/:id", { id }, { store_id: query.store_id }),
  view: (one, page) => ({
    name: `${nameOf("stores", one.store_id)}, ${day(one.business_date)}`,
    badges: badge(one.state),
    parts: [
      figures([
        [t("Difference"), one.variance_value === null ? "\u2013" : differsBy(one.variance_value)],
        [t("Lines"), number(one.lines_total)],
        [t("Store"), store(one.store_id)],
      ]),
      table(
        t("Lines"),
        [
          col(t("Product"), product),
          col(t("Expected"), (row) => figure(row.expected), "num"),
          col(t("Counted"), (row) => figure(row.counted), "num"),
          col(t("Difference"), (row) => differs(row.variance), "num"),
          col(t("Value"), (row) => differsBy(row.variance_value), "num d"),
          col(t("Counted by"), (row) => person(row.counted_by), "d2"),
        ],
        one.lines,
      ),
      section(
        t("Details"),
        facts([
          [t("Started"), html`${person(one.created_by)} ${moment(one.created_at, one.store_id)}`],
          [t("Finished"), one.ended_at ? html`${person(one.ended_by)} ${moment(one.ended_at, one.store_id)}` : null],
          [t("Note"), one.note],
        ]),
      ),
      entries(page, one),
    ],
  }),
};

export const pages = { transfers, transfer, adjustments, adjustment, counts, count };
