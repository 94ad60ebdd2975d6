// This device: its scanner, the limit between scan and person; language, screen, sounds, shortcuts, lock. All is kept
// here.
import { html, nothing } from "../vendor/lit.js";
import { LOCK_AFTER, LOCK_AFTER_MINUTES } from "./app.js";
import { icon, key } from "./controls.js";
import { number } from "./format.js";
import { lang, t } from "./i18n.js";
import { title } from "./list.js";
import { Page } from "./page.js";
import { codeOf } from "./scan.js";
import { low, SOUNDS } from "./messages.js";
import { endsWithin, isScan, LIMITS, limits, setLimits } from "./scan.js";

/** Silence that ends what was typed into the test; slower keys than this are not of one scan. */
const ENDS_MS = 600;
const LOCK_MAX = 240;
const numbers = (list) => list.map((one) => number(Math.round(one))).join(" ");

class PageDevice extends Page {
  constructor() {
    super();
    this.keysSeen = [];
    this.seen = null;
  }

  keys() {
    return this.app.leavePage ? { Escape: () => void this.app.leavePage() } : {};
  }

  // ---- a test scan

  onKey(event) {
    const { key: name, timeStamp: time } = event;
    const last = this.keysSeen.at(-1)?.time;
    const ends = name === "Enter" || name === "Tab";
    if (ends && last !== undefined && time - last < ENDS_MS) {
      event.preventDefault();
      this.measured(name, time - last);
    } else if (name.length === 1 && !event.ctrlKey && !event.altKey && !event.metaKey) {
      this.keysSeen.push({ key: name, time });
      clearTimeout(this.silence);
      this.silence = setTimeout(() => this.measured(null, null), ENDS_MS);
    }
  }

  measured(suffix, after) {
    clearTimeout(this.silence);
    const times = this.keysSeen.map(({ time }) => time);
    const gaps = times.slice(1).map((time, index) => time - times[index]);
    const sorted = [...gaps].sort((a, b) => a - b);
    this.seen = {
      code: codeOf(this.keysSeen.map(({ key: one }) => one).join("")),
      keys: this.keysSeen,
      gaps,
      largest: sorted.at(-1) ?? 0,
      median: sorted[sorted.length >> 1] ?? 0,
      suffix,
      after,
    };
    this.keysSeen = [];
    this.querySelector("#test-scan").value = "";
    this.requestUpdate();
  }

  /** Whether it would be taken for a scan, by the limits of now; else by which one it is not. */
  verdict({ code, keys, largest, median, suffix, after }) {
    const now = limits();
    const ends = endsWithin(keys);
    if (isScan(keys) && (suffix ? after <= ends : /^\d{8,}$/.test(code))) return null;
    if (!isScan(keys) && largest > now.gap)
      return t("Pause of {n} ms, over {limit}: treated as typing", {
        n: number(Math.round(largest)),
        limit: number(now.gap),
      });
    if (median > now.median)
      return t("Typical pause of {n} ms, over {limit}: treated as typing", {
        n: number(Math.round(median)),
        limit: number(now.median),
      });
    if (!isScan(keys)) return t("Fewer than 4 characters: treated as typing");
    if (suffix)
      return t("{key} came {n} ms later, over {limit}: not treated as the end of the scan", {
        key: suffix,
        n: number(Math.round(after)),
        limit: number(ends),
      });
    return t("No Enter or Tab at the end: only 8 or more digits count as a scan");
  }

  result() {
    const { seen } = this;
    if (!seen) return html`<p class="muted" id="measured" role="status">${t("No scans yet")}</p>`;
    const why = this.verdict(seen);
    const end = seen.suffix
      ? t("{key}, {n} ms after the last character", { key: seen.suffix, n: number(Math.round(seen.after)) })
      : t("None");
    return html`<div id="measured" role="status">
      <p>
        <span class="badge ${why ? "bad" : "ok"}">${why ? t("Not a scan") : t("Scan")}</span> <code>${seen.code}</code>
      </p>
      ${why ? html`<p>${why}</p>` : nothing}
      <dl class="pairs">
        <div>
          <dt>${t("Pauses (ms)")}</dt>
          <dd>${numbers(seen.gaps)}</dd>
        </div>
        <div>
          <dt>${t("Longest, typical")}</dt>
          <dd>${numbers([seen.largest, seen.median])}</dd>
        </div>
        <div>
          <dt>${t("Suffix")}</dt>
          <dd>${end}</dd>
        </div>
      </dl>
    </div>`;
  }

