// Where the shift stands: at this till, at another one, at several that share its drawer, or at none.
import { html } from "../vendor/lit.js";
import { t } from "../kit/i18n.js";
import "./texts.js";

const choice = (shift, { register_id: id, name, open_shift: open }, isFirst) => {
  const isOwn = shift.register_ids.includes(id);
  const isTaken = open && !isOwn;
  return html`<label class="rowx"
    ><input type="checkbox" name=${id} ?checked=${isOwn} ?disabled=${isTaken} ?data-focus=${isFirst} /><span
      >${isTaken ? t("{till}: shift of {name}", { till: name, name: open.cashier_name }) : name}</span
    ></label
  >`;
};

/** Asks at which tills the shift of this page stands: their IDs, or null. */
export const askTills = async (app) => {
  const { registers } = await app.get("/api/pos/settings");
  const { shift } = app;
  const answer = await app.dialog.ask({
    title: t("Tills of this shift"),
    text: t(
      "Several tills share one drawer. Without a till the shift is suspended: nothing is sold until it is continued",
    ),
    yes: t("Save"),
    body: html`<div class="stack s" id="tills">${registers.map((one, index) => choice(shift, one, index === 0))}</div>`,
  });
  return answer && registers.map(({ register_id: id }) => id).filter((id) => id in answer);
};

/** Where the shift stands, in words; null if it is at this till alone. */
export const standing = (app) => {
  const names = app.shift.register_ids.map(
    (id) => app.settings.registers.find((one) => one.register_id === id)?.name ?? id,
  );
  if (!names.length) return t("This shift is suspended. Choose a till to continue");
  if (!app.shift.register_ids.includes(app.register))
    return t("This shift is at {tills}. Choose this till to bring it here", { tills: names.join(", ") });
  return names.length > 1 ? t("This drawer is shared by {tills}", { tills: names.join(", ") }) : null;
};
