// One person: name and role, another password, disable, end every session, remove a lost device.
import { html } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { icon } from "../kit/controls.js";
import { ask } from "../kit/form.js";
import { date, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { WALK } from "../kit/menu.js";
import { Page } from "../kit/page.js";
import { title } from "../kit/list.js";
import { forgetNames } from "../records/names.js";
import { rolesFor } from "./people.js";

class PagePerson extends Page {
  person;
  devices;

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  load() {
    const { id } = this.app.params;
    return this.readBy(
      async () => {
        const [person, devices] = await Promise.all([
          this.app.get("/api/users/:id", { id }),
          this.app.get("/api/users/:id/devices", { id }, { limit: 100 }),
        ]);
        return { person, devices };
      },
      () => this.person,
    );
  }

  keys() {
    return {
      ...WALK,
      Escape: () => this.app.go("people"),
      E: (event) => (event.target.matches("input, select") || !this.person ? false : void this.edit()),
    };
  }

  /** Sends only the changed fields. */
  async edit() {
    const { app, person } = this;
    const { id } = person;
    const list = [
      { name: "name", label: t("Name"), value: person.name, required: true, focus: true },
      { name: "username", label: t("Login name"), value: person.username, required: true },
      {
        name: "role",
        label: t("Role"),
        kind: "choice",
        required: true,
        value: person.role,
        choices: rolesFor(app).map((role) => [role, t(role)]),
        hint: t("Changing the role ends all sessions"),
      },
    ];
    const done = await ask(app, {
      title: t("Change {name}", { name: person.name }),
      yes: t("Save"),
      list,
      act: (given) => {
        const body = Object.fromEntries(Object.entries(given).filter(([name, value]) => value !== person[name]));
        return Object.keys(body).length ? app.change("PATCH", path("/api/users/:id", { id }), body) : {};
      },
    });
    await this.done(done, t("Saved"));
  }

  async password() {
    const { app, person } = this;
    const list = [
      {
        name: "password",
        kind: "password",
        label: t("New password"),
        hint: t("At least 8 characters"),
        required: true,
        focus: true,
      },
    ];
    const done = await ask(app, {
      title: t("New password for {name}", { name: person.name }),
      text: t("All sessions end and all passkeys are removed. Give the password only to this person"),
      yes: t("Change password"),
      list,
      act: (body) => app.change("PATCH", path("/api/users/:id", { id: person.id }), body),
    });
    await this.done(done, t("Password changed"));
  }

  async done(done, message) {
    if (!done) return;
    this.app.staff = null;
    forgetNames();
    await this.load();
    this.app.say("ok", message);
  }

  async act(question, yes, method, url, body, message) {
    const agreed = await this.app.dialog.ask({ title: question, yes, no: t("Keep"), danger: true });
    if (!agreed) return;
    await this.once(async () => {
      await this.app.change(method, url, body);
      await this.load();
      this.app.say("ok", message);
    });
  }

  render() {
    const { person } = this;
    if (!person)
      return html`<h1 class="vh">${t("People")}</h1>
        ${this.awaited()}`;
    const { id, name, disabled } = person;
    const change = () =>
      this.act(
        disabled
          ? t("Let {name} log in again?", { name })
          : t("Disable {name}? All sessions end and all passkeys are removed", { name }),
        disabled ? t("Enable") : t("Disable"),
        "PATCH",
        path("/api/users/:id", { id }),
        { disabled: !disabled },
        t("Saved"),
      );
    const revoke = () =>
      this.act(
        t("End all sessions of {name}? All passkeys are removed", { name }),
        t("Log out everywhere"),
        "POST",
        path("/api/users/:id/revoke-tokens", { id }),
        {},
        t("All sessions ended"),
      );
    return html`${title(
        html`<a class="back" href="#/people">${icon("arrow-left")}<span class="vh">${t("People")}</span></a
          ><bdi>${name}</bdi>`,
        html`<button class="btn" @click=${() => this.edit()}>${icon("user-round")}${t("Edit")}</button>`,
        html`<button class="btn" @click=${() => this.password()}>${icon("key-round")}${t("New password")}</button>`,
        html`<button class="btn" @click=${revoke}>${icon("log-out")}${t("Log out everywhere")}</button>`,
        html`<button class="btn" @click=${change}>${icon("lock")}${disabled ? t("Enable") : t("Disable")}</button>`,
      )}
      <dl class="figures panel">
        <div>
          <dt>${t("Login name")}</dt>
          <dd class="long">${person.username}</dd>
        </div>
        <div>
          <dt>${t("Role")}</dt>
          <dd>${t(person.role)}</dd>
        </div>
        <div>
          <dt>${t("Status")}</dt>
          <dd>${disabled ? t("disabled") : t("active")}</dd>
        </div>
        <div>
          <dt>${t("Since")}</dt>
          <dd class="long">${date(person.created_at)}</dd>
        </div>
      </dl>
      <h2 class="section">${t("Devices")} <span class="muted">${number(this.devices.items.length)}</span></h2>
      ${
        this.devices.items.length
          ? html`<div class="panel scroll">
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
                  ${this.devices.items.map(
                    (one) =>
                      html`<tr>
                        <td><bdi>${one.name}</bdi></td>
                        <td>${date(one.created_at)}</td>
                        <td>${one.last_used_at ? date(one.last_used_at) : t("never")}</td>
                        <td class="num acts">
                          <button
                            class="btn"
                            @click=${() =>
                              this.act(
                                t("Remove {name}?", { name: one.name }),
                                t("Remove"),
                                "DELETE",
                                path("/api/users/:id/devices/:credential_id", { id, credential_id: one.credential_id }),
                                {},
                                t("Removed"),
                              )}
                          >
                            ${icon("trash-2")}${t("Remove")}
                          </button>
                        </td>
                      </tr>`,
                  )}
                </tbody>
              </table>
            </div>`
          : html`<p class="empty panel">${t("No passkeys registered. Log in with your password")}</p>`
      }`;
  }
}
customElements.define("page-person", PagePerson);
