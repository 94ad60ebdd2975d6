// Messages above a page: results, unconfirmed commands, refused scans, and a low tone.
import { html, LitElement, nothing } from "../vendor/lit.js";
import { earlier, Refusal } from "./api.js";
import { named, shown } from "./scan.js";
import { words } from "./codes.js";
import { icon, refusedLines, retry } from "./controls.js";
import { money, shortReceipt, time } from "./format.js";
import { t } from "./i18n.js";
import { APP } from "./session.js";

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const REFUSED = `scans.refused.${APP}`;
/** Most scans to keep. */
const REFUSED_MAX = 100;

/** Refused scans, the newest first. They stay until they are dismissed, also over a reload. */
export class RefusedScans {
  constructor(changed) {
    this.changed = changed;
    this.list = JSON.parse(localStorage.getItem(REFUSED) ?? "[]");
  }

  add(code, why) {
    this.set([{ code: shown(code), why, at: Date.now() }, ...this.list].slice(0, REFUSED_MAX));
  }

  /** Dismisses one scan; null: all. */
  dismiss(gone) {
    this.set(gone ? this.list.filter((one) => one !== gone) : []);
  }

  set(list) {
    this.list = list;
    localStorage.setItem(REFUSED, JSON.stringify(list));
    this.changed();
  }
}

export const SOUNDS = "sounds";
let audio = null;
/** A low tone, for errors only. */
export const low = (long = false) => {
  if (localStorage.getItem(SOUNDS) === "off") return;
  try {
    audio ??= new AudioContext();
    for (const [at, length] of long
      ? [[0, 0.5]]
      : [
          [0, 0.12],
          [0.18, 0.12],
        ]) {
      const tone = audio.createOscillator();
      const loud = audio.createGain();
      tone.frequency.value = 220;
      loud.gain.value = 0.2;
      tone.connect(loud).connect(audio.destination);
      tone.start(audio.currentTime + at);
      tone.stop(audio.currentTime + at + length);
    }
  } catch {
    // A till without a loudspeaker still shows the words.
  }
};

/** Base of an app. */
export class Messages extends LitElement {
  constructor() {
    super();
    this.unconfirmed = null;
    this.message = null;
    // Whether a session could not be ended yet.
    this.leaving = false;
    this.refusedScans = new RefusedScans(() => this.requestUpdate());
  }

  /** Shows a message until the next one. */
  say(kind, text, action) {
    this.message = text ? { kind, text, action } : null;
    this.requestUpdate();
  }

  /** Shows an error. A read is repeated by `again` at the time that the server named. */
  fail(error, again) {
    if (error.over) return;
    if (error instanceof Refusal && error.status === 401) {
      // Behind a lock there is no user.
      if (this.locked) return;
      this.user = null;
      this.show("login");
    }
    // A refusal that comes again is shown once.
    const known = again && this.message?.again === again ? this.message : null;
    if (!known) low();
    if (known?.error.code !== error.code || !known) this.say("bad", error.words ?? words(error, Boolean(again)));
    Object.assign(this.message, { error, again });
    this.requestUpdate();
  }

  doubt(error, intent) {
    this.unconfirmed = error
      ? { since: this.unconfirmed?.since ?? Date.now(), label: intent?.label, amount: intent?.amount ?? null }
      : null;
    this.requestUpdate();
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
    // The same result of several commands, such as counts, is shown once.
    if (texts.length) this.say(results.every(({ done }) => done) ? "ok" : "warn", [...new Set(texts)].join(" \u00b7 "));
  }

  /** Shows that the store has not confirmed a log-out yet. */
  leaves(error) {
    this.leaving = Boolean(error);
  }

  leavingText() {
    return t(
      "Not logged out yet: no connection to the store server. This page keeps trying; stay at this device until it succeeds",
    );
  }

  /** A hint that a new version of the pages is served, at a moment at which a reload loses nothing. */
  renewal() {
    if (!this.newer || !this.isCalm()) return html`<div id="banner" class="banner none" role="status"></div>`;
    return html`<div class="banner" id="banner" role="status">
      ${icon("refresh-cw")}<span>${t("New version available")}</span
      ><button class="btn" id="renew" @click=${() => location.reload()}>${t("Reload")}</button>
    </div>`;
  }

  /** Shows a code that was not accepted. A scanned one stays on the page until it is dismissed. */
  refuse(code, why, { kind = "bad", long = false, scanned = true } = {}) {
    low(long);
    this.say(kind, sentence(why));
    if (scanned) this.refusedScans.add(code, sentence(why));
  }

  /** The scans that stay on the page until they are dismissed. */
  refusedPart() {
    return refusedLines(this.refusedScans.list, (one) => {
      this.refusedScans.dismiss(one);
      this.focusPage();
    });
  }

  /** A code could not be looked up. */
  scanFailed(error, code) {
    this.fail(error);
    this.refusedScans.add(code, error.words ?? words(error));
  }

  unknownCode(code, scanned) {
    this.refuse(code, t("{code}: unknown barcode", { code: named(code) }), { scanned });
  }

  notTaken(code) {
    this.refuse(code, t("Scan of {code} ignored. Close this window first", { code: named(code) }), {
      kind: "warn",
      long: true,
    });
  }

  messageAct({ act }) {
    this.say(null);
    act();
    this.focusPage();
  }

  banner() {
    const { unconfirmed, message } = this;
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
    if (!message && this.leaving)
      return html`<div class="banner bad" id="banner" role="alert">
        ${icon("triangle-alert")}<span>${this.leavingText()}</span>
      </div>`;
    if (!message) return this.renewal();
    return html`<div
      class="banner ${message.kind}"
      id="banner"
      role=${message.kind === "bad" && !message.again ? "alert" : "status"}
    >
      ${icon(message.kind === "ok" ? "circle-check" : "triangle-alert")}<span>${message.text}${
        message.again ? html` ${retry(message.error, message.again)}` : nothing
      }</span>${
        message.action
          ? html`<button class="btn" id="banner-act" @click=${() => this.messageAct(message.action)}>
              ${message.action.label}
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
