// The till's menu: occasional actions, by touch.
import { html, nothing } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { lang, t } from "../kit/i18n.js";

/** Locks the till, and asks for the next cashier. */
const changeCashier = (app) => {
  app.changing = true;
  app.lock();
};

export const menu = (app) => {
  const choose = (act) => () => {
    app.dialog.close(null);
    act();
  };
  const entry = (name, label, act) =>
    html`<button type="button" class="btn big" @click=${choose(act)}>${icon(name)}${label}</button>`;
  const { shift } = app;
  const dark = document.documentElement.dataset.theme === "dark";
  app.dialog.ask({
    title: app.registerName ?? t("Till"),
    yes: null,
    no: t("Close"),
    body: html`<div class="stack s menu">
      ${
        shift
          ? html`${entry("receipt", t("Receipts of this shift"), () =>
              app.show("receipts"),
            )}${entry("clock", t("Shift and cash"), () => app.show("cash"))}`
          : nothing
      }
      ${entry(
        "refresh-cw",
        app.unsettled ? `${t("Unconfirmed actions")}: ${app.unsettled}` : t("Unconfirmed actions"),
        () => app.show("unconfirmed"),
      )}
      ${entry("key-round", t("My devices"), () => app.show("devices"))}${entry("smartphone", t("This device"), () =>
        app.show("device"),
      )}
      ${entry("languages", lang() === "id" ? "English" : "Bahasa Indonesia", () =>
        app.speak(lang() === "id" ? "en" : "id"),
      )}
      ${entry("moon", dark ? t("Light theme") : t("Dark theme"), () => app.theme(dark ? "light" : "dark"))}
      ${
        shift
          ? html`${entry("users", t("Change cashier"), () => changeCashier(app))}${entry("lock", t("Lock"), () =>
              app.lock(),
            )}`
          : nothing
      }${entry("log-out", t("Log out"), () => app.logOut())}
    </div>`,
  });
};
