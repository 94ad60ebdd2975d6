// The safe according to the store's books, and the bags that were taken to the bank.
import { html, nothing } from "../vendor/lit.js";
import { col, inMoney, moment, person } from "../records/cells.js";
import { figures } from "../records/record.js";
import { path } from "../kit/api.js";
import { icon } from "../kit/controls.js";
import { ask } from "../kit/form.js";
import { decimal, money } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import "../goods/texts.js";

const done = async (page, answer, message) => {
  if (!answer) return;
  await page.load();
  page.app.say("ok", message);
};

const deposit = async (page) =>
  done(
    page,
    await ask(page.app, {
      title: t("Record bank deposit"),
      yes: t("Save"),
      list: [
        { name: "amount", label: t("Amount"), kind: "money", required: true, focus: true },
        { name: "bag_no", label: t("Bag number"), required: true },
        { name: "bank_account", label: t("Bank account"), required: true },
      ],
      act: (body) =>
        page.app.command({
          url: "/api/deposits",
          body,
          label: "Record bank deposit",
          amount: body.amount ?? null,
        }),
    }),
    t("Deposit recorded"),
  );

const opening = async (page) =>
  done(
    page,
    await ask(page.app, {
      title: t("Cash in the safe before the first shift"),
      yes: t("Save"),
      text: t("This is the starting balance of the safe. You can change it later; changes are noted in the audit log"),
      list: [
        {
          name: "amount",
          label: t("Amount"),
          kind: "money",
          required: true,
          focus: true,
          value: page.answer?.opening ?? undefined,
        },
        { name: "reason", label: t("Reason, or who counted"), required: true },
      ],
      act: (body) => page.app.command({ url: "/api/safe/opening", body, label: "Safe", amount: body.amount ?? null }),
    }),
    t("Saved"),
  );

const back = async (page, one) =>
  done(
    page,
    await ask(page.app, {
      title: t("Reverse the deposit of {amount}?", { amount: money(one.amount) }),
      yes: t("Reverse"),
      danger: true,
      text: t("Bag {no} goes back to the safe. Both entries stay in the list", { no: one.bag_no }),
      list: [{ name: "reason", label: t("Reason"), required: true }],
      act: (body) =>
        page.app.command({
          url: path("/api/deposits/:id/reverse", { id: one.deposit_id }),
          body,
          label: "Reverse",
          amount: one.amount,
        }),
    }),
    t("Reversed"),
  );

/** Returns what came into the safe and left it, up to the current balance. */
const sums = (page) => {
  const { answer: safe } = page;
  if (!safe) return "";
  const unsaid = safe.opening === null;
  return html`<div class="above stack">
    ${figures([
      [t("In the safe"), money(safe.balance), t("on record")],
      [t("Opening balance"), unsaid ? "\u2013" : decimal(safe.opening), unsaid ? t("not set") : null],
      [t("Drops from tills"), decimal(safe.drops)],
      [t("Cash from closed shifts"), decimal(safe.counted)],
      [t("Opening floats"), decimal(-safe.floats)],
      [t("Deposited at the bank"), decimal(-safe.deposited)],
    ])}
    <p class="rowx">
      <button class="btn small" @click=${() => opening(page)}>
        ${icon("lock", "icon-s")}${unsaid ? t("Set opening balance") : t("Change opening balance")}</button
      >${
        unsaid
          ? html`<span class="muted">${t("Until then the balance may be lower than the actual cash")}</span>`
          : nothing
      }
    </p>
  </div>`;
};

const safe = {
  path: "/api/safe",
  rows: "deposits",
  whole: true,
  needs: ["people"],
  list: (page) => {
    const taken = new Set((page.items ?? []).map(({ reverses }) => reverses).filter(Boolean));
    return {
      title: t("Safe"),
      create: { label: t("Record bank deposit"), image: "landmark", act: () => deposit(page) },
      above: sums,
      columns: [
        col(t("When"), (one) => moment(one.deposited_at)),
        col(t("Bag number"), (one) => html`<bdi>${one.bag_no}</bdi>`),
        col(t("Bank account"), (one) => html`<bdi>${one.bank_account}</bdi>`, "d"),
        col(t("Person"), (one) => person(one.user_id), "d2"),
        col(t("Amount"), (one) => inMoney(one.amount), "num"),
        col(t("Status"), (one) =>
          one.reverses
            ? html`<span class="badge bad">${t("reversal")}</span> <bdi class="muted">${one.reason ?? ""}</bdi>`
            : taken.has(one.deposit_id)
              ? html`<span class="badge plain">${t("reversed")}</span>`
              : html`<span class="badge ok">${t("deposited")}</span>`,
        ),
      ],
      actions: (one) =>
        one.reverses || taken.has(one.deposit_id) ? [] : [{ label: t("Reverse"), act: () => back(page, one) }],
      none: t("No deposits yet"),
    };
  },
};

export const pages = { safe };