  limit(name, label) {
    const [, least, most] = LIMITS[name];
    return html`<div class="field">
      <label for="limit-${name}">${label}</label
      ><input
        class="input num"
        id="limit-${name}"
        type="number"
        min=${least}
        max=${most}
        .value=${String(limits()[name])}
        @change=${(event) => {
          setLimits({ [name]: event.target.valueAsNumber });
          event.target.value = limits()[name];
          this.requestUpdate();
        }}
      />
    </div>`;
  }

  scanner() {
    return html`<section class="panel pad stack s">
      <h2>${t("Scanner")}</h2>
      <div class="field">
        <label for="test-scan">${t("Scan here to test: nothing is sold or counted")}</label
        ><input
          class="input"
          id="test-scan"
          data-scan="line"
          data-raw
          ?data-focus=${!this.app.leavePage}
          autocomplete="off"
          @keydown=${(event) => this.onKey(event)}
        />
      </div>
      ${this.result()}
      <p class="muted">
        ${t(
          "Characters that arrive faster than typing are treated as a scan. Raise the limits for a slow scanner, lower them for fast typists",
        )}
      </p>
      <div class="rowx wrap">
        ${this.limit(
          "gap",
          t("Longest pause between characters (ms)"),
        )}${this.limit("median", t("Typical pause (ms)"))}${this.limit("suffix", t("Longest pause before Enter (ms)"))}
      </div>
      <p>
        <button
          class="btn"
          id="as-shipped"
          @click=${() => {
            setLimits(null);
            this.requestUpdate();
          }}
        >
          ${t("Reset to default")}
        </button>
      </p>
    </section>`;
  }

  // ---- the device's settings

  choice(id, label, chosen, choices, act) {
    return html`<div class="field">
      <label for=${id}>${label}</label
      ><select class="input" id=${id} @change=${(event) => act(event.target.value)}>
        ${choices.map(([value, text]) => html`<option value=${value} ?selected=${value === chosen}>${text}</option>`)}
      </select>
    </div>`;
  }

  check(id, label, on, act) {
    return html`<label class="rowx"
      ><input
        type="checkbox"
        id=${id}
        .checked=${on}
        @change=${(event) => {
          act(event.target.checked);
          this.requestUpdate();
        }}
      /><span>${label}</span></label
    >`;
  }

  lockAfter(event) {
    const minutes = Math.min(LOCK_MAX, Math.max(1, Math.round(Number(event.target.value)) || LOCK_AFTER_MINUTES));
    event.target.value = minutes;
    localStorage.setItem(LOCK_AFTER, String(minutes));
  }

  screen() {
    const { app } = this;
    const sounds = localStorage.getItem(SOUNDS) !== "off";
    return html`<section class="panel pad stack s">
      <h2>${t("Screen, sounds and keys")}</h2>
      <div class="rowx wrap">
        ${this.choice(
          "device-language",
          t("Language"),
          lang(),
          [
            ["en", "English"],
            ["id", "Bahasa Indonesia"],
          ],
          (value) => app.speak(value),
        )}
        ${this.choice(
          "device-theme",
          t("Theme"),
          document.documentElement.dataset.theme,
          [
            ["", t("System")],
            ["light", t("Light theme")],
            ["dark", t("Dark theme")],
          ],
          (value) => app.theme(value),
        )}
        <div class="field">
          <label for="device-lock">${t("Lock the till after (minutes)")}</label
          ><input
            class="input num"
            id="device-lock"
            type="number"
            min="1"
            max=${LOCK_MAX}
            .value=${localStorage.getItem(LOCK_AFTER) ?? String(LOCK_AFTER_MINUTES)}
            @change=${(event) => this.lockAfter(event)}
          />
        </div>
      </div>
      ${this.check("device-sounds", t("Beep on errors"), sounds, (on) => {
        localStorage.setItem(SOUNDS, on ? "on" : "off");
        if (on) low();
      })}
      ${
        app.setLetters
          ? this.check(
              "device-letters",
              t("Letter keys: g and a letter open a page, j and k move through a list"),
              app.letters,
              (on) => app.setLetters(on),
            )
          : nothing
      }
    </section>`;
  }

  render() {
    const { app } = this;
    const parts = html`${this.scanner()}${this.screen()}
      <p class="muted">${t("These settings apply to this device only, for all users")}</p>`;
    if (!app.leavePage)
      return html`${title(t("This device"))}
        <div class="stack">${parts}</div>`;
    return html`<div class="bar">
        <button class="btn quiet" data-focus @click=${() => app.leavePage()}>
          ${icon("arrow-left")}${t("Sell")}${key("Esc")}
        </button>
        <h1>${t("This device")}</h1>
      </div>
      <div class="work stack">${parts}</div>`;
  }
}
customElements.define("page-device", PageDevice);
