// All actions on the basket page, each with its key.
import { html, nothing } from "../vendor/lit.js";
import { icon, key } from "../kit/controls.js";
import { t } from "../kit/i18n.js";
import { isRapid, letterWait } from "../kit/scan.js";
import { MOVES } from "./drawer.js";
import { discount, editLine } from "./line.js";
import { chooseMember } from "./member.js";
import { priceCheck } from "../selling/price_check.js";
import { voidBasket } from "./void.js";

/** @type {(app: any, page: any) => [icon: string, label: string, key: string, act: () => unknown][]} */
const list = (app, page) => [
  ["user-round", t("Member"), "F2", () => chooseMember(app)],
  ["percent", t("Discount on the item"), "F3", () => discount(app, false)],
  ["percent", t("Discount on the sale"), "Shift F3", () => discount(app, true)],
  ["calculator", t("Edit item"), "F4", () => editLine(app)],
  ["pause", t("Hold"), "F6", () => page.hold()],
  ["list-restart", t("Recall"), "F7", () => app.show("holds")],
  ["undo-2", t("Return"), "F8", () => app.show("return")],
  ["clock", t("Shift and cash"), "F10", () => app.show("cash")],
  ["receipt", t("Receipts of this shift"), "", () => app.show("receipts")],
  ["tag", t("Price check"), "Shift F4", () => priceCheck(app)],
  ["printer", t("Print the last receipt again"), "Ctrl P", () => app.reprint()],
  ["trash-2", t("Void sale"), "Shift Del", () => voidBasket(app)],
  ["shopping-basket", t("Products"), "", () => app.show("products")],
  ...moves(app),
];

/** @type {(app: any) => [string, string, string, () => unknown][]} */
const moves = (app) => MOVES.map(({ type, icon: name }) => [name, t(type), "", () => movesCash(app, type)]);

const movesCash = async (app, type) => {
  await app.show("cash");
  app.current.firstElementChild.move?.(type);
};

/** Keys of the actions, in order. */
const KEYS = [..."1234567890ABCDEFGHIJ"];
const STEPS = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -1, ArrowRight: 1 };

/** The arrows move between the buttons, up and down by a row. */
const walks = (event) => {
  const step = STEPS[event.key];
  const buttons = [...event.currentTarget.querySelectorAll(".btn")];
  const at = buttons.indexOf(event.target);
  if (!step || at < 0) return;
  const columns = getComputedStyle(event.currentTarget).gridTemplateColumns.split(" ").length;
  const to = at + step * (/Up|Down/.test(event.key) ? columns : 1);
  event.preventDefault();
  buttons[to]?.focus();
};

export const actions = (app, page) => {
  const all = list(app, page);
  let digit = null;
  let last;
  /** A key chooses an action, after it is certain that no scanner typed it. */
  const onKey = (event) => {
    const { key: pressed, timeStamp: time, target } = event;
    walks(event);
    clearTimeout(digit);
    const rapid = pressed.length === 1 && isRapid(time, last);
    last = time;
    const plain = !event.ctrlKey && !event.altKey && (app.letters !== false || /\d/.test(pressed));
    const one = plain && !rapid && all[KEYS.indexOf(pressed.toUpperCase())];
    if (one) digit = setTimeout(() => target.isConnected && choose(one), letterWait());
  };
  const choose = ([, , , act]) => {
    app.dialog.close(null);
    act();
  };
  app.dialog.ask({
    title: t("All actions"),
    yes: null,
    no: t("Close"),
    body: html`<div class="stack s menu wide-menu" @keydown=${onKey}>
      ${all.map(
        (one, index) =>
          html`<button type="button" class="btn big" ?data-focus=${index === 0} @click=${() => choose(one)}>
            ${key(KEYS[index])}${icon(one[0])}<span>${one[1]}</span>${one[2] ? key(one[2]) : nothing}
          </button>`,
      )}
    </div>`,
  });
};
