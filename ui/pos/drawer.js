// The drawer: cash movements without a sale, and the count of notes and coins at the opening and the close.
import { html } from "../vendor/lit.js";
import { countInput } from "../kit/controls.js";
import { decimal, symbol } from "../kit/format.js";
import { t } from "../kit/i18n.js";

/**
 * Types of cash movements without a sale, and their keys on the page of the shift.
 * @type {{ type: string, icon: string, letter: string }[]}
 */
export const MOVES = [
  { type: "pay_in", icon: "plus", letter: "I" },
  { type: "pay_out", icon: "minus", letter: "O" },
  { type: "drop", icon: "lock", letter: "D" },
  { type: "no_sale", icon: "inbox", letter: "N" },
];

/** Value of these pieces. */
export const worth = (pieces) => [...pieces].reduce((sum, [value, count]) => sum + value * (count ?? 0), 0);

/** Whether anything was counted: an uncounted drawer is not an empty one. */
export const isCounted = (pieces) => [...pieces.values()].some((count) => count !== null);

/** A field for each note and coin of the store. `changed` is called for each input. */
export const notesTable = (denominations, pieces, changed, focus = true) =>
  html`<table class="grid tight">
    <thead>
      <tr>
        <th class="num">${t("Notes and coins")}</th>
        <th class="num">${t("Pieces")}</th>
        <th class="num">${t("Amount")}, ${symbol()}</th>
      </tr>
    </thead>
    <tbody>
      ${denominations.map(
        (value, index) =>
          html`<tr>
            <td class="num">${decimal(value)}</td>
            <td class="in">
              ${countInput({
                id: `note-${value}`,
                value: pieces.get(value) ?? null,
                focus: focus && index === 0,
                label: t("Pieces of {value}", { value: decimal(value) }),
                onValue: (count) => {
                  pieces.set(value, count);
                  changed();
                },
              })}
            </td>
            <td class="num">${decimal(value * (pieces.get(value) ?? 0))}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
