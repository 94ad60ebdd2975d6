// Base of every page: an element that is redrawn with its app.
import { html, LitElement } from "../vendor/lit.js";
import { failed, loading } from "./controls.js";

/** Characters of one line on half of a phone; a longer text gets a row for itself. */
const HALF_A_ROW = 18;

/** Makes a table that is too wide and has no buttons reachable by Tab, so that the arrows scroll it. */
const reachable = (part) => {
  const alone =
    part.scrollWidth > part.clientWidth &&
    ![...part.querySelectorAll("a[href],:enabled")].some((one) => one.checkVisibility());
  const around = part.closest(".part") ?? part.closest("main");
  const attributes = alone
    ? { tabindex: 0, role: "region", "aria-label": around.querySelector("h1,h2")?.textContent.trim() }
    : { tabindex: null, role: null, "aria-label": null };
  for (const [name, value] of Object.entries(attributes))
    if (value === null) part.removeAttribute(name);
    else part.setAttribute(name, value);
};
const allReachable = () => document.querySelectorAll("main .scroll").forEach(reachable);
addEventListener("resize", allReachable);
/** Scrolls the tabs of a phone so that the page's own is in the middle. */
const tabInSight = () => {
  const tab = document.querySelector(".tabs [aria-current]");
  if (tab)
    tab.parentElement.scrollLeft =
      tab.offsetLeft - tab.parentElement.offsetLeft - (tab.parentElement.clientWidth - tab.clientWidth) / 2;
};
addEventListener("resize", tabInSight);

/** Delay of a reload after an event, so that a busy store causes one request and not one for each sale. */
const SOON_MS = 2000;
/** Interval of polls without events. */
const AGAIN_MS = 30_000;

export class Page extends LitElement {
  static properties = { app: { attribute: false, hasChanged: () => true }, busy: { state: true } };

  createRenderRoot() {
    return this;
  }

  /**
   * Polls for changes: always on a page that is `timed`, and on others while no `live` events arrive.
   */
  connectedCallback() {
    super.connectedCallback();
    const mayMiss = () => this.timed || (this.live && !this.app.live?.receives);
    this.clock = setInterval(() => !document.hidden && mayMiss() && this.renew(), AGAIN_MS);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.clock);
  }

  renew() {
    this.load();
  }

  /**
   * Assigns the result of `act` to the page. An error takes its place, or is a message if content is `shown` already,
   * until a read by `again` succeeds. A page that was left shows no message.
   */
  async readBy(act, shown = () => false, again = () => this.load()) {
    const mine = {};
    this.reading = mine;
    this.rereads = again;
    this.reload ??= () => (this.isConnected ? this.rereads() : this.readWell());
    try {
      const found = await act();
      // A later request is newer, even if its answer came first.
      if (mine !== this.reading) return;
      Object.assign(this, found, { error: null });
      this.readWell();
    } catch (error) {
      if (mine !== this.reading) return;
      this.error = error;
      if (shown() || error.status === 401) this.app.fail(error, this.reload);
    }
    this.requestUpdate();
  }

  /** Removes the message of a failed read. */
  readWell() {
    if (this.app.message?.again === this.reload) this.app.say(null);
  }

  /** Shown until the content is there. */
  awaited(again = () => this.load()) {
    return this.error ? failed(this.error, again) : loading();
  }

  /** On a phone a table becomes a list of items, in which each figure has the head of its column. */
  updated() {
    const tab = this.querySelector(".tabs [aria-current]");
    if (tab !== this.tab) tabInSight();
    this.tab = tab;
    for (const table of this.querySelectorAll("table.fold")) {
      // A column's description for screen readers is in no cell.
      const heads = [...table.querySelectorAll("thead :is(th, td)")].map((head) =>
        head.querySelector(".vh") ? "" : head.textContent.trim(),
      );
      for (const row of [...table.tBodies[0].rows, ...(table.tFoot?.rows ?? [])])
        [...row.cells].forEach((cell, index) => {
          const text = cell.textContent.replace(/\s+/g, " ").trim();
          cell.dataset.label = heads[index] ?? "";
          cell.toggleAttribute("data-long", text.length > HALF_A_ROW);
          // A template may leave white space in a cell without a value, which `:empty` doesn't match.
          cell.toggleAttribute("data-empty", !text && !cell.querySelector(":not(div)"));
        });
    }
    allReachable();
  }

  /** Reloads soon; several requests are merged. */
  soon() {
    this.renewing ??= setTimeout(() => {
      this.renewing = null;
      if (this.isConnected) this.load();
    }, SOON_MS);
  }

  /** Runs one command at a time, and shows an error. */
  async once(act) {
    if (this.busy) return undefined;
    this.busy = true;
    this.app.say(null);
    try {
      return await act();
    } catch (error) {
      this.app.fail(error);
      return undefined;
    } finally {
      this.busy = false;
    }
  }
}

export const title = (text, ...right) =>
  html`<header class="title">
    <h1>${text}</h1>
    <div class="rowx end">${right}</div>
  </header>`;
