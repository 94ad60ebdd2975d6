// Names of the people who recently used this till. A name and a PIN log in, unlock, and hand the till over.
import { html, nothing } from "../vendor/lit.js";
import { words } from "../kit/codes.js";
import { field, icon, problem } from "../kit/controls.js";
import { t } from "../kit/i18n.js";
import { LAST } from "../kit/login.js";
import { Page } from "../kit/page.js";
import { able, enter, logIn, logInByDevice } from "../kit/session.js";
import { pinField, pinPad } from "./field.js";
import { byPin, hasPin, isOver, people } from "./known.js";

const NEW = { id: "", name: "", username: "" };

/** Another person logged in at the locked till: the page is left as by a log-out. */
const takesOver = async (app, user) => {
  Object.assign(app, { user: null, locked: null, page: null, touched: Date.now() });
  app.dialog?.abandon();
  app.left();
  app.say(null);
  try {
    return await app.entered(user);
  } catch (error) {
    await app.show("login");
    return app.fail(error);
  }
};

class PagePeople extends Page {
  constructor() {
    super();
    this.chosen = null;
    this.byPassword = false;
  }

  connectedCallback() {
    super.connectedCallback();
    const { locked, changing } = this.app;
    this.people = people();
    this.chosen = (!changing && this.people.find(({ id }) => id === locked?.id)) || null;
  }

  choose(person) {
    Object.assign(this, { chosen: person, byPassword: false, error: null });
    this.drawn();
  }

  async drawn() {
    this.requestUpdate();
    await this.updateComplete;
    /** @type {any} */
    const first = this.querySelector("[data-focus]");
    if (first?.matches("input[type=password]")) first.value = "";
    first?.focus();
  }

  /** Whether the selected person is asked for a PIN. */
  get asksPin() {
    return Boolean(this.chosen?.has_pin) && !this.byPassword;
  }

  async proven({ pin, username, password, by }) {
    const { chosen } = this;
    const { locked } = this.app;
    if (this.asksPin) return enter("/api/auth/login/pin", byPin(chosen, pin), undefined, locked?.id, true);
    const name = username ?? chosen.username;
    const user = by ? await logInByDevice(name, locked?.id, true) : await logIn(name, password, locked?.id, true);
    localStorage.setItem(LAST, name);
    return user;
  }

  async submit(event) {
    event.preventDefault();
    if (this.busy) return;
    /** @type {any} */
    const given = Object.fromEntries(new FormData(event.target, event.submitter));
    const { app } = this;
    this.busy = true;
    this.error = null;
    try {
      const user = await this.proven(given);
      // The person who locked it may have logged out in the meantime.
      if (!this.isConnected) return;
      if (app.locked && app.locked.id !== user.id) await takesOver(app, user);
      else await (app.locked ? app.unlocked(user) : app.entered(user));
    } catch (error) {
      this.refused(error);
    } finally {
      this.busy = false;
    }
    if (this.isConnected) await this.drawn();
  }

  refused(error) {
    if (!this.asksPin) {
      this.error = words(error);
    } else if (isOver(error)) {
      // The PIN works here again only after a log-in with the password.
      this.byPassword = true;
      if (error.code !== "pin_locked") hasPin(this.chosen.id, false);
      this.error = error.code === "pin_locked" ? words(error) : t("Enter your password at this till again");
    } else {
      this.error = error.code === "invalid_credentials" ? t("Wrong PIN") : words(error);
    }
  }

  names() {
    return html`<div class="stack s" role="group" aria-label=${t("Who are you?")}>
      ${this.people.map(
        (one, index) =>
          html`<button type="button" class="btn big" ?data-focus=${!index} @click=${() => this.choose(one)}>
            ${icon("user-round")}<bdi>${one.name}</bdi>
          </button>`,
      )}
      <button type="button" class="btn big" id="somebody" @click=${() => this.choose(NEW)}>
        ${icon("users")}${t("Somebody else")}
      </button>
    </div>`;
  }

  pin() {
    return html`${field(t("PIN"), pinField("pin"), "pin")}${problem(this.error)}${pinPad("pin")}
      <button type="button" class="btn big" id="by-password" @click=${() => this.password()}>
        ${icon("lock")}${t("Use the password")}
      </button>`;
  }

  password() {
    Object.assign(this, { byPassword: true, error: null });
    this.drawn();
  }

  asked() {
    const { chosen } = this;
    const isNew = !chosen.id;
    const name = isNew
      ? field(
          t("Login name"),
          html`<input
            class="input"
            id="username"
            name="username"
            autocomplete="username"
            maxlength="128"
            data-focus
          />`,
          "username",
        )
      : nothing;
    return html`${name}${field(
        t("Password"),
        html`<input
          class="input"
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          maxlength="128"
          ?data-focus=${!isNew}
        />`,
        "password",
      )}
      ${problem(this.error)}
      <button class="btn primary big" ?disabled=${Boolean(this.busy)}>
        ${icon("log-in")}${this.busy ? t("One moment\u2026") : t("Log in")}
      </button>
      ${
        able()
          ? html`<button class="btn big" name="by" value="device">
              ${icon("key-round")}${t("Log in with a passkey")}
            </button>`
          : nothing
      }`;
  }

  head() {
    const { app, chosen } = this;
    const { locked } = app;
    const what = locked ? (app.changing ? t("Change cashier") : t("Locked")) : t("Log in");
    return html`<div class="mark">${icon(locked ? "lock" : "shopping-basket")}</div>
      <div>
        <h1>${what}</h1>
        <p class="muted">
          ${chosen?.name ? html`<bdi>${chosen.name}</bdi>` : locked ? html`<bdi>${locked.name}</bdi>` : app.purpose()}
        </p>
      </div>`;
  }

  /** A takeover discards the content of the page, so the page warns first. */
  warning() {
    const { locked } = this.app;
    if (!locked || !this.chosen || this.chosen.id === locked.id) return nothing;
    return html`<p class="muted">
      ${t("{name} will be logged out. The open sale is kept and opens again when {name} logs in", { name: locked.name })}
    </p>`;
  }

  render() {
    const { app, chosen } = this;
    const body = chosen ? (this.asksPin ? this.pin() : this.asked()) : this.names();
    return html`<div class="narrow-page">
      <form class="panel card stack" novalidate @submit=${this.submit} aria-busy=${Boolean(this.busy)}>
        ${this.head()}${this.warning()}${body}
        ${
          chosen
            ? html`<button type="button" class="btn big" id="others" @click=${() => this.choose(null)}>
                ${icon("users")}${t("Choose another name")}
              </button>`
            : nothing
        }
        ${app.locked && app.leaving ? problem(app.leavingText()) : nothing}
        ${
          app.locked
            ? html`<button type="button" class="btn big" id="leave" @click=${() => app.logOut()}>
                ${icon("log-out")}${t("Log out")}
              </button>`
            : nothing
        }
      </form>
    </div>`;
  }
}
customElements.define("page-people", PagePeople);
