// An app with a menu beside one page: Store Admin and the portal. Each page has an address after `#`. `g` and a letter
// open a page, `?` shows the keys, Ctrl K searches.
import { html, nothing } from "../vendor/lit.js";
import { App } from "./app.js";
import { icon } from "./controls.js";
import { lang, t } from "./i18n.js";

/** The address of a page with its filters: `address(["stores", "S001"], {q: "a"})`. */
export const address = (parts, query = {}) => {
  const asked = new URLSearchParams(
    Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== ""),
  );
  return `#/${parts.map(encodeURIComponent).join("/")}${asked.size ? `?${asked}` : ""}`;
};

/** The lists as left, with their filters. */
const lists = new Map();
/** The way back to a section's list, with the filters that it had. */
export const backTo = (section) => lists.get(section) ?? address([section]);
/** The documents of the list that was shown last, in its order. */
let walk = [];
export const walkOf = (addresses) => {
  walk = addresses;
};
/**
 * Address of the document before (`-1`) or after (`1`) the shown one in the list; null if there is none, or the list
 * does not have the shown one.
 */
const beside = (step) => (walk.includes(location.hash) ? (walk[walk.indexOf(location.hash) + step] ?? null) : null);
const walks = (step) => (event) => {
  const to = event.target.closest?.("input, select, textarea") ? null : beside(step);
  return to ? void (location.hash = to) : false;
};
/** Keys of a document that a list leads to. */
export const WALK = { "[": walks(-1), "]": walks(1) };
/** Puts other filters into the shown page's address, without an entry in the browser's history. */
export const refilter = (parts, query) => {
  const now = address(parts, query);
  if (parts.length === 1) lists.set(parts[0], now);
  history.replaceState(null, "", now);
};

const parsed = (hash) => {
  const [way, asked] = hash.split("?");
  try {
    return {
      parts: way.split("/").slice(1).map(decodeURIComponent),
      query: Object.fromEntries(new URLSearchParams(asked)),
    };
  } catch {
    return { parts: [], query: {} };
  }
};

export class MenuApp extends App {
  /** Rows of address, icon, name, roles, and whether a group begins with it. */
  sections = [];

  /** Page of a document, by the section of its list. */
  details = {};

  /** Number of open items of a section, by its address. */
  counts = {};

  constructor() {
    super();
    addEventListener("hashchange", () => {
      this.opened = false;
      this.route();
    });
  }

  /** Starts the app for a user, and completes the user's unfinished commands. */
  async begun(user) {
    const results = await this.resumed(user);
    if (!results) return;
    await this.route();
    this.reported(results);
  }

  may(roles) {
    return roles.includes(this.user?.role);
  }

  menu() {
    return this.sections.filter(([, , , roles]) => this.may(roles));
  }

  /** Entries of the menu: one for each section, unless an app groups them. */
  entries() {
    return this.menu().map(([name, image, label, , gap]) => ({
      name,
      image,
      label: label(),
      gap,
      count: this.counts[name],
      here: name === this.section,
    }));
  }

  /** Shows the page of the address, or the first page of the menu. */
  route() {
    if (!this.user) return undefined;
    const {
      parts: [place, ...rest],
      query,
    } = parsed(location.hash);
    if (place && !rest.length) lists.set(place, location.hash);
    const [first] = this.menu();
    const known = this.sections.find(([name]) => name === place);
    if (!first || (known && !this.may(known[3]))) return this.show("nothing");
    const section = known ?? first;
    const [id, part] = known ? rest : [];
    [this.section] = section;
    document.title = `${section[2]()} \u00b7 ${this.brand()}`;
    return this.show((id && this.details[this.section]) || this.section, { id, part, query });
  }

  /** The same address again, for example after a log-in, keeps the page with its unfinished input. */
  show(page, params = {}) {
    // The last request, which may still be running.
    const same = page === this.wanted && JSON.stringify(params) === JSON.stringify(this.given);
    Object.assign(this, { wanted: page, given: same ? this.given : params });
    return super.show(page, this.given);
  }

  /** Opens a page. The promise resolves when it is shown, so that a message shown next stays on it. */
  async go(...parts) {
    const to = new URL(address(parts), location.href).hash;
    if (to === location.hash) return;
    const shown = new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
    location.hash = to;
    await shown;
  }

