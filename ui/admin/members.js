// Members: all of them, or those found by name, phone or card; a new one.
import { html } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { ask } from "../kit/form.js";
import { number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { ListPage, title } from "../kit/list.js";
import { address } from "../kit/menu.js";

const SEARCH_AFTER_MS = 250;

class PageMembers extends ListPage {
  constructor() {
    super();
    this.text = "";
  }

  connectedCallback() {
    this.text = this.app.params.query?.q ?? "";
    super.connectedCallback();
  }

  /** Whether the text is long enough to search; otherwise all members are listed. */
  get searches() {
    return this.text.trim().length >= 2;
  }

  get pattern() {
    return this.searches ? "/api/members/search" : "/api/members";
  }

  query() {
    return this.searches ? { q: this.text.trim() } : {};
  }

  keys() {
    return { N: (event) => (event.target.matches("input") ? false : void this.add()) };
  }

  async add() {
    const { app } = this;
    const made = await ask(app, {
      title: t("New member"),
      yes: t("Add"),
      list: [
        { name: "name", label: t("Name"), required: true, focus: true },
        { name: "phone", label: t("Phone") },
        { name: "email", label: t("E-mail") },
        { name: "code", label: t("Card") },
        { name: "birth_date", label: t("Date of birth"), kind: "date" },
      ],
      act: (body) => app.command({ url: "/api/members", body, label: "New member" }),
    });
    if (made) app.go("members", made.member_id);
  }

  typed(text) {
    this.text = text;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load(), SEARCH_AFTER_MS);
  }

  scanned(code) {
    this.typed(code);
    this.requestUpdate();
  }

  place(one) {
    return address(["members", one.member_id]);
  }

  row(one) {
    return html`<tr class="open" @click=${() => this.app.go("members", one.member_id)}>
      <td>
        <a href=${this.place(one)}><bdi>${one.name}</bdi></a>
      </td>
      <td>${one.phone}</td>
      <td>${one.code}</td>
      <td><span class="badge ${one.state === "active" ? "ok" : "bad"}">${t(one.state)}</span></td>
      <td class="num">${number(one.points_balance)}</td>
    </tr>`;
  }

  render() {
    return html`${title(
        t("Members"),
        this.app.find(),
        html`<button class="btn primary" @click=${() => this.add()}>${icon("plus")}${t("New member")}</button>`,
      )}
      <div class="rowx tools">
        <label class="vh" for="search">${t("Phone, name or card")}</label>
        <div class="searching">
          ${icon("search")}<input
            class="input"
            id="search"
            data-focus
            data-keys
            autocomplete="off"
            placeholder=${t("Phone, name or card")}
            .value=${this.text}
            @input=${(event) => this.typed(event.target.value)}
          />
        </div>
      </div>
      ${this.table(
        [[t("Name")], [t("Phone")], [t("Card")], [t("Status")], [t("points"), "num"]],
        (one) => this.row(one),
        this.searches ? t("No member found") : t("No members yet"),
      )}`;
  }
}
customElements.define("page-members", PageMembers);
