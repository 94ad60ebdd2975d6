// The locked till: its page is hidden and does nothing, since the session has ended. The same user logs in to continue.
import { html, nothing } from "../vendor/lit.js";
import { words } from "../kit/codes.js";
import { field, icon, problem } from "../kit/controls.js";
import { t } from "../kit/i18n.js";
import { LAST } from "../kit/login.js";
import { Page } from "../kit/page.js";
import { able, logIn, logInByDevice } from "../kit/session.js";

class PageLocked extends Page {
  async submit(event) {
    event.preventDefault();
    if (this.busy) return;
    const { app } = this;
    /** @type {any} */
    const { username, password, by } = Object.fromEntries(new FormData(event.target, event.submitter));
    const { id, name } = app.locked;
    this.busy = true;
    this.error = null;
    try {
      const user = by ? await logInByDevice(username, id) : await logIn(username, password, id);
      // The user may have logged out meanwhile.
      if (this.isConnected) await app.unlocked(user);
    } catch (error) {
      this.error = error.other ? t("Only {name} can unlock this till. Others log in", { name }) : words(error);
    } finally {
      this.busy = false;
    }
    const typed = this.querySelector("#unlock");
    if (!typed) return;
    typed.value = "";
    typed.focus();
  }

  render() {
    const { app } = this;
    if (!app.locked) return nothing;
    return html`<div class="narrow-page">
      <form class="panel card stack" novalidate @submit=${this.submit} aria-busy=${Boolean(this.busy)}>
        <div class="mark">${icon("lock")}</div>
        <div>
          <h1>${t("Locked")}</h1>
          <p class="muted"><bdi>${app.locked.name}</bdi></p>
        </div>
        ${field(
          t("Login name"),
          html`<input
            class="input"
            id="unlock-name"
            name="username"
            autocomplete="username"
            maxlength="128"
            .value=${localStorage.getItem(LAST) ?? ""}
          />`,
          "unlock-name",
        )}
        ${field(
          t("Password"),
          html`<input
            class="input"
            id="unlock"
            name="password"
            type="password"
            autocomplete="current-password"
            maxlength="128"
            data-focus
          />`,
          "unlock",
        )}
        ${problem(this.error)}${app.leaving ? problem(app.leavingText()) : nothing}
        <button class="btn primary big" ?disabled=${Boolean(this.busy)}>
          ${icon("log-in")}${this.busy ? t("One moment\u2026") : t("Unlock")}
        </button>
        ${
          able()
            ? html`<button class="btn big" name="by" value="device">
                ${icon("key-round")}${t("Unlock with a passkey")}
              </button>`
            : nothing
        }
        <button type="button" class="btn big" id="leave" @click=${() => app.logOut()}>
          ${icon("log-out")}${t("Log out")}
        </button>
      </form>
    </div>`;
  }
}
customElements.define("page-locked", PageLocked);
