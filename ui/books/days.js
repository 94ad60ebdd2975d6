// Days of the books, and their locks.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { single } from "../kit/controls.js";
import { day, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { ask } from "../kit/form.js";
import { badge, col, figure, moment, person, store } from "../records/cells.js";
import "./texts.js";
import { nameOf } from "../records/names.js";
import { ofDays, ofState, ofStore } from "../records/records.js";

const lock = async (page, one) => {
  const whose = one.store_id ? nameOf("stores", one.store_id) : t("Head office");
  const done = await ask(page.app, {
    title: t("Lock all days until {day}?", { day: day(one.business_date) }),
    yes: t("Lock"),
    text: `${whose}. ${t("No more entries can be posted on these days. Late entries go to the first open day")}`,
    list: [
      { name: "force", label: t("Lock incomplete days too"), kind: "check" },
      { name: "reason", label: t("Reason for locking an incomplete day"), kind: "area" },
    ],
    act: ({ force, reason }) =>
      page.app.command({
        url: path("/api/finance/days/:date/lock", { date: one.business_date }),
        body: { store_ids: [one.store_id], ...(force ? { force, reason } : {}) },
        label: t("Lock"),
      }),
  });
  if (!done) return;
  await page.load();
  page.app.say(
    done.warnings.length ? "warn" : "ok",
    done.warnings.length
      ? t("Locked with {n} warnings: {first}", { n: number(done.warnings.length), first: done.warnings[0].message })
      : t("Locked"),
  );
};
const unlock = async (page, one) => {
  const done = await ask(page.app, {
    title: t("Reopen {day}?", { day: day(one.business_date) }),
    yes: t("Reopen"),
    danger: true,
    text: t("Figures that were already reported may change"),
    list: [{ name: "reason", label: t("Reason"), kind: "area", required: true, focus: true }],
    act: (body) =>
      page.app.command({
        url: path("/api/finance/days/:date/unlock", { date: one.business_date }),
        body: { ...body, store_id: one.store_id },
        label: t("Reopen"),
      }),
  });
  if (!done) return;
  await page.load();
  page.app.say("ok", t("Day reopened"));
};

const daysList = {
  path: "/api/finance/days",
  needs: ["people"],
  list: (page) => ({
    title: t("Days"),
    filters: [ofState(["open", "locked"]), ofStore(), ...ofDays()],
    columns: [
      col(t("Day"), (one) => day(one.business_date)),
      col(t("Book"), (one) => store(one.store_id)),
      col(t("Status"), (one) =>
        one.state === "open" ? single(html`<span class="muted">${t("open")}</span>`) : badge(one.state),
      ),
      col(t("Complete"), (one) =>
        one.complete
          ? html`<span class="muted">${t("yes")}</span>`
          : html`<span class="badge warn"
              >${
                [
                  one.sealed ? null : t("not closed"),
                  one.shifts_open ? t("shifts open: {n}", { n: number(one.shifts_open) }) : null,
                  one.parked ? t("on hold: {n}", { n: number(one.parked) }) : null,
                ]
                  .filter(Boolean)
                  .join(", ") || t("not complete")
              }</span
            >`,
      ),
      col(t("Settlement"), (one) => badge(one.settlement_state), "d"),
      col(t("Entries"), (one) => figure(one.entries), "num d"),
      col(t("Late entries"), (one) => figure(one.late_in || null), "num d2"),
      col(
        t("Locked"),
        (one) => html`${moment(one.locked_at)} ${one.locked_by ? person(one.locked_by) : nothing}`,
        "d2",
      ),
    ],
    actions: (one) =>
      one.state === "open"
        ? [{ label: t("Lock\u2026"), act: () => lock(page, one) }]
        : page.app.may(["admin"])
          ? [{ label: t("Reopen\u2026"), act: () => unlock(page, one) }]
          : [],
    none: t("No days yet"),
  }),
};

export const pages = { days: daysList };
