// The till is locked while nobody is at it: the basket stays readable, the same person goes on, by password or device.
import { html, nothing } from "../vendor/lit.js";
import { words } from "../shared/codes.js";
import { field, icon } from "../shared/controls.js";
import { t } from "../shared/i18n.js";
import { LAST } from "../shared/login.js";
import { able, proven, provenByDevice } from "../shared/session.js";

/** Whose till is locked: a page that is loaded anew is locked as well. */
const LOCKED = "locked";

export const lock = async (app) => {
  const { user } = app;
  localStorage.setItem(LOCKED, user.id);
  const back = await app.dialog.ask({
    locks: true, title: t("Locked"), text: user.name, yes: t("Go on"), no: t("Log out"),
    body: html`${field(t("Login name"), html`<input class="input" id="unlock-name" name="username" autocomplete="username" maxlength="128" .value=${localStorage.getItem(LAST) ?? ""}>`, "unlock-name")}
      ${field(t("Password"), html`<input class="input" id="unlock" name="password" type="password" autocomplete="current-password" maxlength="128" data-focus>`, "unlock")}`,
    more: able() ? html`<button class="btn big" name="by" value="device">${icon("key-round")}${t("Go on with a device")}</button>` : nothing,
    act: async ({ username, password, by }) => {
      document.getElementById("unlock").value = "";
      let who;
      try {
        who = await (by ? provenByDevice(username) : proven(username, password));
      } catch (error) {
        error.words = words(error);
        throw error;
      }
      if (who !== user.id) throw new Error(t("Only {name} goes on here; somebody else logs in", { name: user.name }));
    },
  });
  localStorage.removeItem(LOCKED);
  if (back === null) await app.logOut();
};
