// A manager's word on the spot: one approval for one action.
import { html, nothing } from "../vendor/lit.js";
import { words } from "./codes.js";
import { field, icon } from "./controls.js";
import { money } from "./format.js";
import { t } from "./i18n.js";
import { whyApproved } from "./approval_words.js";
import { able, assertion } from "./session.js";

/** One ceremony, good for one command of this session. */
const byDevice = async (app, username) =>
  assertion(await app.change("POST", "/api/auth/webauthn/confirm/start", { purpose: "approval", username }));

/** Asks until somebody approves or it is given up; the answer of the command, or null. */
export const approve = async (app, intent, refusal, repeat) => {
  const why = whyApproved(refusal.details, app);
  const what =
    intent.amount === null || intent.amount === undefined
      ? t(intent.label)
      : `${t(intent.label)} ${money(intent.amount)}`;
  const parts = [why || what, t("Requested by {name}", { name: app.user.name })];
  return app.dialog.ask({
    title: t("Manager approval required"),
    text: parts.join(". "),
    yes: t("Approve"),
    body: html`${field(
      t("Manager's login name"),
      html`<input class="input" id="approver" name="username" autocomplete="off" data-focus required />`,
      "approver",
    )}
    ${field(
      t("Password"),
      html`<input class="input" id="approval-password" name="password" type="password" autocomplete="off" required />`,
      "approval-password",
    )}`,
    more: able()
      ? html`<button class="btn big" name="by" value="device">
          ${icon("key-round")}${t("Approve with a passkey")}
        </button>`
      : nothing,
    act: async ({ username, password, by }) => {
      document.querySelector("#approval-password").value = "";
      try {
        return await repeat(by ? await byDevice(app, username) : { username, password });
      } catch (error) {
        error.words = words(error);
        throw error;
      }
    },
  });
};
