// A secret of a program, which must be copied now because it is not stored.
import { html } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { t } from "../kit/i18n.js";
import "./texts.js";

/** Shows the secret once. */
export const showSecret = (app, { name, secret }) => {
  const copy = async ({ currentTarget }) => {
    const shown = currentTarget.closest("dialog").querySelector(".token");
    try {
      await navigator.clipboard.writeText(secret);
      app.say("ok", t("Copied"));
    } catch {
      // Without HTTPS a page can't write to the clipboard: the secret is selected, to be copied by hand.
      getSelection().selectAllChildren(shown);
    }
  };
  return app.dialog.ask({
    title: t("Secret of {name}", { name }),
    text: t("Copy it to the program now. It is shown only once"),
    yes: null,
    no: t("Done"),
    body: html`<p class="token" tabindex="0" data-focus>${secret}</p>
      <p><button type="button" class="btn" @click=${copy}>${icon("clipboard-list")}${t("Copy")}</button></p>`,
  });
};
