// Problems that a user settles: exceptions, overwritten values and parked records.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { single } from "../kit/controls.js";
import { decimal, number } from "../kit/format.js";
import { lang, t } from "../kit/i18n.js";
import { ask } from "../kit/form.js";
import { badge, col, days, figure, ifSome, inMoney, isMoney, link, moment, person, store } from "../records/cells.js";
import { table } from "../records/record.js";
import { ofDays, ofState, ofSku, ofStore } from "../records/records.js";

/** Codes of exceptions, for the filter. */
const CODES = [
  "receipt_number_twice",
  "receipt_number_of_another_store",
  "transfer_cancelled_and_received",
  "transfer_over_receipt",
  "transfer_of_other_stores",
  "transfer_to_unknown_store",
  "transfer_of_unknown_products",
  "user_of_another_store",
  "user_name_taken",
  "member_registered_twice",
  "return_exceeds_sold",
  "points_overdrawn",
  "shift_was_closed",
  "order_over_receipt",
  "order_cancelled_and_received",
  "order_of_another_store",
  "receipt_reversed_after_invoice",
  "supplier_return_unallocated",
  "entry_unbalanced",
  "stock_value_differs",
  "unexplained_movement",
  "mapping_closed",
  "delivery_note_twice",
  "receipt_repeated",
  "late_after_lock",
  "safe_below_zero",
  "shift_interrupted",
  "webhook_paused",
];

/** Returns the required action. The answer has it in English. Indonesian texts are found by the exception's code. */
const actionText = ({ code, action: english }) => {
  const translated = lang() === "en" ? "" : t(`${code}.action`);
  const text = translated && translated !== `${code}.action` ? translated : english;
  return text.charAt(0).toUpperCase() + text.slice(1);
};
const exceptionCell = (one) =>
  html`<div class="statement">
    <b>${t(one.code)}</b>${lang() === "en" ? html`<p>${one.message}</p>` : nothing}
    <p class="muted">${actionText(one)}</p>
    ${
      one.note
        ? html`<p class="noted">
            ${one.note} <span class="muted">${person(one.settled_by)}, ${moment(one.settled_at)}</span>
          </p>`
        : nothing
    }
  </div>`;

const settle = async (page, one) => {
  const done = await ask(page.app, {
    title: t(one.code),
    text: actionText(one),
    yes: t("Settle"),
    list: [
      { name: "note", label: t("Resolution"), kind: "area", required: true, focus: true },
      ...(one.code === "shift_interrupted"
        ? [{ name: "counted_cash", label: t("Cash found in the drawer"), kind: "money", required: true }]
        : []),
    ],
    act: (body) => page.app.change("POST", path("/api/exceptions/:id/settle", { id: one.exception_id }), body),
  });
  if (!done) return;
  await page.load();
  page.app.count();
  page.app.say("ok", t("Resolved"));
};

const exceptions = {
  path: "/api/exceptions",
  defaults: { state: "open" },
  needs: ["people"],
  live: ["exception"],
  list: (page) => ({
    title: t("Exceptions"),
    filters: [
      ofState(["open", "settled"]),
      { name: "code", label: t("Action"), kind: "choice", choices: CODES.map((code) => [code, t(code)]) },
      ofStore(),
      ...ofDays(),
    ],
    columns: [
      col(t("Action"), exceptionCell, "wide-cell"),
      col(t("Store"), (one) => store(one.store_id)),
      col(t("Day"), (one) => days(one.business_date), "d2"),
      col(t("Found"), (one) => moment(one.found_at), "d"),
      col(t("Amount"), (one) => inMoney(one.amount), "num"),
      col(t("Status"), (one) => badge(one.settled_at ? "settled" : "open"), "d2"),
    ],
    actions: (one) => (one.settled_at ? [] : [{ label: t("Settle"), act: () => settle(page, one) }]),
    none: t("No exceptions"),
  }),
};

/** Returns a value of a change as text. */
const valueText = (name, value) => {
  if (typeof value === "number") return isMoney(name) ? decimal(value) : number(value);
  return typeof value === "string" ? value : JSON.stringify(value);
};
const restore = async (page, one) => {
  const lost = Object.entries(one.lost_fields)
    .map(([name, value]) => `${t(name)}: ${valueText(name, value)}`)
    .join(", ");
  const done = await ask(page.app, {
    title: t("Restore the overwritten value?"),
    text: lost,
    yes: t("Restore"),
    act: () => page.app.change("POST", path("/api/conflicts/:id/restore", { id: one.conflict_id }), {}),
  });
  if (!done) return;
  await page.load();
  page.app.say("ok", t("Restored; stores are notified"));
};
/** Returns a value of a change. An object, such as the old and the new value, is shown as pairs. */
const shownValue = (name, value) =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? pairs(value) : valueText(name, value);
const pairs = (values) =>
  single(
    html`<dl class="pairs">
      ${Object.entries(values).map(
        ([name, value]) =>
          html`<div>
            <dt>${t(name)}</dt>
            <dd>${shownValue(name, value)}</dd>
          </div>`,
      )}
    </dl>`,
  );
