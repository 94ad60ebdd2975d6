// Refusals of the error table in words: the text of a code is `error.<code>`.
import { Unreachable } from "./api.js";
import { money, number } from "./format.js";
import { known, t } from "./i18n.js";

/** Reasons why a device did not answer, by the browser's names. */
const DEVICE = {
  NotAllowedError: "No passkey was used, or it was cancelled",
  InvalidStateError: "This device already has a passkey",
};

/** Defects of the page, which are not the user's fault. */
const DEFECTS = ["invalid_json", "invalid_header", "method_not_allowed", "idempotency_key_reused"];

/** A refusal in words, with the figures that came with it; how long to wait may be `counted` beside it. */
export const words = (error, counted = false) => {
  if (error.device) return t(DEVICE[error.device] ?? "This device does not support passkeys here");
  if (error instanceof Unreachable) return t("No connection to the store server");
  if (!error.code || !error.details) return t("Page error: {message}. Reload the page", { message: error.message });
  if (error.code === "rate_limited" && error.retryAfter && !counted)
    return t("Too many attempts. Try again in {n} s", { n: number(error.retryAfter) });
  const { details } = error;
  const stated = `error.${error.code}.${details.state}`;
  const code = known(stated) ? stated : `error.${error.code}`;
  const text = known(code) ? t(code) : t("The store refused: {message}", { message: error.message });
  const more = [];
  // The problem of a field is in English, and the field's name in the page's language.
  for (const { path, problem } of details.fields ?? [])
    if (problem) {
      const name = path
        .replace(/\[\d+\]/g, "")
        .split(".")
        .at(-1);
      more.push(known(name) ? `${t(name)} ${problem}` : problem);
    }
  if (details.amount_due !== undefined) more.push(t("due is {amount}", { amount: money(details.amount_due) }));
  if (details.available !== undefined) more.push(t("available: {n}", { n: number(details.available) }));
  if (details.skus) more.push(details.skus.join(", "));
  const sentence = more.length ? `${text}: ${more.join("; ")}` : text;
  const theirs = error.requestId && (error.status >= 500 || DEFECTS.includes(error.code));
  return theirs ? `${sentence} (${t("request {id}", { id: error.requestId })})` : sentence;
};
