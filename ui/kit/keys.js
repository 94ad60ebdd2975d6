// The keys of an app with a menu, shown by `?`; shortcuts can be turned off for voice control.
import { html, nothing } from "../vendor/lit.js";
import { t } from "./i18n.js";

export const keys = async (app) => {
  const others = [
    ["Ctrl K", t("Go to\u2026")],
    ["/", t("Filter")],
    ["j k", t("Next, previous row")],
    ["[ ]", t("Previous, next document")],
    ["n", t("New")],
    ["Ctrl Enter", t("The page's main button")],
    ["Esc", t("Back")],
  ];
  const places = app.places().map(([letter, label]) => [`g ${letter}`, label]);
  const list = (rows) =>
    html`<dl class="keys">
      ${rows.map(
        ([key, label]) =>
          html`<div>
            <dt><kbd>${key}</kbd></dt>
            <dd>${label}</dd>
          </div>`,
      )}
    </dl>`;
  await app.dialog.ask({
    title: t("Keys"),
    yes: null,
    no: t("Close"),
    body: (update) =>
      html`${app.letters ? list([...others, ...places]) : list(others.slice(0, 1))}
        <label class="rowx"
          ><input
            type="checkbox"
            .checked=${app.letters}
            @change=${(event) => {
              app.setLetters(event.target.checked);
              update();
            }}
          /><span>${t("Letter keys")}</span></label
        >${
          app.letters ? nothing : html`<p class="muted">${t("Letter keys are off. Turn them on under My devices")}</p>`
        }`,
  });
};
