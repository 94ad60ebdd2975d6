// Parts behind the books: months, accounts, account mapping and the proofs.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { icon } from "../kit/controls.js";
import { day, isoDay, number } from "../kit/format.js";
import { locale, t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { ask } from "../kit/form.js";
import "./texts.js";
import { accountOf, badge, col, completeness, days, inMoney, link, moment, person, store } from "../records/cells.js";
import { nameOf } from "../records/names.js";
import { figures } from "../records/record.js";
import { pickField } from "../records/picks.js";
import { ofState } from "../records/records.js";

const A = ["admin"];
const TYPES = ["asset", "liability", "equity", "income", "expense"];
const OF = ["method", "cash_reason", "adjustment_reason", "bank_text"];
const month = (text) =>
  new Intl.DateTimeFormat(locale(), { month: "long", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${text}-01T00:00:00Z`),
  );
const lastDay = (text) =>
  new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5)), 0)).toISOString().slice(0, 10);

/** Conditions that are not met, as rows with links to where they can be fixed. */
const notReady = (error) =>
  (error.details?.problems ?? [])
    .slice(0, 8)
    .map(
      ({ store_id: id, date, message }) =>
        `${id ? nameOf("stores", id) : t("Head office")}${date ? `, ${day(date)}` : ""}: ${message}`,
    )
    .join("\n");

const close = async (page, one) => {
  // The last month of a year is the one before the first month of the next.
  const { fiscal_year_start: begins } = await page.app.get("/api/finance/status");
  const next = new Date(`${lastDay(one.month)}T00:00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  const ends = next.toISOString().slice(5, 7) === begins.slice(0, 2);
  const done = await ask(page.app, {
    title: t("Close {month}?", { month: month(one.month) }),
    yes: t("Close the month"),
    danger: true,
    text: [
      t("All its days are locked in all books, all checks must pass and account 9990 must be zero."),
      t("No more entries can be posted in this month. Late entries go to the first open day after it."),
      ends ? t("This month ends the fiscal year: one entry per book moves income and expenses to 3020.") : "",
      t("Only the last closed month can be reopened, by an administrator."),
    ]
      .filter(Boolean)
      .join(" "),
    list: [
      { name: "force", label: t("Lock incomplete days too"), kind: "check" },
      { name: "reason", label: t("Reason for locking an incomplete day"), kind: "area" },
    ],
    act: async ({ force, reason }) => {
      try {
        return await page.app.command({
          url: path("/api/finance/periods/:month/close", { month: one.month }),
          body: force ? { force, reason } : {},
          label: t("Close the month"),
        });
      } catch (error) {
        const why = notReady(error);
        if (why) error.words = `${t("Not ready")}:\n${why}`;
        throw error;
      }
    },
  });
  if (!done) return;
  await page.load();
  page.app.say("ok", t("{month} closed", { month: month(one.month) }));
};
const reopen = async (page, one) => {
  const done = await ask(page.app, {
    title: t("Reopen {month}?", { month: month(one.month) }),
    yes: t("Reopen"),
    danger: true,
    text: t("Reported figures may change. A year-end entry is reversed"),
    list: [{ name: "reason", label: t("Reason"), kind: "area", required: true }],
    act: (body) =>
      page.app.command({
        url: path("/api/finance/periods/:month/reopen", { month: one.month }),
        body,
        label: t("Reopen"),
      }),
  });
  if (!done) return;
  await page.load();
  page.app.say("ok", t("{month} reopened", { month: month(one.month) }));
};

/** The first open month can be closed, and the last closed one reopened. */
const turn = (items, one) => {
  const byMonth = [...items].sort((a, b) => a.month.localeCompare(b.month));
  const first = byMonth.find(({ state }) => state === "open");
  const last = byMonth.filter(({ state }) => state === "closed").at(-1);
  if (one === first && lastDay(one.month) < isoDay()) return "close";
  return one === last ? "reopen" : null;
};
const periods = {
  path: "/api/finance/periods",
  whole: true,
  needs: ["people"],
  get defaults() {
    return { year: isoDay().slice(0, 4) };
  },
  list: (page) => ({
    title: t("Months"),
    filters: [{ name: "year", label: t("Year") }],
    above: ({ answer }) => (answer ? html`<div class="above">${completeness(answer.completeness)}</div>` : nothing),
    columns: [
      col(t("Month"), (one) => month(one.month)),
      col(t("Status"), (one) => badge(one.state)),
      col(t("Result"), (one) => inMoney(one.result), "num"),
      col(t("Closed"), (one) => html`${moment(one.closed_at)} ${person(one.closed_by)}`, "d"),
      col(
        t("Entries"),
        (one) => link(["balance"], t("View"), { date: lastDay(one.month), from: `${one.month}-01` }),
        "d",
      ),
    ],
    actions: (one) =>
      ({
        close: [{ label: t("Close\u2026"), act: () => close(page, one) }],
        reopen: page.app.may(A) ? [{ label: t("Reopen\u2026"), act: () => reopen(page, one) }] : [],
      })[turn(page.items, one)] ?? [],
    note: html`<p class="notice plain">
      ${icon("info")}<span>${t("Months close in order, the oldest open one first")}</span>
    </p>`,
    none: t("No entries in this year"),
  }),
};

const exportCode = (value) => ({
  name: "export_code",
  label: t("Code in the accounting program"),
  value,
  hint: t("For exports. QuickBooks needs the name of its account"),
});
const addAccount = async (page) => {
  const made = await ask(page.app, {
    title: t("New account"),
    yes: t("Add"),
    list: [
      { name: "account", label: t("Number, four digits"), required: true, focus: true },
      { name: "name", label: t("Name"), required: true },
      { name: "type", label: t("Type"), kind: "choice", choices: TYPES.map((type) => [type, t(type)]) },
      pickField(page.app, "account", { name: "parent", label: t("Part of account") }),
      { name: "contra", label: t("Contra account: reduces the other accounts of its type"), kind: "check" },
      exportCode(),
    ],
    act: (body) => page.app.change("POST", "/api/finance/accounts", body),
  });
  if (!made) return;
  await page.load();
  page.app.say("ok", t("{name} added", { name: made.name }));
};
const changeAccount = async (page, one) => {
  const done = await ask(page.app, {
    title: t("Change account {no}", { no: one.account }),
    yes: t("Save"),
    list: [
      { name: "name", label: t("Name"), value: one.name, required: true, focus: true },
      ...(one.system
        ? []
        : [
            pickField(page.app, "account", { name: "parent", label: t("Part of account"), value: one.parent }),
            {
              name: "state",
              label: t("Status"),
              kind: "choice",
              value: one.state,
              choices: [
                ["active", t("active")],
                ["closed", t("closed")],
              ],
            },
          ]),
      exportCode(one.export_code),
    ],
    act: (body) => page.app.change("PATCH", path("/api/finance/accounts/:account", { account: one.account }), body),
  });
  if (!done) return;
  await page.load();
  page.app.say("ok", t("Saved"));
};
const accounts = {
  path: "/api/finance/accounts",
  list: (page) => ({
    title: t("Accounts"),
    create: { label: t("New account"), act: () => addAccount(page) },
    filters: [
      { name: "type", label: t("Type"), kind: "choice", choices: TYPES.map((type) => [type, t(type)]) },
      ofState(["active", "closed"]),
    ],
    open: (one) => address(["balance", one.account]),
    columns: [
      col(t("Account"), (one) => accountOf(one)),
      col(
        t("Type"),
        (one) => html`${t(one.type)}${one.contra ? html` <span class="muted">${t("contra")}</span>` : nothing}`,
      ),
      col(t("Part of"), (one) => one.parent ?? nothing, "d2"),
      col(
        t("Kind"),
        (one) =>
          html`${
            one.control
              ? html`<span class="badge plain" title=${t("Control account: posted only from its sub-ledger")}
                  >${t("by rules")}</span
                > `
              : nothing
          }${one.system ? html`<span class="muted">${t("default")}</span>` : nothing}`,
        "d",
      ),
      col(t("Status"), (one) => (one.state === "active" ? nothing : badge(one.state)), "d"),
    ],
    actions: (one) => [{ label: t("Edit"), act: () => changeAccount(page, one) }],
    none: t("No account"),
  }),
};

const addMapping = async (page) => {
  const made = await ask(page.app, {
    title: t("Choose the account"),
    yes: t("Add"),
    text: t("Applies from this date, not before the first open day. Posted entries stay"),
    list: [
      {
        name: "of",
        label: t("Mapping of"),
        kind: "choice",
        choices: OF.map((of) => [of, t(`mapping.${of}`)]),
        focus: true,
      },
      {
        name: "key",
        label: t("Code or text"),
        required: true,
        hint: t("Code of the method or reason, or at least 3 characters of the bank text"),
      },
      pickField(page.app, "account", { name: "account", label: t("Account"), required: true }),
      { name: "from", label: t("Start date"), kind: "date", value: isoDay(), required: true },
    ],
    act: (body) => page.app.change("POST", "/api/finance/mappings", body),
  });
  if (!made) return;
  await page.load();
  page.app.say("ok", t("Applies from {day}", { day: day(made.from) }));
};
const withdrawMapping = async (page, one) => {
  const gone = await ask(page.app, {
    title: t("Withdraw this mapping?"),
    yes: t("Withdraw"),
    danger: true,
    text: t("The previous mapping applies again. A mapping that was used can't be withdrawn"),
    list: [],
    act: () => page.app.change("DELETE", path("/api/finance/mappings/:id", { id: one.mapping_id }), {}),
  });
  if (!gone) return;
  await page.load();
  page.app.say("ok", t("Withdrawn"));
};
const mappings = {
  path: "/api/finance/mappings",
  needs: ["accounts", "people"],
  list: (page) => ({
    title: t("Account mapping"),
    create: { label: t("New mapping"), act: () => addMapping(page) },
    columns: [
      col(t("Type"), (one) => t(`mapping.${one.of}`)),
      col(
        t("Code or text"),
        (one) => html`<bdi>${one.of === "bank_text" ? `\u201c${one.key}\u201d` : t(one.key)}</bdi>`,
      ),
      col(t("Account"), (one) =>
        link(
          ["balance", one.account],
          `${one.account} ${nameOf("accounts", one.account) === one.account ? "" : nameOf("accounts", one.account)}`,
        ),
      ),
      col(t("Start date"), (one) => days(one.from)),
      col(t("Created"), (one) => html`${moment(one.created_at)} ${person(one.created_by)}`, "d"),
    ],
    actions: (one) => [{ label: t("Withdraw"), act: () => withdrawMapping(page, one) }],
    none: t("All methods and reasons use the default accounts"),
  }),
};

const prove = (page) =>
  page.once(async () => {
    page.proved = await page.app.change("POST", "/api/finance/proofs", {});
    page.items = page.proved.proofs;
    page.requestUpdate();
    page.app.say(
      page.proved.ok ? "ok" : "bad",
      page.proved.ok
        ? t("All checks passed")
        : t("Failed checks: {n}", { n: number(page.proved.proofs.filter(({ ok }) => !ok).length) }),
    );
  });
/** Returns the proof that was just made, or the nightly one. */
const lastProof = ({ proved }, answer) => {
  const last = proved
    ? { at: proved.at, ok: proved.ok, problems: proved.proofs.filter(({ ok }) => !ok).length }
    : answer.last_proof;
  if (!last) return [t("Last check"), t("none yet")];
  return [
    t("Last check"),
    html`<span class=${last.ok ? nothing : "differs"}
      >${last.ok ? t("passed") : t("{n} failed", { n: number(last.problems) })}</span
    >`,
    moment(last.at),
  ];
};
const proofs = {
  path: "/api/finance/status",
  whole: true,
  rows: "locked_through",
  list: (page) => ({
    title: t("Checks"),
    create: { label: t("Run checks"), image: "scale", act: () => prove(page) },
    above: ({ answer }) =>
      answer?.posting
        ? html`<div class="above">
            ${figures([
              lastProof(page, answer),
              [
                t("Posted"),
                number(answer.posting.posted),
                t("{n} remaining, {failed} failed", {
                  n: number(answer.posting.left),
                  failed: number(answer.posting.failed),
                }),
              ],
              [t("Open month"), month(answer.open_month)],
              [t("Points"), t(`points.${answer.points_policy}`)],
            ])}
          </div>`
        : nothing,
    columns: page.proved
      ? [
          col(
            t("Check"),
            (row) => html`<b>${t(`proof.${row.name}`) === `proof.${row.name}` ? row.name : t(`proof.${row.name}`)}</b>`,
          ),
          col(t("Entries"), (row) => inMoney(row.left), "num"),
          col(t("Sub-ledger"), (row) => inMoney(row.right), "num"),
          col(t("Difference"), (row) => inMoney(row.left - row.right), "num"),
          col(
            t("Status"),
            (row) => html`<span class="badge ${row.ok ? "ok" : "bad"}">${row.ok ? t("passed") : t("differs")}</span>`,
          ),
        ]
      : [
          col(t("Book"), (row) => store(row.store_id)),
          col(t("Locked until"), (row) =>
            row.date ? days(row.date) : html`<span class="muted">${t("nothing is locked")}</span>`,
          ),
        ],
    none: t("No entries yet"),
  }),
};

export const pages = { periods, accounts, mappings, proofs };
