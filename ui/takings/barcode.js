// EAN-13 as bars: thirteen digits of which the last is the check digit.
import { html, svg } from "../vendor/lit.js";

const LEFT = [
  "0001101",
  "0011001",
  "0010011",
  "0111101",
  "0100011",
  "0110001",
  "0101111",
  "0111011",
  "0110111",
  "0001011",
];
const PARITY = ["LLLLLL", "LLGLGG", "LLGGLG", "LLGGGL", "LGLLGG", "LGGLLG", "LGGGLL", "LGLGLG", "LGLGGL", "LGGLGL"];
const inverted = (bits) => [...bits].map((bit) => (bit === "1" ? "0" : "1")).join("");
const mirrored = (bits) => [...bits].reverse().join("");
const EDGE = "101";
const MIDDLE = "01010";
const WIDE = 95;
const HIGH = 30;

/** Returns whether a code is a valid EAN-13. */
const proven = (code) => {
  if (!/^\d{13}$/.test(code)) return false;
  const sum = [...code].slice(0, 12).reduce((all, digit, index) => all + Number(digit) * (index % 2 ? 3 : 1), 0);
  return (10 - (sum % 10)) % 10 === Number(code[12]);
};

/** Returns the bars, or only the code if it is not an EAN-13. */
export const bars = (code) => {
  if (!proven(code)) return html`<p class="code">${code}</p>`;
  const digits = [...code].map(Number);
  const left = digits
    .slice(1, 7)
    .map((digit, index) => (PARITY[digits[0]][index] === "L" ? LEFT[digit] : mirrored(inverted(LEFT[digit]))));
  const right = digits.slice(7).map((digit) => inverted(LEFT[digit]));
  const bits = `${EDGE}${left.join("")}${MIDDLE}${right.join("")}${EDGE}`;
  return html`<svg class="ean" viewBox="0 0 ${WIDE} ${HIGH}" preserveAspectRatio="none" aria-hidden="true">
      ${[...bits].map((bit, at) => (bit === "1" ? svg`<rect x=${at} y="0" width="1" height=${HIGH}></rect>` : ""))}
    </svg>
    <p class="code">${code}</p>`;
};
