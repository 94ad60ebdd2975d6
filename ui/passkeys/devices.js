// My devices: passkeys and a PIN in place of the password, and the password itself.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { icon, key, notice } from "../kit/controls.js";
import { ask } from "../kit/form.js";
import { date } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { title } from "../kit/list.js";
import { Page } from "../kit/page.js";
import { able, assertion } from "../kit/session.js";
import { ownPin } from "../pins/own.js";
import { creation } from "./creation.js";

const NAME_MAX = 64;

class PageDevices extends Page {
  constructor() {
    super();
    this.items = null;
  }

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  async load() {
    await this.readBy(
      async () => ({
        items: (await this.app.get("/api/auth/webauthn/credentials", {}, { limit: 100 })).items,
        pin: await this.app.get("/api/auth/pin"),
      }),
      () => this.items,
    );
    this.app.focusPage();
  }

  keys() {
    return this.app.leavePage ? { Escape: () => void this.app.leavePage() } : {};
  }

  /** A stolen session is not enough: the user needs the password again, or a registered device. */
  confirmed(password) {
    const { app } = this;
    if (password) return { password };
    return app.change("POST", "/api/auth/webauthn/confirm/start", { purpose: "registration" }).then(assertion);
  }

  async add() {
    const { app } = this;
    const list = [
      { name: "name", label: t("Passkey name"), required: true, focus: true },
      {
        name: "again",
        kind: "password",
        label: t("Confirm your password"),
        ...(this.items.length ? { hint: t("Leave blank to confirm with a passkey") } : { required: true }),
      },
    ];
    const done = await ask(app, {
      title: t("Add a passkey"),
      text: t("Log in with your fingerprint, face or device PIN instead of a password"),
      yes: t("Register"),
      list,
      act: async ({ name, again }) => {
        const begun = await app.change("POST", "/api/auth/webauthn/register/start", await this.confirmed(again));
        return app.change("POST", "/api/auth/webauthn/register/finish", {
          name: name.slice(0, NAME_MAX),
          ...(await creation(begun)),
        });
      },
    });
    if (done) await this.saved(t("{name} added", { name: done.name }));
  }

  async takeOff(one) {
    const { app } = this;
    const done = await ask(app, {
      title: t("Remove {name}?", { name: one.name }),
      text: t("It can no longer log in or approve"),
      yes: t("Remove"),
      danger: true,
      act: () => app.change("DELETE", path("/api/auth/webauthn/credentials/:id", { id: one.credential_id })),
    });
    if (done) await this.saved(t("Removed"));
  }

  async password() {
    const { app } = this;
    const list = [
      { name: "current_password", kind: "password", label: t("Current password"), required: true, focus: true },
      {
        name: "new_password",
        kind: "password",
        label: t("New password"),
        hint: t("At least 8 characters"),
        required: true,
      },
    ];
    const done = await ask(app, {
      title: t("Change my password"),
      text: t("All other sessions end and all passkeys are removed"),
      yes: t("Change password"),
      list,
      act: (body) => app.change("POST", "/api/auth/password", body),
    });
    if (done) await this.saved(t("Password changed"));
  }

  async saved(text) {
    await this.load();
    this.app.say("ok", text);
  }

  row(one) {
    return html`<tr>
      <td><bdi>${one.name}</bdi></td>
      <td>${date(one.created_at)}</td>
      <td>${one.last_used_at ? date(one.last_used_at) : t("never")}</td>
      <td class="num">
        <button class="btn" @click=${() => this.takeOff(one)}>${icon("trash-2")}${t("Remove")}</button>
      </td>
    </tr>`;
  }

  list() {
    const { items } = this;
    if (items === null) return this.awaited();
    if (!items.length)
      return html`<p class="empty panel">${t("No passkeys registered. Log in with your password")}</p>`;
    return html`<div class="panel scroll">
      <table class="grid fold">
        <thead>
          <tr>
            <th>${t("Name")}</th>
            <th>${t("Since")}</th>
            <th>${t("Last used")}</th>
            <th><span class="vh">${t("Actions")}</span></th>
          </tr>
        </thead>
        <tbody>
          ${items.map((one) => this.row(one))}
        </tbody>
      </table>
    </div>`;
  }

  /** Users who turned shortcuts off find the setting here. The till has none. */
  letters() {
    const { app } = this;
    if (!app.setLetters) return nothing;
    return html`<section class="panel pad">
      <label class="rowx"
        ><input
          type="checkbox"
          .checked=${app.letters}
          @change=${(event) => {
            app.setLetters(event.target.checked);
            this.requestUpdate();
          }}
        /><span>${t("Letter keys: g and a letter open a page, j and k move through a list")}</span></label
      >
    </section>`;
  }

  render() {
    const { app } = this;
    const acts = html`${
        able()
          ? html`<button
              class="btn primary"
              ?data-focus=${!app.leavePage}
              ?disabled=${!this.items}
              @click=${() => this.add()}
            >
              ${icon("plus")}${t("Add a passkey")}
            </button>`
          : nothing
      } <button class="btn" @click=${() => this.password()}>${icon("lock")}${t("Change my password")}</button>`;
    const why = able() ? nothing : notice("", "info", t("Passkeys need HTTPS. Contact your administrator"));
    if (!app.leavePage)
      return html`${title(t("My devices"), acts)}
        <div class="stack">${why}${this.list()}${ownPin(this)}${this.letters()}</div>`;
    return html`<div class="bar">
        <button class="btn quiet" data-focus @click=${() => app.leavePage()}>
          ${icon("arrow-left")}${t("Sell")}${key("Esc")}
        </button>
        <h1>${t("My devices")}</h1>
      </div>
      <div class="work">
        <div class="rowx">${acts}</div>
        ${why}${this.list()}${ownPin(this)}
      </div>`;
  }
}
customElements.define("page-devices", PageDevices);
