// Differences of a settlement, and their resolution.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { decimal, number } from "../kit/format.js";
import { lang, t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { ask } from "../kit/form.js";
import { badge, col, days, grid, inMoney, link, moment, person, store } from "../records/cells.js";
import "./texts.js";
import { nameOf } from "../records/names.js";
import { table } from "../records/record.js";
import { pickField } from "../records/picks.js";

/** Resolutions of each type of difference. */
const RESOLUTIONS = {
  missing_at_provider: ["carry", "write_off"],
  missing_in_store: ["carry", "post"],
  not_a_payment: ["post", "carry", "ignore"],
  amount_differs: ["accept", "carry"],
  duplicate: ["ignore", "post"],
  fee_differs: ["accept", "dispute"],
  chargeback: ["accept", "contest"],
  ambiguous: ["store_id", "post", "carry", "ignore"],
  unknown_store: ["store_id", "post", "carry", "ignore"],
  payout_differs: ["accept"],
  deposit_differs: ["accept"],
  deposit_missing: ["carry", "write_off"],
  balance_differs: ["accept"],
  shift_differs: ["accept"],
  late: [],
};
const inWords = (resolution) =>
  ({
    carry: t("Keep open, remind in 30 days"),
    write_off: t("Write off"),
    post: t("Post to an account"),
    accept: t("Accept the difference"),
    ignore: t("Ignore; no entry is posted"),
    dispute: t("Dispute the fee; keep the rest open"),
    contest: t("Contest; keep open"),
    store_id: t("Assigned to this store"),
  })[resolution];

/** The posting of a resolution, by book and account. */
const posting = (list) =>
  list.length
    ? list.map(
        ({ store_id: of, entry_date: date, waits, lines }) =>
          html`<section class="part">
            <p><b>${waits ? t("Posted on approval") : t("Posted immediately")}</b> ${days(date)} ${store(of)}</p>
            ${grid(
              [
                col(t("Account"), (line) => html`${line.account} ${nameOf("accounts", line.account)}`),
                col(t("Debit"), (line) => inMoney(line.debit || null), "num"),
                col(t("Credit"), (line) => inMoney(line.credit || null), "num"),
              ],
              lines,
            )}
          </section>`,
      )
    : html`<p class="muted">${t("No entry is posted")}</p>`;

const resolve = async (page, one, after) => {
  const url = (query) => path("/api/settlement-exceptions/:id/resolve", { id: one.exception_id }, query);
  const done = await ask(page.app, {
    title: t(one.type),
    yes: t("Resolve"),
    text: `${decimal(one.amount)}. ${lang() === "en" ? one.action : t(`${one.type}.action`)}`,
    list: [
      {
        name: "resolution",
        label: t("What to do"),
        kind: "choice",
        choices: RESOLUTIONS[one.type].map((name) => [name, inWords(name)]),
        required: true,
        focus: true,
      },
      { name: "reason", label: t("Reason"), kind: "area", required: true },
      ...(one.type === "unknown_store" || one.type === "ambiguous"
        ? [
            pickField(page.app, "store", {
              name: "store_id",
              label: t("Store"),
              hint: t("If the line belongs to a store"),
            }),
          ]
        : []),
      pickField(page.app, "account", { name: "account", label: t("Account"), hint: t("Leave blank for the default") }),
    ],
    preview: async (body) => posting((await page.app.change("POST", url({ preview: true }), body)).posting),
    act: (body) => page.app.command({ url: url(), body, label: t("Resolve") }),
  });
  if (!done) return;
  await after();
  page.app.say("ok", t("Resolved"));
};

/** Differences for which a person can match lines and payments by hand. */
const BY_HAND = ["missing_at_provider", "missing_in_store", "ambiguous"];
const byHand = (one) => {
  location.hash = address(["items", "new"], {
    statement_id: one.statement_id,
    store_id: one.store_id,
    line_id: one.line_ids.join(","),
    item_id: one.item_ids.join(","),
  });
};

/**
 * @param {any} page
 * @param {any[]} rows
 * @param {number} [unmatched] Amount of payments that are on no statement. While it is above 0, not everything agrees.
 */
export const differences = (page, rows, unmatched = 0) =>
  table(
    t("Differences, {n} open", { n: number(rows.filter(({ state }) => state === "open").length) }),
    [
      col(
        t("Issue"),
        (one) =>
          html`<div class="statement">
            <b>${t(one.type)}</b>${lang() === "en" ? html`<p class="muted">${one.message}</p>` : nothing}${
              one.reason
                ? html`<p class="noted">
                    ${t(one.resolution)}: <bdi>${one.reason}</bdi>
                    <span class="muted"
                      >${person(one.resolved_by)}
                      ${moment(one.resolved_at)}${one.account ? html` ${t("Account")} ${one.account}` : nothing}</span
                    >${one.entry_id ? html` ${link(["journal", one.entry_id], t("Entry"))}` : nothing}
                  </p>`
                : nothing
            }
          </div>`,
        "wide-cell",
      ),
      col(t("Source"), (one) => (one.source_id ? nameOf("sources", one.source_id) : nothing), "d"),
      col(t("Day"), (one) => days(one.business_date), "d2"),
      col(t("Amount"), (one) => inMoney(one.amount), "num"),
      col(t("Status"), (one) => badge(one.state)),
      col(
        "",
        (one) =>
          html`${
            one.state === "open" && BY_HAND.includes(one.type)
              ? html`<button class="btn small" @click=${() => byHand(one)}>${t("Match\u2026")}</button> `
              : nothing
          }${
            one.state === "open" && RESOLUTIONS[one.type]?.length
              ? html`<button
                  class="btn small"
                  ?disabled=${page.busy}
                  @click=${() => resolve(page, one, () => page.load())}
                >
                  ${t("Resolve\u2026")}
                </button>`
              : nothing
          }`,
        "acts",
      ),
    ],
    rows,
    unmatched
      ? t("No differences yet, but {amount} is not matched", { amount: decimal(unmatched) })
      : t("No differences"),
  );
