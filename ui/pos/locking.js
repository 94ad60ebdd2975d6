// Locks a till: its page is hidden and does nothing, its session ends, and requests wait until the user logs in.
import { html } from "../vendor/lit.js";
import { t } from "../kit/i18n.js";
import * as session from "../kit/session.js";

/** Key of the user whose till is locked, which is kept over a reload. */
const LOCKED = "locked";
const lockedPerson = () => JSON.parse(localStorage.getItem(LOCKED) ?? "null");

export const Locking = (Base) =>
  class extends Base {
    connectedCallback() {
      super.connectedCallback();
      // Tabs of one till are locked together, also one that the browser restores.
      const look = () => this.lockedElsewhere();
      addEventListener("storage", ({ key }) => key === LOCKED && look());
      addEventListener("pageshow", look);
    }

    async start() {
      const person = lockedPerson();
      if (!person) return super.start();
      if (session.isLeaving()) session.leave((error) => this.leaves(error));
      return this.lockFor(person);
    }

    lock() {
      if (!this.user || this.locked) return undefined;
      const { id, name } = this.user;
      localStorage.setItem(LOCKED, JSON.stringify({ id, name }));
      session.putAway((error) => this.leaves(error));
      return this.lockFor({ id, name });
    }

    /** Shows names in place of the log-in fields, if a user of `ui/pins/known.js` has a PIN or the cashier changes. */
    async choosing() {
      const named = this.changing || localStorage.getItem("till.people")?.includes('"has_pin":true');
      this.people = named && (await this.part(() => import("../pins/people.js")));
      this.requestUpdate();
      await this.updateComplete;
      this.focusPage();
    }

    /** A till that can't show its lock logs out. */
    async lockFor(person) {
      session.hold();
      this.locked = person;
      this.keyboard.letter(false);
      this.live?.stop();
      document.title = t("Locked");
      // A question that waits for an answer is shown again afterwards. Others are closed.
      if (this.dialog?.isOpen) this.dialog.close(null);
      if (!(await this.part(this.later.lock))) await this.logOut();
      else await this.choosing();
    }

    lockedElsewhere() {
      const person = lockedPerson();
      if (person && this.user && !this.locked) this.lockFor(person);
      else if (!person && this.locked) location.reload();
    }

    /**
     * The user has logged in: the page continues, unless its shift ended meanwhile. A page that was loaded locked
     * starts.
     */
    async unlocked(user) {
      this.isUnlocked();
      this.touched = Date.now();
      const goesOn = this.user && this.settings;
      if (this.page === "pay" && !this.basket.sale) this.page = "sell";
      Object.assign(this, { locked: null, user, message: null });
      await this.updateComplete;
      try {
        await (goesOn ? this.resumes() : this.entered(user));
      } catch (error) {
        this.fail(error);
      }
      this.focusPage();
    }

    async resumes() {
      document.title = `${t("Sell")} \u00b7 ${this.registerName}`;
      this.listen();
      const { shift_id: id } = await this.get("/api/pos/settings");
      if ((id ?? null) !== (this.shift?.shift_id ?? null)) await this.load();
    }

    isUnlocked() {
      this.changing = false;
      localStorage.removeItem(LOCKED);
    }

    lockedPart() {
      return this.people
        ? html`<page-people .app=${this}></page-people>`
        : html`<page-locked .app=${this}></page-locked>`;
    }
  };
