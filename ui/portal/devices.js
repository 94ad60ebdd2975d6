// My devices: passkeys in place of the password, the password itself, and the use of the keyboard.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { icon } from "../kit/controls.js";
import { date } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { ask } from "../kit/form.js";
import { title } from "../kit/list.js";
import { Page } from "../kit/page.js";
import { able, assertion } from "../kit/session.js";
import { creation } from "../passkeys/creation.js";
import "../catalogue/texts.js";
import { col, since } from "../records/cells.js";
import { section, table } from "../records/record.js";

class PageDevices extends Page {
  items;

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  load() {
    return this.readBy(
      async () => ({ items: (await this.app.get("/api/auth/webauthn/credentials", {}, { limit: 200 })).items }),
      () => this.items,
    );
  }

  /** Proves who the user is, by the password or a registered passkey: a stolen session is not enough. */
  confirmed(password) {
    if (password) return { password };
    return this.app.change("POST", "/api/auth/webauthn/confirm/start", { purpose: "registration" }).then(assertion);
  }

  async add() {
    const done = await ask(this.app, {
      title: t("Add a passkey"),
      yes: t("Register"),
      text: t("Confirm with your password or a registered passkey"),
      list: [
        { name: "name", label: t("Passkey name"), required: true, focus: true },
        { name: "password", label: t("Password"), kind: "password", hint: t("Leave blank to confirm with a passkey") },
      ],
      act: async ({ name, password }) => {
        const begun = await this.app.change(
          "POST",
          "/api/auth/webauthn/register/start",
          await this.confirmed(password),
        );
        return this.app.change("POST", "/api/auth/webauthn/register/finish", { name, ...(await creation(begun)) });
      },
    });
    if (!done) return;
    await this.load();
    this.app.say("ok", t("{name} added", { name: done.name }));
  }

  async forget(one) {
    const done = await ask(this.app, {
      title: t("Remove {name}?", { name: one.name }),
      yes: t("Remove"),
      danger: true,
      text: t("It can no longer be used to log in"),
      act: () => this.app.change("DELETE", path("/api/auth/webauthn/credentials/:id", { id: one.credential_id }), {}),
    });
    if (!done) return;
    await this.load();
    this.app.say("ok", t("Removed"));
  }

  async password() {
    const done = await ask(this.app, {
      title: t("Change my password"),
      yes: t("Change"),
      text: t("All other sessions end and all passkeys are removed"),
      list: [
        { name: "current_password", label: t("Current password"), kind: "password", required: true, focus: true },
        { name: "new_password", label: t("New password"), kind: "password", required: true },
      ],
      act: (body) => this.app.change("POST", "/api/auth/password", body),
    });
    if (!done) return;
    await this.app.logOut();
    this.app.say("ok", t("Password changed. Log in with the new one"));
  }

  render() {
    const add = able()
      ? html`<button class="btn primary" ?disabled=${this.busy} @click=${() => this.add()}>
          ${icon("plus")}${t("Add a passkey")}
        </button>`
      : nothing;
    const head = title(t("My devices"), this.app.find(), add);
    if (!this.items) return html`${head}${this.awaited()}`;
    return html`${head}
      <div class="stack">
        ${
          able()
            ? nothing
            : html`<p class="notice plain">
                ${icon("info")}<span>${t("Passkeys need HTTPS and a browser that supports them")}</span>
              </p>`
        }
        ${table(
          t("Devices"),
          [
            col(t("Name"), (one) => html`<bdi>${one.name}</bdi>`),
            col(t("Since"), (one) => date(one.created_at)),
            col(t("Last used"), (one) => since(one.last_used_at)),
            col(
              "",
              (one) => html`<button class="btn small" @click=${() => this.forget(one)}>${t("Remove")}</button>`,
              "acts",
            ),
          ],
          this.items,
          t("No passkeys registered. Log in with your password"),
        )}
        ${section(
          t("Password"),
          html`<p class="pad">
            <button class="btn" @click=${() => this.password()}>${icon("key-round")}${t("Change my password")}</button>
          </p>`,
        )}
        ${section(
          t("Keys"),
          html`<p class="pad">
            <label class="rowx"
              ><input
                type="checkbox"
                .checked=${this.app.letters}
                @change=${(event) => {
                  this.app.setLetters(event.target.checked);
                  this.requestUpdate();
                }}
              /><span>${t("Letter keys: g and a letter open a page, j and k move through a list")}</span></label
            >
          </p>`,
        )}
      </div>`;
  }
}
customElements.define("page-devices", PageDevices);
