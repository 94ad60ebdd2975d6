// My own PIN at this store: set, changed and removed.
import { html, nothing } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { ask } from "../kit/form.js";
import { date } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { hasPin } from "./known.js";
import "./texts.js";

const OWN = "/api/auth/pin";

/** The part of the page that shows the PIN. */
export const ownPin = (page) => {
  const { app, pin } = page;
  if (!pin) return nothing;
  return html`<section class="panel pad stack s">
    <h2>${t("PIN")}</h2>
    <p>
      ${
        pin.is_locked
          ? t("The PIN was wrong too often. Log in with your password to use it again")
          : pin.set_at
            ? t("Set on {date}", { date: date(pin.set_at) })
            : t("None")
      }
    </p>
    <p class="muted">
      ${t("Logs in, unlocks and approves at tills where you have logged in within 30 days. The first time, use your password or a passkey")}
    </p>
    <div class="rowx wrap">
      <button class="btn" id="set-pin" @click=${() => setPin(page)}>
        ${icon("key-round")}${pin.set_at ? t("Change the PIN") : t("Set a PIN")}
      </button>
      ${
        pin.set_at
          ? html`<button class="btn" id="remove-pin" @click=${() => removePin(page, app)}>
              ${icon("trash-2")}${t("Remove the PIN")}
            </button>`
          : nothing
      }
    </div>
  </section>`;
};

const setPin = async (page) => {
  const { app } = page;
  const done = await ask(app, {
    title: t("Set a PIN"),
    text: t("4 to 8 digits. Not one digit repeated, and no digits that count up or down"),
    yes: t("Save"),
    list: [
      { name: "pin", kind: "password", label: t("New PIN"), required: true, focus: true },
      {
        name: "again",
        kind: "password",
        label: t("Confirm your password"),
        ...(page.items?.length ? { hint: t("Leave blank to confirm with a passkey") } : { required: true }),
      },
    ],
    act: async ({ pin, again }) => app.change("PUT", OWN, { pin, ...(await page.confirmed(again)) }),
  });
  if (!done) return;
  hasPin(app.user.id, true);
  await page.saved(t("PIN saved"));
};

const removePin = async (page, app) => {
  const done = await ask(app, {
    title: t("Remove the PIN?"),
    text: t("You log in with your password"),
    yes: t("Remove"),
    danger: true,
    act: () => app.change("DELETE", OWN),
  });
  if (!done) return;
  hasPin(app.user.id, false);
  await page.saved(t("Removed"));
};
