// The till is locked while nobody is at it: the basket stays readable, the same person goes on by password.
import { html } from "../vendor/lit.js";
import { words } from "../shared/codes.js";
import { field } from "../shared/controls.js";
import { t } from "../shared/i18n.js";
import { LAST } from "../shared/login.js";
import { proven } from "../shared/session.js";

/** Whose till is locked: a page that is loaded anew is locked as well. */
const LOCKED = "locked";

export const lock = async (app) => {
  const { user } = app;
  localStorage.setItem(LOCKED, user.id);
  const back = await app.dialog.ask({
    title: t("Locked"), text: user.name, yes: t("Go on"), no: t("Log out"),
    body: html`${field(t("Login name"), html`<input class="input" id="unlock-name" name="username" autocomplete="username" maxlength="128" .value=${localStorage.getItem(LAST) ?? ""}>`, "unlock-name")}
      ${field(t("Password"), html`<input class="input" id="unlock" name="password" type="password" autocomplete="current-password" maxlength="128" data-focus>`, "unlock")}`,
    act: async ({ username, password }) => {
      document.getElementById("unlock").value = "";
      let who;
      try {
        who = await proven(username, password);
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
