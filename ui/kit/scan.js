// Codes and scans. One article has one code, however a scanner or a supplier spells it: the same rules as the server's
// `domain/src/model/inventory/barcode.rs`. Below, which keys came from a scanner and not from a person.
import { t } from "./i18n.js";

/** Digits of the longest GTIN. */
const GTIN_DIGITS = 14;
/** FNC1 as scanners send it: it ends a field of variable length. */
export const FNC1 = "\u001d";
/** Invisible characters: zero width, direction, soft hyphen, byte order. */
const UNSEEN = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;
/** Symbology identifiers of codes that hold GS1 element strings. */
const GS1 = /^(?:[CJ]1|e[0-2]|d2|Q3)$/;

const isDigits = (text) => /^\d+$/.test(text);

/** Whether the last digit is the check digit of those before it. */
const checkDigitHolds = (code) => {
  const sum = [...code.slice(0, -1)]
    .reverse()
    .reduce((all, digit, index) => all + Number(digit) * (index % 2 ? 1 : 3), 0);
  return (10 - (sum % 10)) % 10 === Number(code.at(-1));
};

/** Whether digits are a GTIN: by their number, or by the check digit if leading zeros were lost. */
const isGtin = (code) =>
  isDigits(code) && (/^(?:.{8}|.{12,14})$/.test(code) || (/^.{9,11}$/.test(code) && checkDigitHolds(code)));

// ---- GS1 element strings: data fields one after another, each behind its application identifier. The GTIN is field
// 01.

/** Lengths of fields with their identifier, if the standard sets them. */
const FIXED = { "00": 20, "01": 16, "02": 16, "03": 16, "04": 18, 20: 4, 41: 16 };
const VARIABLE = /^(?:10|2[1-5]|30|37|39|4[023]|7[0-2]|8[0-2]|9\d)/;

/** The text after the first field; null if it is no field. */
const afterField = (text) => {
  const identifier = text.slice(0, 2);
  if (!/^\d\d$/.test(identifier)) return null;
  const length = FIXED[identifier] ?? (/^1[1-9]$/.test(identifier) ? 8 : /^3[1-6]$/.test(identifier) ? 10 : null);
  if (length) return text.length < length ? null : text.slice(length).replace(/^\u001d+/, "");
  if (!VARIABLE.test(text)) return null;
  const end = text.indexOf(FNC1);
  const field = end < 0 ? text : text.slice(0, end);
  return field.length > identifier.length ? text.slice(field.length + (end < 0 ? 0 : 1)) : null;
};

const first14 = (text) => /^\d{14}/.exec(text)?.[0] ?? null;

const gtinField = (text) => {
  for (let left = text; left; left = afterField(left)) if (left.startsWith("01")) return first14(left.slice(2));
  return null;
};

const isComplete = (text) => {
  let left = text;
  while (left) left = afterField(left);
  return left === "";
};

/**
 * The GTIN of a GS1 code: as the scanner sent it, as people read it below the bars, or as a web address; null if there
 * is none.
 */
