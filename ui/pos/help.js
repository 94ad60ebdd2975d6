// F1: the keys of the shown page, and those of every page.
import { html, nothing } from "../vendor/lit.js";
import { t } from "../kit/i18n.js";
import { MOVES } from "./drawer.js";

const EVERYWHERE = () => [
  ["F1", t("Keys")],
  ["F2", t("Member")],
  ["F3", t("Discount on the item")],
  ["Shift F3", t("Discount on the sale")],
  ["F6", t("Hold")],
  ["F7", t("Recall")],
  ["F8", t("Return")],
  ["F9", t("Pay")],
  ["F10", t("Shift and cash")],
  ["Ctrl P", t("Print the last receipt again")],
];
const BACK = () => ["Esc", t("Back")];
const ROWS = () => ["\u2191 \u2193", t("Next, previous row")];
const OWN = {
  sell: () => [
    ["Enter", t("Add the typed item; pay if the field is empty")],
    ["3* Enter", t("Quantity of the selected line")],
    [".4 Enter", t("Quick key 4")],
    ["?text", t("Find in the sale")],
    ["/", t("All actions")],
    ["+ \u2212", t("Quantity +1, −1")],
    ROWS(),
    ["Delete", t("Remove item")],
    ["Shift Del", t("Void sale")],
    ["F4", t("Edit item")],
    ["F9", t("Pay")],
  ],
  pay: () => [
    ["0\u20139", t("Cash received")],
    ["C K Q T V P", t("Payment method")],
    ["E", t("exact")],
    ["Enter, F9", t("Accept")],
    ["Delete", t("Undo the last payment")],
    BACK(),
  ],
  paid: () => [
    ["Enter", t("Next customer")],
    ["P", t("Print receipt")],
  ],
  holds: () => [ROWS(), ["Enter", t("Recall")], BACK()],
  return: () => [["F6", t("Without a receipt")], ["F7", t("Exchange")], ["F9", t("Refund")], BACK()],
  receipts: () => [ROWS(), ["P", t("Print again")], ["Delete", t("Void")], ["T", t("Payment method")], BACK()],
  cash: () => [
    ...MOVES.map(({ letter, type }) => [letter, t(type)]),
    ["T", t("Tills")],
    ["X", t("Print X report")],
    ["L", t("Lock")],
    ["F9", t("Close shift")],
    BACK(),
  ],
  close: () => [["Enter", t("Next field")], ["F9", t("Close shift")], BACK()],
  open: () => [["F9", t("Open shift")]],
};

export const help = (app) => {
  const own = OWN[app.page === "pay" && app.current.firstElementChild.paid ? "paid" : app.page]?.() ?? [BACK()];
  const taken = new Set(own.flatMap(([name]) => name.split(", ")));
  const others = app.shift?.state === "open" ? EVERYWHERE().filter(([name]) => !taken.has(name)) : [];
  const list = (rows) =>
    html`<dl class="keys">
      ${rows.map(
        ([name, label]) =>
          html`<div>
            <dt><kbd>${name}</kbd></dt>
            <dd>${label}</dd>
          </div>`,
      )}
    </dl>`;
  return app.dialog.ask({
    title: t("Keys"),
    yes: null,
    no: t("Close"),
    body: html`${list(own)}${
      others.length
        ? html`<h3>${t("On every page")}</h3>
            ${list(others)}`
        : nothing
    }`,
  });
};
