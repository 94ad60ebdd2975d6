// Receipts and reports on paper: on the till's own printer, else by the browser. A failed print changes no sale.
import { path } from "../kit/api.js";
import { t } from "../kit/i18n.js";
import { printText } from "../kit/print.js";
import { ask } from "../kit/session.js";

const AGAIN_MS = 300;
const UNDER_WAY = ["waiting", "printing"];
const pause = () => new Promise((resolve) => setTimeout(resolve, AGAIN_MS));

/** Prints once. It is never repeated automatically, since a second receipt is marked as a copy. */
const byStore = async (app, url, body) => {
  let job = await ask("POST", url, { body, register: app.register });
  app.say("ok", t("Printing\u2026"));
  while (UNDER_WAY.includes(job.state)) {
    await pause();
    job = await app.get("/api/print-jobs/:id", { id: job.job_id });
  }
  // Only the cashier sees whether paper came out.
  if (job.state === "printed") app.say("ok", t("Sent to the printer"));
  else app.say("warn", t("Not printed: {why}. Print again when it is ready", { why: t(job.problem) }));
};

const print = async (app, own, text, body = {}) => {
  try {
    if (app.settings.printing.register_ids.includes(app.register)) await byStore(app, own, body);
    else printText(app, await text());
  } catch (error) {
    app.fail(error);
  }
};

export const printReceipt = (app, no) =>
  print(app, path("/api/pos/receipts/:no/prints", { no }), () => app.receiptPaper(no));
/** Prints the goods without their prices, for a gift. */
export const printGift = (app, no) =>
  print(
    app,
    path("/api/pos/receipts/:no/prints", { no }),
    () => app.get("/api/pos/receipts/:no", { no }, { gift: true }, "text/plain"),
    { gift: true },
  );
export const printReport = (app, id) =>
  print(app, path("/api/shifts/:id/prints", { id }), () => app.get("/api/shifts/:id/report", { id }, {}, "text/plain"));
