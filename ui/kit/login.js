// The user of this till.
import { html, nothing } from "../vendor/lit.js";
import { Refusal } from "./api.js";
import { words } from "./codes.js";
import { field, icon, problem } from "./controls.js";
import { t } from "./i18n.js";
import { able, logIn, logInByDevice } from "./session.js";
import { Page } from "./page.js";

/** Who logged in last on this device, by login name. */
export const LAST = "last.username";

class PageLogin extends Page {
  async submit(event) {
    event.preventDefault();
    /** @type {any} */
    const given = Object.fromEntries(new FormData(event.target, event.submitter));
    const { username, password, by } = given;
    if (this.busy) return;
    this.busy = true;
    this.error = null;
    try {
      const user = by ? await logInByDevice(username) : await logIn(username, password);
      localStorage.setItem(LAST, username);
      event.target.reset();
      await this.app.entered(user);
    } catch (error) {
      this.error =
        error instanceof Refusal && error.code === "rate_limited"
          ? t("Too many attempts. Try again in {n} s", { n: error.retryAfter })
          : words(error);
      this.querySelector("#password").select();
    } finally {
      this.busy = false;
    }
  }

  render() {
    const last = localStorage.getItem(LAST) ?? "";
    return html`<div class="narrow-page">
      <form class="panel card stack" @submit=${this.submit} aria-busy=${Boolean(this.busy)}>
        <div class="mark">${icon("shopping-basket")}</div>
        <div>
          <h1>${t("Log in")}</h1>
          <p class="muted">${this.app.purpose()}</p>
        </div>
        ${field(
          t("Login name"),
          html`<input
            class="input"
            id="username"
            name="username"
            autocomplete="username webauthn"
            required
            maxlength="128"
            .value=${last}
            ?data-focus=${!last}
          />`,
          "username",
        )}
        ${field(
          t("Password"),
          html`<input
            class="input"
            id="password"
            name="password"
            type="password"
            autocomplete="current-password"
            maxlength="128"
            ?data-focus=${Boolean(last)}
          />`,
          "password",
        )}
        ${problem(this.error)}
        <button class="btn primary big">${icon("log-in")}${this.busy ? t("One moment\u2026") : t("Log in")}</button>
        ${
          able()
            ? html`<button class="btn big" name="by" value="device">
                ${icon("key-round")}${t("Log in with a passkey")}
              </button>`
            : nothing
        }
      </form>
    </div>`;
  }
}
customElements.define("page-login", PageLogin);