  /** Passes events to the shown page. */
  async listen() {
    const { Live } = await import("./live.js");
    this.live ??= new Live((name, data) => this.onEvent(name, data));
    this.live.start();
  }

  onEvent(name, data) {
    this.current?.firstElementChild?.onEvent?.(name, data);
  }

  left() {
    this.live?.stop();
    lists.clear();
    walk = [];
    location.hash = "";
    this.opened = false;
  }

  nav() {
    if (!this.user) return nothing;
    const dark = document.documentElement.dataset.theme === "dark";
    const entry = (/** @type {any} */ { name, image, label, gap, count, here, letter }) =>
      html`<li class=${gap ? "gap" : nothing}>
        ${typeof gap === "function" ? html`<span class="group wide" aria-hidden="true">${gap()}</span>` : nothing}
        <a href="#/${name}" aria-current=${here ? "page" : nothing} title=${label}
          >${icon(image)}<span class="wide">${label}</span>${count ? html`<b class="wide">${count}</b>` : nothing}${
            letter ? html`<kbd aria-hidden="true">${letter}</kbd>` : nothing
          }</a
        >
      </li>`;
    return html`<nav class="side" id="side" aria-label=${t("Menu")}>
      <p class="brand">
        <img src=${new URL("./mark.svg", import.meta.url).pathname} alt="" width="20" height="20" /><b class="wide"
          >${this.brand()}</b
        >
      </p>
      <ul>
        ${this.entries().map(entry)}
      </ul>
      <div class="foot">
        <button class="btn quiet" @click=${() => this.speak(lang() === "id" ? "en" : "id")} title=${t("Language")}>
          ${icon("languages")}<span class="wide">${lang() === "id" ? "English" : "Bahasa Indonesia"}</span>
        </button>
        <button
          class="btn quiet"
          @click=${() => this.theme(dark ? "light" : "dark")}
          title=${dark ? t("Light theme") : t("Dark theme")}
        >
          ${icon("moon")}<span class="wide">${dark ? t("Light theme") : t("Dark theme")}</span>
        </button>
        <button class="btn quiet" @click=${() => this.logOut()} title=${t("Log out")}>
          ${icon("log-out")}<span class="wide"><bdi>${this.user.name}</bdi></span>
        </button>
      </div>
    </nav>`;
  }

  /** The bar of a phone, which opens the menu as a sheet. */
  bar() {
    if (!this.user) return nothing;
    return html`<header class="bar">
      <button
        class="btn quiet"
        aria-expanded=${Boolean(this.opened)}
        aria-controls="side"
        @click=${() => {
          this.opened = !this.opened;
          this.requestUpdate();
        }}
      >
        ${icon(this.opened ? "x" : "menu")}<span class="vh">${t("Menu")}</span></button
      ><b>${this.brand()}</b>
    </header>`;
  }

  updated() {
    this.toggleAttribute("opened", Boolean(this.opened));
  }

  render() {
    const skip = this.user
      ? html`<button class="skip btn" @click=${() => this.current.focus()}>${t("Skip to content")}</button>`
      : nothing;
    return html`${skip}${this.nav()}
      <div class="content">
        ${this.bar()}${this.banner()}${this.user ? this.refusedPart() : nothing}
        <main tabindex="-1">
          ${
            this.page === "nothing"
              ? html`<div class="narrow-page"><p class="empty">${t("Your role does not allow this")}</p></div>`
              : this.body()
          }
        </main>
      </div>
      <x-dialog></x-dialog>`;
  }
}

// ---- letter keys

const LETTERS = "letters";
/** How long the letter after `g` is waited for. */
const LETTER_WITHIN_MS = 1500;

/** `places()` of the app returns rows of letter, name and address. */
export const Lettered = (Base) =>
  class extends Base {
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

    /** Letters act outside of fields, unless the user turned them off. */
    onLetter(event) {
      if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("input, select, textarea"))
        return false;
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
      return html`<button class="btn find" @click=${() => this.goTo()}>
        ${icon("search")}<span class="say">${t("Go to\u2026")}</span><kbd class="wide" aria-hidden="true">Ctrl K</kbd>
      </button>`;
    }
  };
