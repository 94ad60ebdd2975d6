// Base of all apps: session, requests and commands, messages, keys and scans.
import { earlier, newKey, path, Refusal, send, Unreachable } from "./api.js";
import "./dialog.js";
import { setLanguage, t } from "./i18n.js";
import { begin, drop, persist, resumeAll } from "./intents.js";
import "./login.js";
import { Keyboard } from "./keyboard.js";
import { low, Messages } from "./messages.js";
import { listen } from "./scan.js";
import * as session from "./session.js";

const THEME = "theme";
const AGAIN_MS = 2000;
/** Key of the minutes without use after which a till locks. */
export const LOCK_AFTER = "lock.after";
export const LOCK_AFTER_MINUTES = 15;
export class App extends Messages {
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
    // The user whose page is locked.
    this.locked = null;
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

  /** False where there are no scanners: fast text is pasted there. */
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

  /** The paper of a receipt for the browser's printer. Each call counts as a print and is never repeated by itself. */
  receiptPaper(no) {
    const request = { body: {}, register: this.register, accept: "text/plain" };
    return session.ask("POST", path("/api/pos/receipts/:no/prints", { no }), request);
  }

  /** Repeats a read until there is an answer. */
  known(pattern, params) {
    return persist("GET", path(pattern, params), { register: this.register }, (error) => this.doubt(error));
  }

  /** A change without money or goods: repeated with its key until it is answered, but not kept over a reload. */
  change(method, url, body, /** @type {{ key?: string, type?: string }} */ { key = newKey(), type } = {}) {
    return persist(method, url, { body, type, key, register: this.register }, (error) => this.doubt(error));
  }

  /** A command that moves money or goods. Asks a manager for the approval that it may need. */
  async command(intent) {
    // Both attempts have one key: the approved command replaces the refused one.
    const keyed = { key: newKey(), register: this.register, amount: null, by: this.user.name, ...intent };
    const report = (error) => this.doubt(error, keyed);
    try {
      const answer = await begin(this.user.id, keyed, null, report);
      if (earlier.has(answer)) this.reported([{ intent: keyed, done: true, answer }]);
      return answer;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "approval_required") throw error;
      const done = await this.approved(keyed, error, (approval) => begin(this.user.id, keyed, approval, report));
      if (done) return done;
      await drop(keyed.key);
      error.words = t("Not approved. Nothing was changed");
      throw error;
    }
  }

  /**
   * Looks up a command by its document. If it was not done and is not old, a manager is asked again with the same key.
   */
  async again(intent, isOld) {
    const document = /\/(?:void|close)$/.test(intent.url) && (await this.documentOf(intent));
    if (["voided", "closed"].includes(document?.state)) return document;
    if (isOld) return null;
    return this.approved(intent, { details: {} }, (approval) =>
      begin(this.user.id, intent, approval, (error) => this.doubt(error, intent)),
    );
  }

  /** The current document of a command; null if it names none. */
  documentOf({ url, body, register }) {
    const found = /^\/api\/(?:pos\/transactions|pos\/returns|shifts)\/(?!open$)[^/]+/.exec(url);
    const at =
      found?.[0] ?? (body?.transaction_id ? path("/api/pos/transactions/:id", { id: body.transaction_id }) : null);
    return at && persist("GET", at, { register }, (error) => this.doubt(error));
  }

  /** A manager's approval, or null. */
  async approved(...asked) {
    return (await this.part(() => import("./approval.js")))?.approve(this, ...asked) ?? null;
  }

  // ---- session

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
        // Another user may log in, for example at the till.
        this.show("login");
        this.fail(error);
      }
    }
  }

  /** Outcomes of this user's unfinished commands; none if the session ended meanwhile. */
  async resumed(user) {
    try {
      return await resumeAll(user.id, ...this.resuming());
    } catch (error) {
      if (error.status !== 401) throw error;
      this.fail(error);
      return null;
    }
  }

  /**
   * Functions that report an unfinished command and look up its answer.
   * @returns {[report: (intent: any) => void, again: (intent: any, isOld: boolean) => Promise<any>]}
   */
  resuming() {
    return [
      (intent) => this.doubt(intent && new Unreachable(), intent ?? undefined),
      (intent, isOld) => this.again(intent, isOld),
    ];
  }

  /** Ends this user's session, and repeats the log-out until the store answers. */
  logOut() {
    session.logOut((error) => this.leaves(error));
    this.user = null;
    this.locked = null;
    this.dialog?.abandon();
    this.left?.();
    this.say(null);
    return this.show("login");
  }

  // ---- pages and keys

  async show(page, params = {}) {
    this.message = null;
    const mine = {};
    this.asked = mine;
    const ready = this.later?.[page];
    if (ready && !(await this.part(ready))) return;
    // Another page may have been chosen meanwhile.
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

  /** Loads a module when it is needed. If that fails, shows a message and returns null. */
  async part(load) {
    try {
      return (await load()) ?? true;
    } catch {
      await this.stale();
      return null;
    }
  }

  /** Says why a file can't be loaded: another version is served, or nobody answers. */
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

  /** Whether no question is open and nothing is pending. */
  get isFree() {
    return !this.unconfirmed && !this.dialog?.isOpen && !this.current?.firstElementChild?.busy;
  }

  /** Whether a reload loses nothing. */
  isCalm() {
    return this.isFree && !this.typed;
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

  speak(language) {
    setLanguage(language);
    this.requestUpdate();
  }

  theme(name) {
    localStorage.setItem(THEME, name);
    document.documentElement.dataset.theme = name;
    this.requestUpdate();
  }
}
