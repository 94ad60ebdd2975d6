// All that can be done on the page of the basket, each with its key.
import { html, nothing } from "../vendor/lit.js";
import { icon, key } from "../shared/controls.js";
import { t } from "../shared/i18n.js";
import { discount, editLine } from "./line.js";
import { chooseMember } from "./member.js";
import { voidBasket } from "./void.js";

const list = (app, page) => [
  ["user-round", t("Member"), "F2", () => chooseMember(app)], ["percent", t("Discount on the line"), "F3", () => discount(app, false)],
  ["percent", t("Discount on the basket"), "Shift F3", () => discount(app, true)], ["calculator", t("Change the line"), "F4", () => editLine(app)],
  ["pause", t("Hold"), "F6", () => page.hold()], ["list-restart", t("Recall"), "F7", () => app.show("holds")],
  ["undo-2", t("Return"), "F8", () => app.show("return")], ["clock", t("Shift and cash"), "F10", () => app.show("cash")],
  ["receipt", t("Receipts of this shift"), "", () => app.show("receipts")], ["printer", t("Print the last receipt again"), "Ctrl P", () => app.reprint()],
  ["trash-2", t("Void basket"), "", () => voidBasket(app)],
];

export const actions = (app, page) => {
  const all = list(app, page);
  const choose = ([, , , act]) => {
    app.dialog.close(null);
    act();
  };
  app.dialog.ask({
    title: t("All actions"), yes: null, no: t("Close"),
    body: html`<div class="stack s menu wide-menu">${all.map((one, index) => html`<button type="button" class="btn big" ?data-focus=${index === 0} @click=${() => choose(one)}>${icon(one[0])}${one[1]}${one[2] ? key(one[2]) : nothing}</button>`)}</div>`,
  });
};
