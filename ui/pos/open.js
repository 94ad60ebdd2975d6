// Which till this device is, and what lies in its drawer.
import { html, nothing } from "../vendor/lit.js";
import { field, icon, moneyInput } from "../shared/controls.js";
import { t } from "../shared/i18n.js";
import { Page } from "../shared/page.js";

class PageOpen extends Page {
  constructor() {
    super();
    this.float = null;
  }

  keys() {
    return { F9: () => this.open() };
  }

  open() {
    const register = this.querySelector("#register").value.trim();
    return this.once(async () => {
      this.app.setRegister(register);
      const body = { register_id: register, opening_float: this.float ?? 0 };
      await this.app.command({ url: "/api/shifts/open", body, label: "Open shift", amount: this.float ?? 0 });
      await this.app.load();
    });
  }

  chooser() {
    const { registers } = this.app.settings;
    const chosen = this.app.register ?? this.app.settings.register?.register_id ?? "";
    if (!registers.length) {
      return html`<input class="input" id="register" maxlength="32" pattern="[A-Za-z0-9_\\-]+" required .value=${chosen}>`;
    }
    return html`<select class="input" id="register">${registers.map(({ register_id: id, name }) => html`<option value=${id} ?selected=${id === chosen}>${name}</option>`)}</select>`;
  }

  render() {
    const { app } = this;
    if (!app.settings) return nothing;
    return html`<div class="narrow-page"><form class="panel card stack" @submit=${(event) => {
      event.preventDefault();
      this.open();
    }}><div><h1>${t("Open shift")}</h1><p class="muted">${t("Count what lies in the drawer before the first sale")}</p></div>
      ${field(t("Till"), this.chooser(), "register")}
      ${field(t("Opening float"), moneyInput({ id: "float", value: this.float, large: true, focus: true, onValue: (value) => { this.float = value; } }), "float")}
      <button class="btn primary big" ?disabled=${this.busy}>${icon("check")}${t("Open shift")}<kbd class="wide" aria-hidden="true">F9</kbd></button></form></div>`;
  }
}
customElements.define("page-open", PageOpen);
