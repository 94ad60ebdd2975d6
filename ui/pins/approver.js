// The approver at a till, and the means of approval.
import { html } from "../vendor/lit.js";
import { words } from "../kit/codes.js";
import { field } from "../kit/controls.js";
import { t } from "../kit/i18n.js";
import { assertion } from "../kit/session.js";
import { pinField } from "./field.js";
import { approvers, byPin } from "./known.js";

/** Makes one ceremony, valid for one command of this session. */
const byDevice = async (app, username) =>
  assertion(await app.change("POST", "/api/auth/webauthn/confirm/start", { purpose: "approval", username }));

const PASSWORD = "approval-password";
const PIN = "approval-pin";

const byPassword = () =>
  html`${field(
    t("Manager's login name"),
    html`<input class="input" id="approver" name="username" autocomplete="off" data-focus required />`,
    "approver",
  )}
  ${field(
    t("Password"),
    html`<input class="input" id=${PASSWORD} name="password" type="password" autocomplete="off" required />`,
    PASSWORD,
  )}`;

/** The approver and the means: managers with a PIN here are selected by name, others type name and password. */
export class Approver {
  constructor(app) {
    this.app = app;
    this.known = approvers(app.user.id);
    this.chosen = this.known[0] ?? null;
  }

  async choose(one) {
    this.chosen = one;
    const { dialog } = this.app;
    dialog.error = null;
    dialog.requestUpdate();
    await dialog.updateComplete;
    dialog.querySelector("[data-focus]")?.focus();
  }

  fields() {
    const { known, chosen } = this;
    if (!known.length) return byPassword();
    const choice = (one, name, id) =>
      html`<button
        type="button"
        class="btn big"
        id=${id}
        aria-pressed=${one === chosen}
        @click=${() => this.choose(one)}
      >
        ${name}
      </button>`;
    return html`<div class="chips" role="group" aria-label=${t("Who approves?")}>
        ${known.map((one, index) => choice(one, html`<bdi>${one.name}</bdi>`, `approver-${index}`))}
        ${choice(null, t("Use the password"), "approve-by-password")}
      </div>
      ${chosen ? field(t("PIN"), pinField(PIN, { figure: true }), PIN) : byPassword()}`;
  }

  /** Returns the approval to send with the command. */
  async approval({ username, password, by, pin }) {
    const { app, chosen } = this;
    const missing = by ? null : chosen ? !pin && t("PIN") : !password && t("Password");
    // If it was sent, it would count as a wrong attempt.
    if (missing) throw Object.assign(new Error("empty"), { words: t("{field} is missing", { field: missing }) });
    for (const id of [PASSWORD, PIN]) {
      /** @type {any} */
      const typed = document.getElementById(id);
      if (typed) typed.value = "";
    }
    if (by) return byDevice(app, username ?? chosen.username);
    return chosen ? byPin(chosen, pin) : { username, password };
  }

  words(error) {
    if (this.chosen && error.code === "approval_refused")
      return t("Wrong PIN, or this till needs the password again. Nothing was changed");
    return words(error);
  }
}
