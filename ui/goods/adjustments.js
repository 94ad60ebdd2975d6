// Adjustments of stock: those that wait for a manager first, then posted and reversed ones.
import { html } from "../vendor/lit.js";
import { badge, col, days, differs, figure, inMoney, moment, person } from "../records/cells.js";
import { facts, figures, section, table } from "../records/record.js";
import { ofDays } from "../records/records.js";
import { path } from "../kit/api.js";
import { money, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { trailOf, withTrail } from "./trail.js";
import { ofProduct, product } from "./transfers.js";
import "./texts.js";

const MANAGE = ["store_manager", "admin"];
export const REASONS = ["damaged", "expired", "theft", "loss", "found", "sample", "correction"];
export const reason = (name) => t(`because.${name}`);

const stateOf = ({ state }) =>
  state === "pending" ? html`<span class="badge warn">${t("pending approval")}</span>` : badge(state);
const signed = (qty) => (qty > 0 ? html`<span class="plus">+${number(qty)}</span>` : differs(qty));
const what = ({ lines }) =>
  lines.length === 1 ? html`<bdi>${lines[0].name}</bdi>` : t("products: {n}", { n: number(lines.length) });

const adjustments = {
  path: "/api/adjustments",
  needs: ["people"],
  live: ["adjustment"],
  list: (page) => ({
    title: t("Adjustments"),
    create: { label: t("New adjustment"), act: () => page.app.go("adjustments", "new") },
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
      { name: "reason", label: t("Reason"), kind: "choice", choices: REASONS.map((name) => [name, reason(name)]) },
      ofProduct(),
      ...ofDays(),
    ],
    open: (one) => address(["adjustments", one.adjustment_id]),
    columns: [
      col(t("Reason"), (one) => reason(one.reason)),
      col(t("Day"), (one) => days(one.business_date)),
      col(t("Products"), what, "d"),
      col(t("Pieces"), (one) => signed(one.lines.reduce((all, { qty }) => all + qty, 0)), "num"),
      col(t("Value"), (one) => inMoney(one.value), "num"),
      col(t("Person"), (one) => person(one.created_by), "d2"),
      col(t("Status"), stateOf),
    ],
    none: t("No adjustments yet. Record damaged, stolen, found or miscounted items here"),
  }),
};

const actions = (one, page) => {
  if (!page.app.may(MANAGE)) return [];
  const url = (step) => path(`/api/adjustments/:id/${step}`, { id: one.adjustment_id });
  if (one.state === "pending") {
    return [
      {
        label: t("Reject"),
        image: "x",
        act: page.step({
          label: t("Reject"),
          url: url("reject"),
          message: t("Rejected. Stock has not changed"),
          question: {
            title: t("Reject this adjustment?"),
            danger: true,
            text: t("Stock does not change. The requester sees the rejection"),
          },
        }),
      },
      {
        label: t("Approve"),
        image: "check",
        kind: "primary",
        act: page.step({
          label: t("Approve"),
          url: url("approve"),
          message: t("Posted. Stock updated"),
          question: {
            title: t("Approve this adjustment?"),
            text: t("About {amount} at current stock and cost", { amount: money(one.value) }),
          },
        }),
      },
    ];
  }
  if (one.state === "posted")
    return [
      {
        label: t("Reverse"),
        image: "undo-2",
        act: page.step({
          label: t("Reverse"),
          url: url("reverse"),
          message: t("Reversed"),
          question: {
            title: t("Reverse this adjustment?"),
            danger: true,
            text: t("Stock is restored. Both entries stay in the list"),
          },
        }),
      },
    ];
  return [];
};

const adjustment = {
  back: () => ["adjustments", t("Adjustments")],
  needs: ["people"],
  load: (app, { id }) => withTrail(app, id, app.get("/api/adjustments/:id", { id })),
  view: (one, page) => ({
    name: reason(one.reason),
    badges: stateOf(one),
    actions: actions(one, page),
    parts: [
      figures([
        [t("Value"), money(one.value), one.state === "pending" ? t("estimated until it is posted") : null],
        [
          t("Pieces"),
          signed(one.lines.reduce((all, { qty }) => all + qty, 0)),
          t("lines: {n}", { n: number(one.lines.length) }),
        ],
        [t("Day"), days(one.business_date)],
        [
          t("Taken from"),
          one.bucket === "damaged" ? t("damaged stock") : t("stock on hand"),
          one.keep ? t("kept as damaged stock") : null,
        ],
      ]),
      table(
        t("Lines"),
        [
          col(t("Product"), product),
          col(t("Pieces"), (row) => signed(row.qty), "num"),
          col(t("Stock after"), (row) => figure(row.balance_after), "num d"),
          col(t("Cost"), (row) => inMoney(row.cost), "num"),
        ],
        one.lines,
      ),
      section(
        t("Details"),
        facts([
          [t("Created by"), html`${person(one.created_by)} ${moment(one.created_at)}`],
          [
            one.state === "reversed" ? t("Reversed by") : t("Decided by"),
            one.decided_by ? html`${person(one.decided_by)} ${moment(one.decided_at)}` : null,
          ],
          [t("Note"), one.note && html`<bdi>${one.note}</bdi>`],
        ]),
      ),
      trailOf(one),
    ],
  }),
};

export const pages = { adjustments, adjustment };
