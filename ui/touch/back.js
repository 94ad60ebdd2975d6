// The browser's Back, which is a swipe from the edge on many tablets: it acts like Escape, and never leaves the till.
import { t } from "../kit/i18n.js";

/** One step back within the till. */
const stepBack = (app) => {
  const page = app.current?.firstElementChild;
  if (!app.user || app.locked) return;
  if (app.dialog?.isOpen) app.dialog.close(null);
  else if (app.page === "sell" && !page?.line?.value)
    app.say("warn", t("To leave the till, choose Log out in the menu"));
  else page?.keys?.().Escape?.();
};

export const staysOnBack = (app) => {
  // Browsers skip a history entry without a user's press, so it is made again at the next press.
  const stay = () => {
    if (!history.state?.till) history.pushState({ till: true }, "");
  };
  for (const name of ["pointerdown", "keydown"]) document.addEventListener(name, stay, { capture: true });
  addEventListener("popstate", () => {
    if (history.state?.till) return;
    stepBack(app);
    stay();
  });
};