const elementGtin = (text, isGs1) => {
  if (text.startsWith("(")) {
    const read = text.replace(/\s/g, "");
    const at = read.indexOf("(01)");
    return at < 0 ? null : first14(read.slice(at + 4));
  }
  if (/^https?:\/\//.test(text)) {
    const code = text.split("/01/").slice(1).join("/01/").split(/[/?#]/)[0];
    return isGtin(code) ? code : null;
  }
  const fields = text.replace(/^\u001d+/, "");
  if (isGs1 || fields.includes(FNC1)) return gtinField(fields);
  // Without the scanner's mark, the whole text must be a GS1 code.
  const gtin = fields.startsWith("01") ? first14(fields.slice(2)) : null;
  return gtin && checkDigitHolds(gtin) && isComplete(fields.slice(16)) ? gtin : null;
};

/** Digits that were grouped for reading; null if the marks may belong to the code. */
const ungrouped = (code) => {
  const digits = code.replace(/[ \-.,]/g, "");
  if (digits === code || !isDigits(digits) || !/^(?:.{8}|.{12,14})$/.test(digits)) return null;
  return /^[\d ]*$/.test(code) || checkDigitHolds(digits) ? digits : null;
};

/**
 * The code that a scan names: without the scanner's symbology identifier (`]E0`), and of a GS1 code the GTIN alone. Its
 * digits are as many as were read.
 */
export const codeOf = (scan) => {
  const text = scan
    .normalize("NFKC")
    .replace(UNSEEN, "")
    .replace(/^[\s\u0000-\u001c\u001e\u001f]+|[\s\u0000-\u001c\u001e\u001f]+$/g, "");
  const [, symbology = null, rest = text] = /^\]([A-Za-z][A-Za-z\d])(.+)$/s.exec(text) ?? [];
  const code = /^E[03]$/.test(symbology ?? "") ? rest.slice(0, 13) : rest;
  const bare = code.replace(/[\u0000-\u001f]/g, "").trim();
  return elementGtin(code, GS1.test(symbology ?? "")) ?? ungrouped(bare) ?? bare;
};

/** The form in which codes are compared: a GTIN has 14 digits, another code is unchanged. */
export const normal = (scan) => {
  const code = codeOf(scan);
  return isGtin(code) ? code.padStart(GTIN_DIGITS, "0") : code;
};

/** Whether two codes name the same article. */
export const same = (one, other) => one === other || normal(one) === normal(other);

/** The code if it may be shown: the digits of a barcode. Another text may be a mistyped password: null. */
export const shown = (scan) => {
  const code = codeOf(scan);
  return isDigits(code) && code.length <= GTIN_DIGITS ? code : null;
};

/** A code for a sentence, which names it only if it may be shown. */
export const named = (code) => shown(code) ?? t("this code");

// ---- keys: a scanner types like a keyboard, only faster

const SHORTEST = 4;
/**
 * A longer pause between two keys is a person's. In a shorter one a radio scanner or a busy machine may have stopped
 * for a moment: the keys before and after it are one code, and a part of them is never used alone.
 */
const PAUSE_MS = 500;
/** Keys of a code in which a scanner may have stopped for a moment; shorter ones may be `5` and the key `000`. */
const LONG = 8;
/** Fewest keys between two stops of a scanner. */
const KEYS_PER_STOP = 6;
/** Milliseconds as shipped, at least, at most: between two keys, between most of them, from the last key to its end. */
export const LIMITS = { gap: [50, 15, 150], median: [35, 10, 120], suffix: [100, 20, 500] };
const KEPT = "scan.limits";
const SHIPPED = Object.fromEntries(Object.entries(LIMITS).map(([name, [shipped]]) => [name, shipped]));
let set = null;
export const limits = () => {
  set ??= { ...SHIPPED, ...JSON.parse(localStorage.getItem(KEPT) ?? "{}") };
  return set;
};
export const setLimits = (changed) => {
  const within = (name, value) =>
    Number.isFinite(value) ? Math.min(LIMITS[name][2], Math.max(LIMITS[name][1], Math.round(value))) : SHIPPED[name];
  set = changed
    ? {
        ...limits(),
        ...Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, within(name, value)])),
      }
    : SHIPPED;
  localStorage.setItem(KEPT, JSON.stringify(set));
};
addEventListener("storage", ({ key }) => {
  if (key === KEPT) set = null;
});
/** How long another key of a scanner is waited for before a letter acts. */
export const letterWait = () => limits().gap + 10;
/** An Enter this soon after a code that a pause ended belongs to the code and answers no question. */
const LATE_MS = PAUSE_MS + 300;

const gapsOf = (times) => times.slice(1).map((time, index) => time - times[index]);
const median = (gaps) => [...gaps].sort((a, b) => a - b)[gaps.length >> 1];

/** Whether keys at these moments were typed by a machine, without a stop. */
export const isBurst = (times) => {
  if (times.length < SHORTEST) return false;
  const gaps = gapsOf(times);
  return Math.max(...gaps) <= limits().gap && median(gaps) <= limits().median;
};

