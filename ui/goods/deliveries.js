// Receipts from suppliers: found by supplier, day, delivery note and order; one receipt with its lines, and its
// reversal.
import { html } from "../vendor/lit.js";
import { badge, col, days, differs, figure, inMoney, link, moment, person, supplier } from "../records/cells.js";
import { nameOf, need, row, rows } from "../records/names.js";
import { facts, figures, section, table } from "../records/record.js";
import { ofDays } from "../records/records.js";
import { path } from "../kit/api.js";
import { money, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { trailOf, withTrail } from "./trail.js";
import { doubts, ofProduct, product } from "./transfers.js";
import "./texts.js";

const MANAGE = ["store_manager", "admin"];
const sum = (one, field) => one.lines.reduce((all, line) => all + line[field], 0);
/** Returns an order by its number; a finished one is known only by its ID. */
const order = (id) => row("orders", id)?.po_no ?? `\u2026${id.slice(-6)}`;

/** Returns the open orders, and the requested one. */
const orders = (asked) => {
  const open = rows("orders").map((one) => [one.po_id, `${one.po_no} ${nameOf("suppliers", one.supplier_id)}`]);
  return !asked || row("orders", asked) ? open : [...open, [asked, order(asked)]];
};

const deliveries = {
  path: "/api/receiving",
  needs: ["suppliers"],
  live: ["receiving"],
  list: (page) => ({
    title: t("Deliveries"),
    create: { label: t("Receive without an order"), act: () => page.app.go("receiving", "new") },
    filters: [
      { name: "delivery_note_no", label: t("Delivery note"), kind: "search" },
      {
        name: "supplier_id",
        label: t("Supplier"),
        kind: "choice",
        choices: rows("suppliers").map((one) => [one.supplier_id, one.name]),
      },
      { name: "po_id", label: t("Order"), kind: "choice", choices: orders(page.filters.po_id) },
      ofProduct(),
      ...ofDays(),
    ],
    open: (one) => address(["deliveries", one.receiving_id]),
    columns: [
      col(t("Supplier"), (one) =>
        one.supplier_id ? supplier(one.supplier_id) : html`<span class="muted">${t("no supplier")}</span>`,
      ),
      col(t("Day"), (one) => days(one.business_date)),
      col(t("Delivery note"), (one) => one.delivery_note_no ?? ""),
      col(t("Order"), (one) => (one.po_id ? order(one.po_id) : "")),
      col(t("Received by"), (one) => person(one.created_by), "d2"),
      col(t("Lines"), (one) => figure(one.lines.length), "num d2"),
      col(t("Pieces"), (one) => figure(sum(one, "qty")), "num"),
      col(t("Rejected"), (one) => differs(sum(one, "rejected_qty") || null), "num d"),
      col(t("Cost"), (one) => inMoney(one.total_cost), "num"),
      col(t("Status"), (one) => badge(one.state)),
    ],
    none: t("No deliveries yet. Scan the first product to receive one"),
  }),
  // Open orders change with every delivery.
  loaded: (app) => need(app, "orders", true),
};

const back = (one, page) => {
  const against = one.po_id ? ` ${t("Order {no} is open again.", { no: order(one.po_id) })}` : "";
  const note = one.delivery_note_no
    ? ` ${t("Delivery note {no} can be received again.", { no: one.delivery_note_no })}`
    : "";
  return {
    label: t("Reverse"),
    image: "undo-2",
    why: page.app.may(MANAGE) ? undefined : t("managers only"),
    act: page.step({
      label: t("Reverse"),
      url: path("/api/receiving/:id/reverse", { id: one.receiving_id }),
      message: t("Reversed. Stock updated"),
      question: {
        title: t("Reverse this delivery?"),
        danger: true,
        text: [
          t("{n} pieces will leave stock at the current average cost, and you will owe the supplier {amount} less.", {
            n: number(sum(one, "qty")),
            amount: money(one.total_cost),
          }),
          against,
          note,
        ].join(""),
      },
    }),
  };
};

const delivery = {
  back: () => ["deliveries", t("Deliveries")],
  needs: ["suppliers", "people"],
  load: async (app, { id }) => {
    const [one] = await Promise.all([
      withTrail(app, id, app.get("/api/receiving/:id", { id })),
      need(app, "orders", true),
    ]);
    return one;
  },
  view: (one, page) => ({
    name: nameOf("suppliers", one.supplier_id) || t("no supplier"),
    badges: badge(one.state),
    actions: one.state === "posted" ? [back(one, page)] : [],
    parts: [
      doubts(one),
      figures([
        [t("Cost"), money(one.total_cost)],
        [t("Pieces"), number(sum(one, "qty")), t("lines: {n}", { n: number(one.lines.length) })],
        [t("Rejected"), number(sum(one, "rejected_qty"))],
        [t("Day"), days(one.business_date)],
      ]),
      table(
        t("Lines"),
        [
          col(t("Product"), product),
          col(t("Pieces"), (line) => figure(line.qty), "num"),
          col(t("Rejected"), (line) => differs(line.rejected_qty || null), "num"),
          col(
            t("Cost each"),
            (line) =>
              line.cost_missing ? html`<span class="badge warn">${t("unknown")}</span>` : figure(line.unit_cost),
            "num",
          ),
          col(t("Cost"), (line) => inMoney(line.cost), "num d"),
          col(t("Stock after"), (line) => figure(line.balance_after), "num d2"),
          col(t("Note"), (line) => html`<bdi>${line.note}</bdi>`, "d2"),
        ],
        one.lines,
      ),
      section(
        t("Details"),
        facts([
          [t("Delivery note"), one.delivery_note_no && html`<bdi>${one.delivery_note_no}</bdi>`],
          [
            t("Order"),
            one.po_id &&
              (row("orders", one.po_id) ? link(["receiving", one.po_id], order(one.po_id)) : order(one.po_id)),
          ],
          [t("Deliveries for this order"), one.po_id && link(["deliveries"], t("View"), { po_id: one.po_id })],
          [t("Reference"), one.reference && html`<bdi>${one.reference}</bdi>`],
          [t("Received by"), html`${person(one.created_by)} ${moment(one.created_at)}`],
          [t("Note"), one.note && html`<bdi>${one.note}</bdi>`],
        ]),
      ),
      trailOf(one),
    ],
  }),
};

export const pages = { deliveries, delivery };
