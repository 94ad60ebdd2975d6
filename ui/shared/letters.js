// Letter keys of an app with a menu: `g` and a letter go to a page, `?` tells the keys, Ctrl K finds.
import { html } from "../vendor/lit.js";
import { icon } from "./controls.js";
import { t } from "./i18n.js";

const LETTERS = "letters";
/** How long the letter after `g` is waited for. */
const LETTER_WITHIN_MS = 1500;

/** The app says in `places()` which letter goes where: rows of letter, name and address. */
export const Lettered = (Base) => class extends Base {
  constructor() {
    super();
    this.letters = localStorage.getItem(LETTERS) !== "off";
  }

  onKey(event) {
    if (event.ctrlKey && event.key.toLowerCase() === "k" && this.user && !this.dialog?.isOpen) {
      event.preventDefault();
      this.goTo();
      return;
    }
    if (this.letters && this.user && !this.dialog?.isOpen && this.onLetter(event)) {
      event.preventDefault();
      return;
    }
    if (event.key === "Escape" && this.opened) {
      this.opened = false;
      this.requestUpdate();
      return;
    }
    super.onKey(event);
  }

  /** Outside of fields, and unless somebody turned them off. */
  onLetter(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("input, select, textarea")) return false;
    const wait = (waits) => {
      clearTimeout(this.letterTimer);
      this.waits = waits;
      if (waits) this.letterTimer = setTimeout(() => wait(false), LETTER_WITHIN_MS);
      this.requestUpdate();
    };
    if (this.waits) {
      wait(false);
      const found = this.places().find(([letter]) => letter === event.key.toLowerCase());
      if (found) this.go(found[2]);
      return Boolean(found);
    }
    if (event.key === "g") wait(true);
    else if (event.key === "?") import("./keys.js").then(({ keys }) => keys(this));
    return event.key === "g" || event.key === "?";
  }

  setLetters(on) {
    this.letters = on;
    localStorage.setItem(LETTERS, on ? "on" : "off");
  }

  async goTo() {
    const { palette } = await import("./palette.js");
    await palette(this);
  }

  find() {
    return html`<button class="btn find" @click=${() => this.goTo()}>${icon("search")}<span class="say">${t("Go to\u2026")}</span><kbd class="wide" aria-hidden="true">Ctrl K</kbd></button>`;
  }
};