/** Returns the ID of a record. That of a member links to its page. */
const recordLink = ({ resource, id }) =>
  resource === "member" ? link(["members", id], id) : html`<span class="muted">${id}</span>`;

const conflicts = {
  path: "/api/conflicts",
  list: (page) => ({
    title: t("Conflicts"),
    filters: [
      { name: "q", label: t("Search"), kind: "search" },
      ofState(["open", "restored"]),
      ofStore(),
      ofSku(),
      { name: "member_id", label: t("Member") },
      ...ofDays(),
    ],
    columns: [
      col(t("Action"), (one) => html`${t(one.resource)} ${recordLink(one)}`),
      col(t("Current value"), (one) => pairs(one.kept_fields)),
      col(t("Overwritten"), (one) => pairs(one.lost_fields)),
      col(t("Store"), (one) => store(one.store_id)),
      col(t("Since"), (one) => moment(one.resolved_at), "d"),
      col(
        t("Status"),
        (one) => (one.restored_at ? html`<span class="badge ok">${t("restored")}</span>` : nothing),
        "d2",
      ),
    ],
    actions: (one) => (one.restored_at ? [] : [{ label: t("Restore"), act: () => restore(page, one) }]),
    none: t("No overwritten values"),
  }),
};

/** Number of parked records of all stores by reason. */
let countByCode = {};
const replay = (page, one) =>
  page.once(async () => {
    const { applied, parked: left } = await page.app.change(
      "POST",
      path("/api/parked/:id/replay", { id: one.parked_id }),
      {},
    );
    await page.load();
    page.app.say(applied ? "ok" : "warn", t("{n} applied, {left} still on hold", { n: applied, left }));
  });
const replayAll = (page, code) =>
  page.once(async () => {
    const { applied, parked: left } = await page.app.change("POST", path("/api/parked/replay", {}, { code }), {});
    await page.load();
    page.app.count();
    page.app.say(left ? "warn" : "ok", t("{n} applied, {left} still on hold", { n: applied, left }));
  });
/** A table of the reasons, with a button for each that tries all of its records again. */
const byCause = (page) =>
  ifSome(
    Object.entries(countByCode),
    (rows) =>
      html`<div class="above">
        ${table(
          t("By cause, all stores"),
          [
            col(t("Reason"), ([code]) => link(["parked"], t(code), { code })),
            col(t("Records"), ([, count]) => figure(count), "num"),
            col(
              "",
              ([code]) =>
                html`<button class="btn small" ?disabled=${page.busy} @click=${() => replayAll(page, code)}>
                  ${t("Try all again")}
                </button>`,
              "acts",
            ),
          ],
          rows,
        )}
      </div>`,
  );
/** Who has to do what about a parked record. */
const advice = (one) => {
  if (one.state === "replaced") {
    const { replaced_by: id, store_id } = one;
    return html`${t("Replaced by")} ${link(["receipts", id], id, { store_id })}`;
  }
  if (one.state === "waits_for_store") return t("The store's manager corrects the delivery and sends it again");
  if (one.state === "waits_for_record") return t("No action needed: it is applied after the record that it waits for");
  if (one.state === "defect") return t("Report this record to support");
  if (one.code !== "effects_failed") return t("Upgrade head office's program. It then tries all records again");
  return one.type === "receiving.posted"
    ? t("Remove the cause in the database, then try again. If a figure is wrong, the store corrects the delivery")
    : t("Remove the cause in the database, then try again");
};
const parked = {
  path: "/api/parked",
  loaded: async (app) => {
    countByCode = (await app.get("/api/admin/overview")).parked_by_code;
  },
  list: (page) => ({
    title: t("On hold"),
    above: byCause,
    filters: [
      {
        name: "code",
        label: t("Reason"),
        kind: "choice",
        choices: [...new Set([...Object.keys(countByCode), page.filters.code])]
          .filter(Boolean)
          .map((code) => [code, t(code)]),
      },
      { name: "replaced", label: t("Status"), kind: "choice", choices: [["true", t("corrected by the store")]] },
      ofStore(),
    ],
    columns: [
      col(t("Type"), (one) => html`${one.type} <span class="muted">${one.aggregate ?? ""}</span>`),
      col(t("Reason"), (one) => html`<b>${t(one.code)}</b> <span class="muted">${one.message}</span>`),
      col(t("What to do"), advice),
      col(t("Store"), (one) => store(one.store_id)),
      col(t("Since"), (one) => moment(one.parked_at), "d"),
      col(t("Amount"), (one) => inMoney(one.amount), "num"),
    ],
    actions: (one) => (one.state === "replaced" ? [] : [{ label: t("Try again"), act: () => replay(page, one) }]),
    none: t("No records on hold"),
  }),
};

export const pages = { exceptions, conflicts, parked };
