// Members: found by name, phone or card.
import { html } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { ListPage, title } from "../kit/list.js";
import { address } from "../kit/menu.js";

const SEARCH_AFTER_MS = 250;

class PageMembers extends ListPage {
  constructor() {
    super();
    this.pattern = "/api/members/search";
    this.text = "";
  }

  connectedCallback() {
    this.text = this.app.params.query?.q ?? "";
    super.connectedCallback();
  }

  query() {
    return { q: this.text.trim() };
  }

  async load(more) {
    if (this.text.trim().length < 2) {
      this.items = [];
      this.requestUpdate();
      return;
    }
    await super.load(more);
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
    return html`${title(t("Members"), this.app.find())}
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
        this.text.trim().length < 2
          ? t("Enter at least two letters of a name, or a phone number")
          : t("No member found"),
      )}`;
  }
}
customElements.define("page-members", PageMembers);
