// Members are listed, registered, changed, merged, blocked and erased.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { words } from "../kit/codes.js";
import { date, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { ask } from "../kit/form.js";
import "./texts.js";
import { badge, col, days, figure, inMoney, link, moment, store } from "../records/cells.js";
import { facts, figures, section, table } from "../records/record.js";
import { ofDays, ofState, ofText } from "../records/records.js";

const fieldsOf = (one = {}) => [
  { name: "name", label: t("Name"), value: one.name, required: true, focus: true },
  { name: "phone", label: t("Phone"), value: one.phone, clears: "" },
  { name: "email", label: t("E-mail"), value: one.email, clears: "" },
  { name: "code", label: t("Card number"), value: one.code, clears: "" },
  { name: "birth_date", label: t("Date of birth"), kind: "date", value: one.birth_date, clears: true },
];

const members = {
  path: "/api/members",
  list: (page) => ({
    title: t("Members"),
    filters: [
      ofText(t("Name, phone or card")),
      ofState(["active", "blocked", "merged", "erased"]),
      { name: "tier", label: t("Tier"), kind: "pick", of: "tier" },
      ...ofDays(),
    ],
    open: (one) => address(["members", one.member_id]),
    create: {
      label: t("Register"),
      act: async () => {
        const made = await ask(page.app, {
          title: t("Register a member"),
          yes: t("Register"),
          list: fieldsOf(),
          act: (body) =>
            page.app.change(
              "POST",
              "/api/members",
              Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)),
            ),
        });
        if (made) page.app.go("members", made.member_id);
      },
    },
    columns: [
      col(t("Name"), (one) => html`<bdi>${one.name ?? one.member_id}</bdi>`),
      col(t("Phone"), (one) => one.phone ?? nothing),
      col(t("Card number"), (one) => one.code ?? nothing, "d"),
      col(t("Tier"), (one) => one.tier ?? nothing, "d"),
      col(t("Since"), (one) => (one.joined_at ? date(one.joined_at) : nothing), "d2"),
      col(t("Points"), (one) => figure(one.points_balance), "num"),
      col(t("Status"), (one) => (one.state === "active" ? nothing : badge(one.state))),
    ],
    none: t("No members yet"),
  }),
};
/** Returns the member with a typed phone number, card or name, if there is exactly one. */
const found = async (app, typed, not) => {
  // A number is stored with its country code, so only the digits after the leading 0 are compared.
  const text = /^[0+][\d\s-]+$/.test(typed) ? typed.replace(/\D/g, "").replace(/^0/, "") : typed;
  const byId = text.startsWith("mbr_")
    ? [await app.get("/api/members/:id", { id: text })]
    : (await app.get("/api/members", {}, { q: text, limit: 3 })).items;
  const others = byId.filter(({ member_id: id, state }) => id !== not && ["active", "blocked"].includes(state));
  if (others.length === 1) return others[0];
  throw Object.assign(new Error("which"), {
    words: others.length
      ? t("Several members match. Enter the phone or card number")
      : not
        ? t("No other member matches")
        : t("No matching member"),
  });
};
/** Names of members found by a filter. */
const named = new Map();
/** Filter by a member, found by phone, card or name; by ID for roles that may not read members. */
export const ofMember = () => ({
  name: "member_id",
  label: t("Member"),
  kind: "found",
  shown: (id) => named.get(id) ?? id,
  find: async (app, typed) => {
    if (typed.startsWith("mbr_")) return typed;
    const one = await found(app, typed);
    named.set(one.member_id, one.name ?? typed);
    return one.member_id;
  },
});
/** Shows both members side by side before the merge. */
const comparison = (gone, stays) =>
  html`<table class="grid fold">
    <thead>
      <tr>
        <td></td>
        <th>${t("Will be removed")}</th>
        <th>${t("Will be kept")}</th>
      </tr>
    </thead>
    <tbody>
      ${[
        [t("Name"), "name"],
        [t("Phone"), "phone"],
        [t("E-mail"), "email"],
        [t("Card number"), "code"],
      ].map(
        ([label, name]) =>
          html`<tr>
            <th scope="row">${label}</th>
            <td data-label=${t("Will be removed")}><bdi>${gone[name] ?? "\u2013"}</bdi></td>
            <td data-label=${t("Will be kept")}><bdi>${stays[name] ?? "\u2013"}</bdi></td>
          </tr>`,
      )}
      <tr>
        <th scope="row">${t("Points")}</th>
        <td data-label=${t("Will be removed")}>${number(gone.points_balance)}</td>
        <td data-label=${t("Will be kept")}>${number(stays.points_balance)}</td>
      </tr>
    </tbody>
  </table>`;
