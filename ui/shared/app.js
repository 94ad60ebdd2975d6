// Base of all apps: session, requests and commands, messages, keys and scans.
import { html, LitElement, nothing } from "../vendor/lit.js";
import { earlier, newKey, path, Refusal, send, Unreachable } from "./api.js";
import { words } from "./codes.js";
import { icon, refusedLines, retry } from "./controls.js";
import "./dialog.js";
import { money, shortReceipt, time } from "./format.js";
import { setLanguage, t } from "./i18n.js";
import { begin, drop, persist, resumeAll } from "./intents.js";
import "./login.js";
import { Keyboard } from "./keyboard.js";
import { listen, low, named, RefusedScans, sentence } from "./scan.js";
import * as session from "./session.js";

const THEME = "theme";
const AGAIN_MS = 2000;
/** Storage key of this device's setting, and the default: minutes without input after which the till locks. */
export const LOCK_AFTER = "lock.after";
export const LOCK_AFTER_MINUTES = 15;
/** Width of a paper roll and height of a line in mm, by characters in a line. */
const ROLLS = { 32: [58, 3.36], 42: [80, 3.53] };
const MARGIN_MM = 3;
const roll = new CSSStyleSheet();

export class App extends LitElement {
  static properties = {
    page: { state: true },
    user: { state: true },
    locked: { state: true },
    leaving: { state: true },
  };

  constructor() {
    super();
    this.page = null;
    this.user = null;
    this.settings = null;
    this.unconfirmed = null;
    this.said = null;
    // The user whose page is locked, and whether the store has not confirmed the end of a session yet.
    this.locked = null;
    this.leaving = false;
    this.refusedScans = new RefusedScans(() => this.requestUpdate());
    document.documentElement.dataset.theme = localStorage.getItem(THEME) ?? "";
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.keyboard = new Keyboard(this);
    const shown = () => this.current?.firstElementChild;
    const waits = () => (shown()?.scanned && !this.dialog?.isOpen ? shown() : null);
    if (this.takesScans)
      listen(
        (code) => this.onScan(code),
        () => shown()?.keeps,
        waits,
      );
    this.addEventListener("closed", () => this.focusPage());
    this.addEventListener("input", () => {
      this.typed = true;
      if (this.newer) this.requestUpdate();
    });
    addEventListener("newer", ({ detail }) => {
      if (this.newer === detail) return;
      this.newer = detail;
      this.requestUpdate();
    });
    setInterval(() => this.requestUpdate(), 10_000);
    this.start();
  }

  /** The portal overrides this: it has no scanner, and fast input there was pasted. */
  get takesScans() {
    return true;
  }

  get dialog() {
    return this.querySelector("x-dialog");
  }

  get current() {
    return this.querySelector("main");
  }

  /** Name of a till. */
  till(id) {
    return this.settings?.registers?.find(({ register_id: one }) => one === id)?.name ?? id;
  }

  // ---- requests

  get(pattern, params, query, accept) {
    return session.ask("GET", path(pattern, params, query), { register: this.register, accept });
  }

  /** Reads something that the page can't work without; repeats the request until it is answered. */
  known(pattern, params) {
    return persist("GET", path(pattern, params), { register: this.register }, (error) => this.doubt(error));
  }

  /** A change without money or goods: repeated with its key until it is answered, but not kept over a reload. */
  change(method, url, body, { key = newKey(), type } = {}) {
    return persist(method, url, { body, type, key, register: this.register }, (error) => this.doubt(error));
  }

