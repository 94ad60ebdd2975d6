// Name of this till, and its drawer's contents.
import { html, nothing } from "../vendor/lit.js";
import { field, icon, moneyInput } from "../kit/controls.js";
import { time } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { Page } from "../kit/page.js";

const taken = (till, { cashier_name: name, opened_at: at }) =>
  t("{till}: {name} since {time}", { till, name, time: time(at) });

class PageOpen extends Page {
  constructor() {
    super();
    this.float = null;
    this.last = null;
    this.pieces = new Map();
    this.drawer = null;
  }

  connectedCallback() {
    super.connectedCallback();
    this.load();
  }

  /** Loads the till's last shift, whose Z report may be needed. */
  async load() {
    await Promise.resolve();
    if (!this.app.register) return;
    const { items } = await this.app
      .get("/api/shifts", {}, { register_id: this.app.register, state: "closed", limit: 1 })
      .catch(() => ({ items: [] }));
    [this.last = null] = items;
    this.requestUpdate();
  }

  /** The float by a count of notes and coins. */
  async byNotes() {
    this.drawer = await this.app.part(() => import("./drawer.js"));
    this.requestUpdate();
    await this.updateComplete;
    this.querySelector(".tight input")?.focus();
  }

  /** Enter moves to the next note, and from the last one to the float, so that no half count is sent. */
  nextNote(event) {
    if (event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    const fields = [...this.querySelectorAll(".tight input")];
    (fields[fields.indexOf(event.target) + 1] ?? this.querySelector("#float")).focus();
  }

  notes() {
    const { drawer, app } = this;
    if (!drawer)
      return html`<button type="button" class="btn big" id="by-notes" @click=${() => this.byNotes()}>
        ${icon("banknote")}${t("Count notes and coins")}
      </button>`;
    return html`<div class="scroll" @keydown=${(event) => this.nextNote(event)}>
      ${drawer.notesTable(
        app.settings.payments.denominations,
        this.pieces,
        () => {
          this.float = drawer.isCounted(this.pieces) ? drawer.worth(this.pieces) : null;
          this.requestUpdate();
        },
        false,
      )}
    </div>`;
  }

  keys() {
    return { F9: () => this.open() };
  }

  open() {
    const register = this.querySelector("#register").value.trim();
    if (this.float === null) {
      this.app.say("warn", t("Enter the cash in the drawer; 0 if it is empty"));
      this.app.focusPage();
      return undefined;
    }
    return this.once(async () => {
      this.app.setRegister(register);
      const note = this.querySelector("#opening-note").value.trim();
      const body = { register_id: register, opening_float: this.float, ...(note ? { note } : {}) };
      try {
        await this.app.command({ url: "/api/shifts/open", body, label: "Open shift", amount: this.float });
      } catch (error) {
        if (error.code === "shift_already_open") error.words = await this.whoHas(register);
        throw error;
      }
      await this.app.load();
    });
  }

  /** Name of the user who opened a shift at this till; none if this user has a shift at another till. */
  async whoHas(id) {
    this.app.settings = await this.app.get("/api/pos/settings");
    this.requestUpdate();
    const { name, open_shift: shift } = this.app.settings.registers.find((one) => one.register_id === id) ?? {};
    return shift ? taken(name, shift) : t("You have an open shift at another till");
  }

  /** Tills of the store, and a new one if the device has its name, or no other is free. */
  get tills() {
    const { registers, register } = this.app.settings;
    const isNew = register && !registers.some(({ register_id: id }) => id === register.register_id);
    const isWanted = this.app.register || registers.every(({ open_shift: shift }) => shift);
    return registers.length && isNew && isWanted ? [...registers, register] : registers;
  }

  /** The till used before if it is free, else the first free one. */
  get chosen() {
    const own = this.app.register ?? this.app.settings.register?.register_id ?? "";
    const isFree = this.tills.some(({ register_id: id, open_shift: shift }) => id === own && !shift);
    const free = this.tills.find(({ open_shift: shift }) => !shift);
    return isFree || !free ? own : free.register_id;
  }

  chooser() {
    const { chosen, tills } = this;
    if (!tills.length) {
      return html`<input
        class="input"
        id="register"
        maxlength="32"
        pattern="[A-Za-z0-9_\\-]+"
        required
        .value=${chosen}
      />`;
    }
    return html`<select class="input" id="register">
      ${tills.map(
        ({ register_id: id, name, open_shift: shift }) =>
          html`<option value=${id} ?selected=${id === chosen}>${shift ? taken(name, shift) : name}</option>`,
      )}
    </select>`;
  }

  render() {
    const { app } = this;
    if (!app.settings) return nothing;
    return html`<div class="narrow-page">
      <form
        class="panel card stack"
        @submit=${(event) => {
          event.preventDefault();
          this.open();
        }}
      >
        <div>
          <h1>${t("Open shift")}</h1>
          <p class="muted">${t("Count the cash in the drawer")}</p>
        </div>
        ${field(t("Till"), this.chooser(), "register")}
        ${field(
          t("Opening float"),
          moneyInput({
            id: "float",
            value: this.float,
            large: true,
            focus: true,
            onValue: (value) => {
              this.float = value;
            },
          }),
          "float",
        )}
        ${this.notes()}
        ${field(
          t("Note"),
          html`<input class="input" id="opening-note" maxlength="200" autocomplete="off" />`,
          "opening-note",
        )}
        <button class="btn primary big" ?disabled=${this.busy}>
          ${icon("check")}${t("Open shift")}<kbd class="wide" aria-hidden="true">F9</kbd>
        </button>
        ${
          this.last
            ? html`<button type="button" class="btn big" id="last-z" @click=${() => app.report(this.last.shift_id)}>
                ${icon("printer")}${t("Print Z {no} again", { no: this.last.z_no })}
              </button>`
            : nothing
        }
      </form>
    </div>`;
  }
}
customElements.define("page-open", PageOpen);
