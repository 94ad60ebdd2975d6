// A scanner types like a keyboard, only faster: what is a scan, and what is a person.
const GAP_MS = 50;
const MEDIAN_MS = 35;
const SHORTEST = 4;
const SUFFIX_MS = 100;

/** Whether keys at these moments were typed by a machine. */
export const isBurst = (times) => {
  if (times.length < SHORTEST) return false;
  const gaps = times.slice(1).map((time, index) => time - times[index]).sort((a, b) => a - b);
  return gaps.at(-1) <= GAP_MS && gaps[gaps.length >> 1] <= MEDIAN_MS;
};

/** A code as the scanner's settings may have wrapped it. */
export const clean = (text) => text.replace(/[\u0000-\u001f]/g, "").replace(/^\][A-Za-z]\d/, "").trim();

const isLine = (field) => field?.dataset?.scan === "line";
const isSecret = (field) => field?.type === "password";
const isField = (field) => field?.matches?.("input, textarea");

/**
 * Listens for scans outside of the line: `take(code)` gets them, the field gets back what it had before.
 * In the line nothing is detected: it is typed text and Enter.
 */
export const listen = (take) => {
  let keys = [];
  let before = null;
  const forget = () => {
    keys = [];
    before = null;
  };
  document.addEventListener("keydown", (event) => {
    const field = event.target;
    if (event.ctrlKey || event.altKey || event.metaKey || isLine(field) || isSecret(field)) return forget();
    if (event.key.length === 1) {
      if (keys.length && event.timeStamp - keys.at(-1).time > GAP_MS) forget();
      if (!keys.length) before = isField(field) ? { field, value: field.value } : { field: null };
      keys.push({ key: event.key, time: event.timeStamp });
      return undefined;
    }
    const ended = (event.key === "Enter" || event.key === "Tab") && keys.length && event.timeStamp - keys.at(-1).time <= SUFFIX_MS;
    if (ended && isBurst(keys.map(({ time }) => time))) {
      event.preventDefault();
      event.stopImmediatePropagation();
      const code = clean(keys.map(({ key }) => key).join(""));
      if (before.field) {
        before.field.value = before.value;
        before.field.dispatchEvent(new InputEvent("input", { bubbles: true, data: null, inputType: "scan" }));
      }
      forget();
      take(code);
      return undefined;
    }
    if (event.key !== "Shift") forget();
    return undefined;
  }, { capture: true });
};