const merge = async (page, one) => {
  const { app } = page;
  const stays = await ask(app, {
    title: t("Merge {name} into another member?", { name: one.name ?? "" }),
    yes: t("Compare"),
    list: [{ name: "who", label: t("Phone, card or name of the member to keep"), required: true, focus: true }],
    act: ({ who }) => found(app, who, one.member_id),
  });
  if (!stays) return;
  const done = await app.dialog.ask({
    title: t("Merge these two?"),
    yes: t("Merge"),
    no: t("Keep"),
    danger: true,
    text: t("Points and sales move to the other member. This can't be undone"),
    body: comparison(one, stays),
    act: async () => {
      try {
        return await app.change("POST", path("/api/members/:id/merge", { id: one.member_id }), {
          into: stays.member_id,
        });
      } catch (error) {
        error.words = words(error);
        throw error;
      }
    },
  });
  if (!done) return;
  app.say("ok", t("Merged"));
  app.go("members", stays.member_id);
};

const member = {
  back: () => ["members", t("Members")],
  load: async (app, { id }) => {
    const [one, sales, points] = await Promise.all([
      app.get("/api/members/:id", { id }),
      app.get("/api/transactions", {}, { member_id: id, limit: 20 }),
      app.get("/api/members/:id/points", { id }, { limit: 20 }),
    ]);
    return { ...one, sales: sales.items, points: points.items };
  },
  view: (one, page) => {
    const url = path("/api/members/:id", { id: one.member_id });
    const blocked = one.state === "blocked";
    const change = { method: "PATCH", money: false, url, message: t("Saved; stores are notified") };
    return {
      name: one.name ?? one.member_id,
      badges: badge(one.state),
      actions: ["active", "blocked"].includes(one.state)
        ? [
            {
              label: t("Delete data\u2026"),
              act: page.step({
                label: t("Delete data"),
                money: false,
                url: path("/api/members/:id/erase", { id: one.member_id }),
                message: t("Data deleted; stores are notified"),
                question: {
                  title: t("Delete data of {name}?", { name: one.name ?? "" }),
                  danger: true,
                  text: t(
                    "Name, phone, e-mail, card and date of birth are deleted in all stores. Sales are kept without a name. This can't be undone",
                  ),
                  list: [{ name: "reason", label: t("Reason"), kind: "area", required: true }],
                },
              }),
            },
            { label: t("Merge\u2026"), act: () => merge(page, one) },
            {
              label: blocked ? t("Unblock") : t("Block"),
              act: page.step({
                ...change,
                label: blocked ? t("Unblock") : t("Block"),
                body: { state: blocked ? "active" : "blocked" },
              }),
            },
            {
              label: t("Edit"),
              kind: "primary",
              act: page.step({
                ...change,
                label: t("Save"),
                question: { title: t("Change member"), list: fieldsOf(one) },
              }),
            },
          ]
        : [],
      parts: [
        figures([
          [t("Points"), number(one.points_balance)],
          [t("Tier"), one.tier ?? "\u2013"],
          [t("Since"), one.joined_at ? date(one.joined_at) : "\u2013"],
        ]),
        section(
          t("Details"),
          facts([
            [t("Phone"), one.phone],
            [t("E-mail"), one.email],
            [t("Card number"), one.code],
            [t("Date of birth"), one.birth_date ? days(one.birth_date) : null],
            [t("Changed"), moment(one.updated_at)],
            [t("Member ID"), html`<span class="muted">${one.member_id}</span>`],
          ]),
        ),
        table(
          t("Last sales"),
          [
            col(t("Receipt"), (row) => link(["sales", row.transaction_id], row.receipt_no, { store_id: row.store_id })),
            col(t("When"), (row) => moment(row.paid_at, row.store_id)),
            col(t("Store"), (row) => store(row.store_id), "d"),
            col(t("Total"), (row) => inMoney(row.total), "num"),
          ],
          one.sales,
          t("No purchases yet"),
        ),
        table(
          t("Points"),
          [
            col(t("When"), (row) => moment(row.at, row.store_id)),
            col(t("Type"), (row) => t(row.reason)),
            col(t("Store"), (row) => store(row.store_id), "d"),
            col(t("Points"), (row) => figure(row.points), "num"),
            col(t("Balance"), (row) => figure(row.balance_after), "num"),
          ],
          one.points,
          t("No points yet"),
        ),
      ],
    };
  },
};

export const pages = { members, member };
