// A scanner types like a keyboard, only faster: what is a scan, and what is a person.
const SHORTEST = 4;
/** Milliseconds as shipped, at least, at most: between two keys, between most of them, from the last key to its end. */
export const LIMITS = { gap: [50, 15, 150], median: [35, 10, 120], suffix: [100, 20, 500] };
const KEPT = "scan.limits";
const SHIPPED = Object.fromEntries(Object.entries(LIMITS).map(([name, [shipped]]) => [name, shipped]));
let set = null;
/** What this device has set, over what is shipped. */
export const limits = () => {
  set ??= { ...SHIPPED, ...JSON.parse(localStorage.getItem(KEPT) ?? "{}") };
  return set;
};
/** Sets some of them, each within its bounds; none: all are as shipped. */
export const setLimits = (changed) => {
  const within = (name, value) => (Number.isFinite(value) ? Math.min(LIMITS[name][2], Math.max(LIMITS[name][1], Math.round(value))) : SHIPPED[name]);
  set = changed ? { ...limits(), ...Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, within(name, value)])) } : SHIPPED;
  localStorage.setItem(KEPT, JSON.stringify(set));
};
addEventListener("storage", ({ key }) => {
  if (key === KEPT) set = null;
});
/** How long another key of a scanner is waited for before a letter acts. */
export const letterWait = () => limits().gap + 10;
/** Keys of a scanner that ends with none: silence ends it. */
const UNENDED = 8;
/** An Enter that comes this soon after a scan is its end and nobody's answer. */
const LATE_MS = 300;

/** Whether keys at these moments were typed by a machine. */
export const isBurst = (times) => {
  if (times.length < SHORTEST) return false;
  const gaps = times.slice(1).map((time, index) => time - times[index]).sort((a, b) => a - b);
  return gaps.at(-1) <= limits().gap && gaps[gaps.length >> 1] <= limits().median;
};

/** Whether a key came so soon after another that no person pressed both. */
export const isRapid = (time, before) => before !== undefined && time - before <= limits().gap;

/** A code as the scanner's settings may have wrapped it. */
export const clean = (text) => text.replace(/[\u0000-\u001f]/g, "").replace(/^\][A-Za-z]\d/, "").trim();

/** What was scanned behind typed text: the keys at its end that a machine typed; none: null. */
export const tail = (keys) => {
  let from = keys.length - 1;
  while (from > 0 && isRapid(keys[from].time, keys[from - 1].time)) from -= 1;
  const last = keys.slice(Math.max(0, from));
  return isBurst(last.map(({ time }) => time)) ? last.map(({ key }) => key).join("") : null;
};

const isLine = (field) => field?.dataset?.scan === "line";
const isSecret = (field) => field?.type === "password";
const FIELDS = "input:not([type=password]):not([type=checkbox]), textarea, select";

/** What stands in every field now, and where the caret is; called, it is put back. Also a list changes by letters. */
const fieldsNow = () => {
  const kept = [...document.querySelectorAll(FIELDS)].filter((field) => !isLine(field)).map((field) => [field, field.value]);
  const at = document.activeElement;
  const { selectionStart: from = null, selectionEnd: to } = at;
  return () => {
    for (const [field, value] of kept) {
      if (field.value === value) continue;
      field.value = value;
      field.dispatchEvent(new InputEvent("input", { bubbles: true, data: null, inputType: "scan" }));
      field.dispatchEvent(new Event("change", { bubbles: true }));
    }
    if (from !== null && at === document.activeElement) at.setSelectionRange(from, to);
  };
};

class Listener {
  constructor(take, keep, waits) {
    Object.assign(this, { take, keep, waits, keys: [], undo: [], ended: -Infinity });
  }

  forget() {
    this.keys = [];
    this.undo = [];
    clearTimeout(this.silence);
  }

  onKey(event) {
    const { target: field, key, timeStamp: time } = event;
    if (event.ctrlKey || event.altKey || event.metaKey || isLine(field) || isSecret(field)) return this.forget();
    if (key.length === 1) return this.typed(key, time);
    const ends = key === "Enter" || key === "Tab";
    const late = ends && !this.keys.length && time - this.ended <= LATE_MS;
    if (late || (ends && this.keys.length && time - this.keys.at(-1).time <= limits().suffix && this.isScan())) {
      event.preventDefault();
      event.stopImmediatePropagation();
      if (!late) this.scanned();
    } else if (key !== "Shift") this.forget();
    return undefined;
  }

  typed(key, time) {
    if (this.keys.length && time - this.keys.at(-1).time > limits().gap) this.forget();
    if (!this.keys.length) this.undo = [this.keep(), fieldsNow()];
    this.keys.push({ key, time });
    clearTimeout(this.silence);
    if (this.keys.length >= UNENDED) this.silence = setTimeout(() => this.silent(), limits().suffix);
  }

  /** Digits that nothing ended: a code where the page waits for one, else what somebody pasted by hand. */
  silent() {
    if (!this.waits() || !this.isScan() || this.keys.some(({ key }) => !/\d/.test(key))) return;
    this.ended = this.keys.at(-1).time;
    this.scanned();
  }

  isScan() {
    return isBurst(this.keys.map(({ time }) => time));
  }

  scanned() {
    const code = clean(this.keys.map(({ key }) => key).join(""));
    const [page, fields] = this.undo;
    this.forget();
    fields();
    page?.();
    this.take(code);
  }
}

/**
 * Listens for scans outside of the line: `take(code)` gets them, every field gets back what it had before, and so does the
 * page: `keep()` is called at the first key and gives what puts its state back. `waits()`: whether the page takes codes. In the line nothing is detected here: it is
 * typed text and Enter.
 */
export const listen = (take, keep, waits) => {
  const listener = new Listener(take, keep, waits);
  document.addEventListener("keydown", (event) => listener.onKey(event), { capture: true });
};

export const SOUNDS = "sounds";
let audio = null;
/** A low tone, for what did not go well; nothing for what did. */
export const low = (long = false) => {
  if (localStorage.getItem(SOUNDS) === "off") return;
  try {
    audio ??= new AudioContext();
    for (const [at, length] of long ? [[0, 0.5]] : [[0, 0.12], [0.18, 0.12]]) {
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