  /** A command that moves money or goods. If it needs a manager's approval, asks for it. */
  async command(intent) {
    // Both attempts have the same key, so that the approved one replaces the refused one in storage.
    const keyed = { key: newKey(), register: this.register, amount: null, by: this.user.name, ...intent };
    const onDoubt = (error) => this.doubt(error, keyed);
    try {
      const answer = await begin(this.user.id, keyed, null, onDoubt);
      if (earlier.has(answer)) this.reported([{ intent: keyed, done: true, answer }]);
      return answer;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "approval_required") throw error;
      const done = await this.approved(keyed, error, (approval) => begin(this.user.id, keyed, approval, onDoubt));
      if (done) return done;
      await drop(keyed.key);
      error.words = t("Not approved. Nothing was changed");
      throw error;
    }
  }

  /**
   * Resumes a command whose outcome is only visible in its document. If the document does not show it and the command
   * is not old, asks a manager to approve it again and repeats it with the same key.
   */
  async again(intent, isOld) {
    const document = /\/(?:void|close)$/.test(intent.url) && (await this.documentOf(intent));
    if (["voided", "closed"].includes(document?.state)) return document;
    if (isOld) return null;
    return this.approved(intent, { details: {} }, (approval) =>
      begin(this.user.id, intent, approval, (error) => this.doubt(error, intent)),
    );
  }

  /** The current document of a command, or null if the command names none. */
  documentOf({ url, body, register }) {
    const found = /^\/api\/(?:pos\/transactions|pos\/returns|shifts)\/(?!open$)[^/]+/.exec(url);
    const at =
      found?.[0] ?? (body?.transaction_id ? path("/api/pos/transactions/:id", { id: body.transaction_id }) : null);
    return at && persist("GET", at, { register }, (error) => this.doubt(error));
  }

  /** Asks a manager to approve a command and runs it. Null if nobody approves. */
  async approved(...asked) {
    return (await this.part(() => import("./approval.js")))?.approve(this, ...asked) ?? null;
  }

  /** Shows that a command or request is not confirmed yet; without an error, that it is. */
  doubt(error, intent) {
    this.unconfirmed = error
      ? { since: this.unconfirmed?.since ?? Date.now(), label: intent?.label, amount: intent?.amount ?? null }
      : null;
    this.requestUpdate();
  }

  /** Shows a message until the next one. */
  say(kind, text, action) {
    this.said = text ? { kind, text, action } : null;
    this.requestUpdate();
  }

  /** Shows an error. `again` repeats a request that only reads. */
  fail(error, again) {
    if (error instanceof Refusal && error.status === 401) {
      // A locked page has no session; unlocking logs in.
      if (this.locked) return;
      this.user = null;
      this.show("login");
    }
    // An automatic repetition failed again: no second signal.
    const shown = again && this.said?.again === again ? this.said : null;
    if (!shown) low();
    if (shown?.error.code !== error.code || !shown) this.say("bad", error.words ?? words(error, Boolean(again)));
    Object.assign(this.said, { error, again });
    this.requestUpdate();
  }

  // ---- login and logout

  async start() {
    if (session.isLeaving()) session.leave((error) => this.leaves(error));
    try {
      const user = await session.resume();
      if (user) await this.entered(user);
      else this.show("login");
    } catch (error) {
      if (error instanceof Unreachable || error.status === 503) {
        this.doubt(error);
        setTimeout(() => this.start(), AGAIN_MS);
      } else {
        // For example the user's role is not allowed in this app. Another user may log in.
        this.show("login");
        this.fail(error);
      }
    }
  }

  /**
   * Resumes the user's unfinished commands and returns the results. Null if the session has ended: the user logs in
   * again.
   */
  async resumed(user) {
    try {
      return await resumeAll(user.id, ...this.resuming());
    } catch (error) {
      if (error.status !== 401) throw error;
      this.fail(error);
      return null;
    }
  }

  /** Callbacks for `resumeAll`: one shows that a command is unconfirmed, the other looks up its outcome. */
  resuming() {
    return [
      (intent) => this.doubt(intent && new Unreachable(), intent ?? undefined),
      (intent, isOld) => this.again(intent, isOld),
    ];
  }

  reported(results) {
    const texts = results
      .filter(({ intent }) => !intent.quiet)
      .map(({ intent, other, done, error, answer }) => {
        const what = intent.amount === null ? t(intent.label) : `${t(intent.label)} ${money(intent.amount)}`;
        if (other)
          return t("{what} by {name} is not confirmed. It is checked when they log in again", {
            what,
            name: intent.by ?? "?",
          });
        if (done === null) return t("{what}: unknown. Check before you repeat it", { what });
        if (!done) return t("{what}: failed. {why}", { what, why: words(error) });
        const receipt = answer?.receipt_no
          ? t("receipt {no}", { no: shortReceipt(answer.receipt_no) })
          : time(Date.now());
        return earlier.has(answer)
          ? t("{what}: already done, {receipt}", { what, receipt })
          : t("{what}: done, {receipt}", { what, receipt });
      });
    // Equal texts, for example of several counts of goods, are shown once.
    if (texts.length) this.say(results.every(({ done }) => done) ? "ok" : "warn", [...new Set(texts)].join(" \u00b7 "));
  }

  /**
   * Logs out. The page forgets the user at once; the request to end the session is repeated until the store answers.
   */
  logOut() {
    session.logOut((error) => this.leaves(error));
    this.user = null;
    this.locked = null;
    this.dialog?.abandon();
    this.left?.();
    this.say(null);
    return this.show("login");
  }

  /** Records whether the store has yet to confirm the end of a session. */
  leaves(error) {
    this.leaving = Boolean(error);
  }

  leavingText() {
    return t(
      "Not logged out yet: no connection to the store server. This page keeps trying; stay at this device until it succeeds",
    );
  }

  // ---- pages and keys

  async show(page, params = {}) {
    this.said = null;
    const mine = {};
    this.asked = mine;
    const ready = this.later?.[page];
    if (ready && !(await this.part(ready))) return;
    // Another page may have been requested meanwhile and its files loaded sooner.
    if (this.asked !== mine) return;
    this.typed = false;
    this.params = params;
    this.page = page;
    await this.updateComplete;
    this.focusPage();
  }

  async focusPage() {
    const page = this.current?.firstElementChild;
    await page?.updateComplete;
    page?.querySelector("[data-focus]")?.focus();
  }

  /**
   * Loads a module on demand. Returns its exports, or null if it can't be loaded; a message says so.
   */
  async part(load) {
    try {
      return (await load()) ?? true;
    } catch {
      await this.stale();
      return null;
    }
  }

  /** A module can't be loaded: either another version of the pages is served, or the server does not answer. */
  async stale() {
    low();
    const there = await send("GET", "/health", {}).then(
      () => true,
      (error) => error instanceof Refusal,
    );
    const reload = { label: t("Reload"), act: () => location.reload() };
    this.say(
      "bad",
      there
        ? t("A new version was installed. Reload the page; nothing is lost")
        : t("No connection to the store server"),
      reload,
    );
  }

  /** Whether no dialog is open and no request is under way. */
  get isFree() {
    return !this.unconfirmed && !this.dialog?.isOpen && !this.current?.firstElementChild?.busy;
  }

  /** Whether reloading the page would lose nothing. */
  isCalm() {
    return this.isFree && !this.typed;
  }

  /**
   * Offers a reload when another version of the pages is served, while it would lose no input.
   */
  renewal() {
    if (!this.newer || !this.isCalm()) return html`<div id="banner" class="banner none" role="status"></div>`;
    return html`<div class="banner" id="banner" role="status">
      ${icon("refresh-cw")}<span>${t("New version available")}</span
      ><button class="btn" id="renew" @click=${() => location.reload()}>${t("Reload")}</button>
    </div>`;
  }

  onKey(event) {
    if (!this.locked) this.keyboard.onKey(event);
  }

  onScan(code) {
    this.keyboard.letter(false);
    if (this.locked) return;
    const page = this.current?.firstElementChild;
    if (this.dialog?.isOpen || !page?.scanned || page.loaded === false) this.notTaken(code);
    else page.scanned(code);
  }

  notTaken(code) {
    this.refuse(code, t("Scan of {code} ignored. Close this window first", { code: named(code) }), {
      kind: "warn",
      long: true,
    });
  }

  /** Shows that a code was refused. A scanned one stays on the page until it is dismissed. */
  refuse(code, why, { kind = "bad", long = false, scanned = true } = {}) {
    low(long);
    this.say(kind, sentence(why));
    if (scanned) this.refusedScans.add(code, sentence(why));
  }

  /** The list of refused scans, each with a button to dismiss it. */
  refusedPart() {
    return refusedLines(this.refusedScans.list, (one) => {
      this.refusedScans.dismiss(one);
      this.focusPage();
    });
  }

  /** Shows that looking up a code failed. */
  scanFailed(error, code) {
    this.fail(error);
    this.refusedScans.add(code, error.words ?? words(error));
  }

  unknownCode(code, scanned) {
    this.refuse(code, t("{code}: unknown barcode", { code: named(code) }), { scanned });
  }

  /** Prints a text through the browser. `sheet` is the CSS of the paper if it is not a roll. */
  print(text, sheet) {
    const paper = document.getElementById("paper");
    const columns = this.settings?.printing?.characters ?? 42;
    const [width, line] = ROLLS[columns] ?? ROLLS[42];
    paper.textContent = text;
    paper.dataset.columns = columns;
    // The page is as long as the text, since a roll is cut at its end.
    const length = Math.ceil(text.split("\n").length * line) + 3 * MARGIN_MM;
    roll.replaceSync(sheet ?? `@page { size:${width}mm ${length}mm; margin:${MARGIN_MM}mm 4mm }`);
    document.adoptedStyleSheets = [roll];
    addEventListener(
      "afterprint",
      () => {
        paper.textContent = "";
        document.adoptedStyleSheets = [];
      },
      { once: true },
    );
    print();
    this.focusPage();
  }

  speak(language) {
    setLanguage(language);
    this.requestUpdate();
  }

  theme(name) {
    localStorage.setItem(THEME, name);
    document.documentElement.dataset.theme = name;
    this.requestUpdate();
  }

  saidAct({ act }) {
    this.say(null);
    act();
    this.focusPage();
  }

  banner() {
    const { unconfirmed, said } = this;
    if (unconfirmed) {
      const what = unconfirmed.label
        ? `${t(unconfirmed.label)}${unconfirmed.amount === null ? "" : ` ${money(unconfirmed.amount)}`}`
        : null;
      return html`<div class="banner warn" id="banner" role="status">
        ${icon("refresh-cw")}<span
          >${
            what
              ? t("{what}: not confirmed yet. Checking; don't repeat it", { what })
              : t("No connection to the store server since {time}. Completed payments are safe. Retrying\u2026", {
                  time: time(unconfirmed.since),
                })
          }</span
        >
      </div>`;
    }
    if (!said && this.leaving)
      return html`<div class="banner bad" id="banner" role="alert">
        ${icon("triangle-alert")}<span>${this.leavingText()}</span>
      </div>`;
    if (!said) return this.renewal();
    return html`<div
      class="banner ${said.kind}"
      id="banner"
      role=${said.kind === "bad" && !said.again ? "alert" : "status"}
    >
      ${icon(said.kind === "ok" ? "circle-check" : "triangle-alert")}<span>${said.text}${
        said.again ? html` ${retry(said.error, said.again)}` : nothing
      }</span>${
        said.action
          ? html`<button class="btn" id="banner-act" @click=${() => this.saidAct(said.action)}>
              ${said.action.label}
            </button>`
          : nothing
      }
      <button
        class="ib"
        aria-label=${t("Close")}
        @click=${() => {
          this.say(null);
          this.focusPage();
        }}
      >
        ${icon("x")}
      </button>
    </div>`;
  }
}