/** Whether keys of a long code were typed by a machine that stopped for a moment now and then. */
const isBroken = (times) => {
  if (times.length < LONG) return false;
  const gaps = gapsOf(times);
  const stops = gaps.filter((gap) => gap > limits().gap).length;
  return (
    Math.max(...gaps) <= PAUSE_MS &&
    median(gaps) <= limits().median &&
    stops <= Math.max(1, Math.floor(gaps.length / KEYS_PER_STOP))
  );
};

export const isRapid = (time, before) => before !== undefined && time - before <= limits().gap;

/** Where the keys begin that came rapidly one after the other to the end. */
const rapidFrom = (keys) => {
  let from = keys.length - 1;
  while (from > 0 && isRapid(keys[from].time, keys[from - 1].time)) from -= 1;
  return Math.max(0, from);
};
const times = (keys) => keys.map(({ time }) => time);
const textOf = (keys) => keys.map(({ key }) => key).join("");

/** Whether a machine typed these keys, or the last of them. */
export const isScan = (keys) => isBurst(times(keys.slice(rapidFrom(keys)))) || isBroken(times(keys));

/** How long after its last key a scan may end: only a machine types a long code this fast. */
export const endsWithin = (keys) => (keys.length >= LONG ? Math.max(PAUSE_MS, limits().suffix) : limits().suffix);

/**
 * The scanned code at the end of a text that is no code as a whole. `sure`: a person typed the text before it;
 * otherwise the user must be asked. Null if it may be a part of a code. `keys`: the keys of the text's end.
 */
export const behind = (text, keys) => {
  const typed = textOf(keys);
  if (!keys.length || !text.endsWith(typed)) return null;
  // Text whose keys were not noted was pasted or corrected.
  if (text !== typed) return isScan(keys) ? { code: codeOf(typed), sure: false } : null;
  const pause = keys.findLastIndex(({ time }, index) => index > 0 && time - keys[index - 1].time > PAUSE_MS);
  const digits = keys.findLastIndex(({ key }) => /\D/.test(key)) + 1;
  const from = pause > 0 ? pause : digits > 0 && digits < keys.length ? digits : rapidFrom(keys);
  const before = keys.slice(0, from);
  const hasDigit = /\d/.test(textOf(before));
  if (!from || (pause < 1 && hasDigit) || !isScan(keys.slice(from))) return null;
  const byHand =
    before.length >= SHORTEST - 1 && gapsOf(times(keys.slice(0, from + 1))).every((gap) => gap > limits().gap);
  return { code: codeOf(textOf(keys.slice(from))), sure: byHand && !hasDigit };
};

/** Whether the last input came from a scanner. */
let machine = false;
export const wasScanned = () => machine;

const isLine = (field) => field?.dataset?.scan === "line";
/** In a password field nothing is a scan: it would be looked up, shown or put into another field. */
const asksForPassword = () =>
  [...document.querySelectorAll("input[type=password]")].some((field) => field.checkVisibility());
const FIELDS = "input:not([type=password]):not([type=checkbox]), textarea, select";
const MODIFIER = /^(?:Shift|Control|AltGraph|CapsLock)$/;
/** Most runs of keys that are kept: a person types more of them, a scanner does not. */
const RUNS_MAX = 20;
/** Single keys before a scan that are a person's. One may be the scanner's, which then stopped. */
const BY_HAND = 2;

/** Notes the values of all fields and the caret; the result restores them. Letters change lists too. */
const fieldsNow = () => {
  const kept = [...document.querySelectorAll(FIELDS)]
    .filter((field) => !isLine(field))
    .map((field) => [field, field.value]);
  /** @type {any} */
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

/** The Enter of a scanner that ends with Tab. */
const enter = (field) => {
  const event = new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true });
  if (field.dispatchEvent(event)) field.form?.requestSubmit();
};

class Listener {
  constructor(take, keep, waits) {
    // Runs of rapid keys, each with the values of the fields before it.
    this.take = take;
    this.keep = keep;
    this.waits = waits;
    this.runs = [];
    this.ended = -Infinity;
    this.entering = false;
  }

  get keys() {
    return this.runs.flatMap(({ keys }) => keys);
  }

