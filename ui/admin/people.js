// People who work here.
import { html, nothing } from "../vendor/lit.js";
import { field, icon } from "../kit/controls.js";
import { words } from "../kit/codes.js";
import { date } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { ListPage, title } from "../kit/list.js";
import { address } from "../kit/menu.js";
import { forgetNames } from "../records/names.js";

const ROLES = ["cashier", "warehouse_staff", "store_manager", "admin"];
/** Returns the roles that this user may give: a manager only lower ones. */
export const rolesFor = (app) => (app.user.role === "admin" ? ROLES : ROLES.slice(0, 2));

class PagePeople extends ListPage {
  constructor() {
    super();
    this.pattern = "/api/users";
  }

  keys() {
    return { N: () => void this.add() };
  }

  async add() {
    const { app } = this;
    const roles = rolesFor(app);
    const made = await app.dialog.ask({
      title: t("New user"),
      yes: t("Add"),
      body: html`${field(
        t("Name"),
        html`<input class="input" id="person-name" name="name" autocomplete="off" data-focus />`,
        "person-name",
      )}${field(
        t("Login name"),
        html`<input class="input" id="person-login" name="username" autocomplete="off" />`,
        "person-login",
      )}
      ${field(
        t("Role"),
        html`<select class="input" id="person-role" name="role">
          ${roles.map((role) => html`<option value=${role}>${t(role)}</option>`)}
        </select>`,
        "person-role",
      )}${field(
        t("First password"),
        html`<input
            class="input"
            id="person-password"
            name="password"
            type="password"
            autocomplete="new-password"
            aria-describedby="person-rule"
          />
          <p class="muted hint" id="person-rule">${t("8 to 128 characters")}</p>`,
        "person-password",
      )}`,
      act: async (given) => {
        try {
          return await app.change("POST", "/api/users", given);
        } catch (error) {
          error.words = words(error);
          const wrong = app.querySelector(`dialog [name="${error.details?.fields?.[0]?.path}"]`);
          wrong?.setAttribute("aria-invalid", "true");
          wrong?.focus();
          throw error;
        }
      },
    });
    if (!made) return;
    app.staff = null;
    forgetNames();
    await this.load();
    app.say("ok", t("User added. {name} can log in now", { name: made.name }));
  }

  place(one) {
    return address(["people", one.id]);
  }

  row(one) {
    return html`<tr class="open" @click=${() => this.app.go("people", one.id)}>
      <td>
        <a href=${this.place(one)}><bdi>${one.name}</bdi></a>
      </td>
      <td>${one.username}</td>
      <td>${t(one.role)}</td>
      <td>${one.disabled ? html`<span class="badge bad">${t("disabled")}</span>` : nothing}</td>
      <td>${date(one.created_at)}</td>
    </tr>`;
  }

  render() {
    return html`${title(
      t("People"),
      this.app.find(),
      html`<button class="btn primary" @click=${() => this.add()}>${icon("plus")}${t("New user")}</button>`,
    )}
    ${this.table(
      [[t("Name")], [t("Login name")], [t("Role")], [t("Status")], [t("Since")]],
      (one) => this.row(one),
      t("No people you can edit"),
    )}`;
  }
}
customElements.define("page-people", PagePeople);
