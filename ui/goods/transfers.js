// Goods between this store and others: in transit, arrived, missing, and settled.
import { html, nothing } from "../vendor/lit.js";
import { badge, col, days, differs, figure, ifSome, inMoney, moment, person, steps, store } from "../records/cells.js";
import { nameOf } from "../records/names.js";
import { facts, figures, section, table } from "../records/record.js";
import { ofDays, ofState } from "../records/records.js";
import { path } from "../kit/api.js";
import { decimal, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import "./texts.js";
import { trailOf, withTrail } from "./trail.js";

const MANAGE = ["store_manager", "admin"];
const STATES = ["draft", "in_transit", "received"];
export const product = (row) =>
  html`<a href=${address(["stock", row.sku])}><bdi>${row.name ?? row.sku}</bdi></a>
    <span class="muted">${row.sku}</span>`;
export const ofProduct = () => ({ name: "sku", label: t("Product code") });

/** Possible problems of received goods: a count found them before, or they were entered twice. */
const doubt = (one, { code, sku, found }) =>
  code === "counted_before"
    ? t("A count found {n} more pieces of {product} than expected, perhaps these. Count the product again", {
        n: number(found),
        product: one.lines.find((line) => line.sku === sku)?.name ?? sku,
      })
    : t("Another receipt of the last days has the same goods or the same delivery note. Check whether they came twice");
export const doubts = (one) =>
  one.warnings?.length
    ? html`<ul class="alerts panel">
        ${one.warnings.map((warning) => html`<li class="warn"><span>${doubt(one, warning)}</span></li>`)}
      </ul>`
    : nothing;

const leaves = (app, one) => one.from_store_id === app.settings.store_id;
const pieces = (one) => one.lines.reduce((all, { qty }) => all + qty, 0);
export const missing = (one) => one.discrepancies.filter(({ resolution }) => resolution === "pending");
const stateOf = (one) =>
  html`${badge(one.state)}${
    missing(one).length ? html` <span class="badge bad">${t("items missing")}</span>` : nothing
  }`;

const transfers = {
  path: "/api/transfers",
  live: ["transfer"],
  list: (page) => ({
    title: t("Transfers"),
    create: { label: t("New transfer"), act: () => page.app.go("transfers", "new") },
    filters: [
      {
        name: "direction",
        label: t("Direction"),
        kind: "choice",
        choices: [
          ["in", t("to this store")],
          ["out", t("from this store")],
        ],
      },
      ofState([...STATES, "cancelled"]),
      { name: "store_id", label: t("Other store"), kind: "store" },
      ofProduct(),
      ...ofDays(),
    ],
    open: (one) => address(["transfers", one.transfer_id]),
    columns: [
      col(t("Direction"), (one) => (leaves(page.app, one) ? t("sent to") : t("from"))),
      col(t("Other store"), (one) => store(leaves(page.app, one) ? one.to_store_id : one.from_store_id)),
      col(t("Day"), (one) => days(one.business_date)),
      col(t("Sent"), (one) => moment(one.sent_at), "d"),
      col(t("Received"), (one) => moment(one.received_at), "d2"),
      col(t("Lines"), (one) => figure(one.lines.length), "num d2"),
      col(t("Pieces"), (one) => figure(pieces(one)), "num"),
      col(t("In transit, cost"), (one) => inMoney(one.in_transit_value || null), "num d"),
      col(t("Status"), stateOf),
    ],
    none: t("No transfers yet. A draft does not change stock"),
  }),
};

/** The history, latest first. */
const history = (one, page) => {
  const out = leaves(page.app, one);
  const there = html`<span class="muted">${t("the other store")}</span>`;
  const became = one.discrepancies
    .filter(({ resolved_at: at }) => at)
    .map((row) => [row.resolved_at, `${row.sku}: ${number(row.qty)} ${t(`became.${row.resolution}`)}`, null]);
  const rows = [
    [one.cancelled_at, t("Cancelled"), null],
    ...became,
    [one.received_at, t("Received"), out ? there : person(one.received_by)],
    [one.sent_at, t("Sent"), null],
    [one.created_at, t("Created"), out ? person(one.created_by) : there],
  ].filter(([at]) => at);
  rows.sort(([a], [b]) => b.localeCompare(a));
  return table(
    t("History"),
    [
      col(t("When"), ([at]) => moment(at)),
      col(t("Action"), ([, what]) => what),
      col(t("Person"), ([, , who]) => who ?? ""),
    ],
    rows,
  );
};

const actions = (one, page) => {
  const { app } = page;
  const url = (step) => path(`/api/transfers/:id/${step}`, { id: one.transfer_id });
  const to = nameOf("stores", one.to_store_id);
  const out = leaves(app, one);
  const off = {
    label: t("Cancel transfer"),
    image: "x",
    act: page.step({
      label: t("Cancel transfer"),
      url: url("cancel"),
      message: t("Cancelled"),
      question: {
        title: t("Cancel this transfer?"),
        danger: true,
        text:
          one.state === "draft"
            ? t("It is a draft: stock does not change")
            : t("The items return to stock here, unless {store} has already received them", { store: to }),
      },
    }),
  };
  if (out && one.state === "draft")
    return [
      off,
      {
        label: t("Send now"),
        image: "truck",
        kind: "primary",
        act: page.step({
          label: t("Send now"),
          url: url("send"),
          message: t("Sent. Stock updated"),
          question: {
            title: t("Send this to {store}?", { store: to }),
            text: t("{n} pieces will leave stock now. {store} is notified", { n: number(pieces(one)), store: to }),
          },
        }),
      },
    ];
  if (out && one.state === "in_transit") return [off];
  if (!out && one.state === "in_transit")
    return [
      {
        label: t("Receive"),
        image: "package-check",
        kind: "primary",
        act: () => app.go("transfers", one.transfer_id, "receive"),
      },
    ];
  if (out && missing(one).length)
    return [
      {
        label: t("Resolve missing items"),
        image: "scale",
        kind: "primary",
        why: app.may(MANAGE) ? undefined : t("managers only"),
        act: () => app.go("transfers", one.transfer_id, "resolve"),
      },
    ];
  return [];
};

const received = (row) =>
  row.received_qty === null
    ? html`<span class="muted">${t("not yet")}</span>`
    : html`<span class=${row.received_qty === row.qty ? nothing : "differs"}>${number(row.received_qty)}</span>`;

const transfer = {
  back: () => ["transfers", t("Transfers")],
  load: (app, { id }) => withTrail(app, id, app.get("/api/transfers/:id", { id })),
  view: (one, page) => {
    const out = leaves(page.app, one);
    const left = missing(one).reduce((all, { qty }) => all + qty, 0);
    return {
      name: out
        ? t("To {store}", { store: nameOf("stores", one.to_store_id) })
        : t("From {store}", { store: nameOf("stores", one.from_store_id) }),
      badges: stateOf(one),
      actions: actions(one, page),
      parts: [
        steps(one.state === "cancelled" ? ["draft", "cancelled"] : STATES, one.state),
        one.cancel_lost
          ? html`<ul class="alerts panel">
              <li class="warn"><span>${t("Cancelled too late: the other store had already received it")}</span></li>
            </ul>`
          : nothing,
        left
          ? html`<ul class="alerts panel">
              <li class="bad">
                <span
                  >${t("Sent and not received: {n}", { n: number(left) })}${
                    out ? "" : `. ${t("The sending store resolves this")}`
                  }</span
                >
              </li>
            </ul>`
          : nothing,
        doubts(one),
        figures([
          [t("Pieces"), number(pieces(one)), t("lines: {n}", { n: number(one.lines.length) })],
          [t("From"), store(one.from_store_id), moment(one.sent_at)],
          [t("To"), store(one.to_store_id), moment(one.received_at)],
          [t("In transit, cost"), decimal(one.in_transit_value)],
        ]),
        table(
          t("Lines"),
          [
            col(t("Product"), product),
            col(t("Sent"), (row) => figure(row.qty), "num"),
            col(t("Received"), received, "num"),
            col(t("Cost"), (row) => inMoney(row.cost), "num d"),
          ],
          one.lines,
        ),
        ifSome(one.discrepancies, (list) =>
          table(
            t("Missing items"),
            [
              col(t("Product"), (row) => product({ ...row, name: one.lines.find(({ sku }) => sku === row.sku)?.name })),
              col(t("Pieces"), (row) => differs(row.qty), "num"),
              col(t("What happened to them"), (row) => t(`became.${row.resolution}`)),
              col(t("When"), (row) => moment(row.resolved_at), "d"),
            ],
            list,
          ),
        ),
        history(one, page),
        trailOf(one),
        ifSome(one.note, (note) =>
          section(
            t("Details"),
            facts([
              [t("Note"), html`<bdi>${note}</bdi>`],
              [t("Business date"), days(one.business_date)],
            ]),
          ),
        ),
      ],
    };
  },
};

export const pages = { transfers, transfer };