  get last() {
    return this.runs.at(-1)?.keys.at(-1).time ?? -Infinity;
  }

  forget() {
    this.runs = [];
    clearTimeout(this.silence);
  }

  onKey(event) {
    const { target: field, key, timeStamp: time } = event;
    if (this.entering || MODIFIER.test(key)) return undefined;
    // Only a person holds a key.
    if (event.repeat || asksForPassword()) return this.forget();
    if (event.ctrlKey && key === "]" && isRapid(time, this.last)) return this.separator(event);
    if (event.ctrlKey || event.altKey || event.metaKey) return this.forget();
    if (key.length === 1) return this.typed(key, time, field);
    const ends = key === "Enter" || key === "Tab";
    const isEnd = ends && this.isEnd(time);
    if (isLine(field)) return this.ofLine(event, ends, isEnd);
    const late = ends && !this.runs.length && time - this.ended <= LATE_MS;
    if (late || isEnd) {
      event.preventDefault();
      event.stopImmediatePropagation();
      if (!late) this.scanned();
      return undefined;
    }
    if (ends) machine = false;
    return this.forget();
  }

  isEnd(time) {
    const { keys } = this;
    return keys.length > 0 && isScan(keys) && time - this.last <= endsWithin(keys);
  }

  /** In a line, text stays as it is typed, and a scanner's Tab is an Enter. */
  ofLine(event, ends, isEnd) {
    this.forget();
    if (!ends) return;
    machine = isEnd;
    const { target: field } = event;
    if (event.key !== "Tab" || !isEnd || !field.value || field.dataset.raw !== undefined) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.entering = true;
    enter(field);
    this.entering = false;
  }

  /** FNC1 between the fields of a GS1 code, as keyboards send it. */
  separator(event) {
    event.preventDefault();
    event.stopImmediatePropagation();
    const { target: field } = event;
    if (isLine(field)) field.setRangeText(FNC1, field.selectionStart, field.selectionEnd, "end");
    this.typed(FNC1, event.timeStamp, field);
  }

  typed(key, time, field) {
    if (time - this.last > PAUSE_MS) this.forget();
    if (!isRapid(time, this.last)) {
      const undo = isLine(field) ? [] : [this.keep(), fieldsNow()];
      this.runs.push({ keys: [], page: this.waits(), undo });
    }
    if (this.runs.length > RUNS_MAX) this.runs.shift();
    this.runs.at(-1).keys.push({ key, time });
    clearTimeout(this.silence);
    if (this.keys.length >= LONG) this.silence = setTimeout(() => this.silent(), PAUSE_MS);
  }

  /** Digits without an end key: a code if the page waited for one when they came, otherwise pasted text. */
  silent() {
    const { keys } = this;
    const page = this.waits();
    if (isLine(document.activeElement) || !page || this.runs.some((run) => run.page !== page)) return;
    if (!isScan(keys) || keys.some(({ key }) => !/\d/.test(key))) return;
    this.ended = this.last;
    this.scanned();
  }

  /**
   * Text that a person typed just before stays in its field. If its digits are the code's, the code is unknown.
   */
  scanned() {
    const { runs } = this;
    const single = runs.findIndex(({ keys }) => keys.length > 1);
    const byHand = single >= BY_HAND ? single : 0;
    const isText = byHand > 0 && !/\d/.test(textOf(runs.slice(0, byHand).flatMap(({ keys }) => keys)));
    const code = codeOf(textOf(runs.slice(isText ? byHand : 0).flatMap(({ keys }) => keys)));
    const [page, fields] = runs[byHand].undo;
    this.forget();
    fields?.();
    page?.();
    machine = true;
    this.take(code);
  }
}

/**
 * Listens for scans outside of the line, and calls `take(code)`. The fields get their former values, and so does the
 * page: `keep()` is called at the first key and returns a function that restores its state. `waits()`: the page that
 * takes codes, if any. In the line only the end of a scan is detected: Enter, or a scanner's Tab.
 */
export const listen = (take, keep, waits) => {
  const listener = new Listener(take, keep, waits);
  document.addEventListener("keydown", (event) => listener.onKey(event), { capture: true });
};
