// All that can be done on the page of the basket, each with its key.
import { html, nothing } from "../vendor/lit.js";
import { icon, key } from "../kit/controls.js";
import { t } from "../kit/i18n.js";
import { isRapid, letterWait } from "../kit/scan.js";
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
  ["trash-2", t("Void sale"), "", () => voidBasket(app)],
];

export const actions = (app, page) => {
  const all = list(app, page);
  let digit = null;
  let last;
  /** A digit chooses, once it is known that no scanner typed it. */
  const onKey = ({ key: pressed, timeStamp: time, target }) => {
    clearTimeout(digit);
    const rapid = pressed.length === 1 && isRapid(time, last);
    last = time;
    const one = /^[1-9]$/.test(pressed) && !rapid && all[Number(pressed) - 1];
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
            ${index < 9 ? key(String(index + 1)) : nothing}${icon(one[0])}${one[1]}${one[2] ? key(one[2]) : nothing}
          </button>`,
      )}
    </div>`,
  });
};
