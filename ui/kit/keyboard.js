// Keys of a page: one press is one action; a scanner's keys are none.
import { isRapid, letterWait } from "./scan.js";

/** Keys that repeat while held; no other key acts twice. */
const REPEATED = /^(Arrow|Page|Tab)|^[+-]$/;
/** Keys that also act inside a field. */
const ACTS = /^(Enter|F\d+)$/;
const isLetter = (event) => event.key.length === 1 && !event.ctrlKey && !event.altKey && !event.metaKey;
/** Elements that Enter and Space press. */
const PRESSED = "button, a[href], summary, [type=checkbox], [type=radio]";

export class Keyboard {
  constructor(app) {
    this.app = app;
    document.addEventListener("keydown", (event) => this.onHeld(event), { capture: true });
    document.addEventListener("keydown", (event) => app.onKey(event));
  }

  get page() {
    return this.app.current?.firstElementChild;
  }

  /** A held key acts once: it closes no shift and pays nothing. */
  onHeld(event) {
    if (!event.repeat || REPEATED.test(event.key)) return;
    const field = event.target.closest?.("input, textarea");
    if (field && !ACTS.test(event.key) && !(event.ctrlKey && event.key === "p")) return;
    if (field?.matches("textarea") && event.key === "Enter") return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  onKey(event) {
    const { key, timeStamp: time } = event;
    const letter = isLetter(event);
    const rapid = letter && isRapid(time, this.lastLetter);
    if (letter) this.lastLetter = time;
    this.letter(!rapid);
    if (this.app.reprint && event.ctrlKey && key.toLowerCase() === "p") this.printKey(event);
    if (this.app.dialog?.isOpen || event.defaultPrevented) return;
    const { page } = this;
    const inField = event.target.closest?.("input, textarea, select");
    if ((key === "Enter" || key === " ") && event.target.closest?.(PRESSED)) return;
    const keys = { ...this.app.anywhere?.(), ...page?.keys?.() };
    const name = `${event.ctrlKey ? "Ctrl+" : ""}${event.shiftKey && key.length > 1 ? "Shift+" : ""}${key}`;
    // Turned off on this device, a letter alone does nothing anywhere.
    const off = letter && this.app.letters === false;
    const own = off ? null : (keys[name] ?? (event.ctrlKey || event.altKey ? null : keys[key.toUpperCase()]));
    const ahead = letter && !inField && this.app.typesAhead ? () => void this.app.typedAhead(key) : null;
    const act = this.app.ahead ? ahead : (own ?? ahead);
    if (act && letter && !page.keeps && !inField && this.app.takesScans && !this.app.ahead) {
      if (!rapid)
        this.pending = { act: () => act(event), page, timer: setTimeout(() => this.letter(true), letterWait()) };
      event.preventDefault();
      return;
    }
    if (act && act(event) !== false) {
      event.preventDefault();
      return;
    }
    if (!letter || inField) return;
    page?.querySelector("[data-scan=line], [data-keys]")?.focus();
    page?.goesOn?.(event);
  }

  /** The last letter is done, or was part of a scan. */
  letter(isDone) {
    const { pending } = this;
    this.pending = null;
    if (!pending) return;
    clearTimeout(pending.timer);
    if (isDone && pending.page === this.page && !this.app.dialog?.isOpen) pending.act();
  }

  /** The browser would print its last page again without a record. */
  printKey(event) {
    event.preventDefault();
    if (!this.app.dialog?.isOpen) this.app.reprint();
  }
}
