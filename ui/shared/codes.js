// What each refusal of the error table says to a person, and what to do.
import { Unreachable } from "./api.js";
import { money, number } from "./format.js";
import { lang, t } from "./i18n.js";

export const TEXTS = {
  invalid_json: "The page sent something that the store can't read. Reload the page",
  invalid_cursor: "The list has changed. Load it again",
  invalid_header: "The page sent a header that the store does not take. Reload the page",
  invalid_query: "The filter is not one that the store knows",
  missing_token: "Log in again",
  invalid_token: "Log in again",
  token_expired: "Log in again",
  token_revoked: "You were logged out elsewhere. Log in again",
  invalid_credentials: "The login name or the password is wrong",
  insufficient_role: "Your role has no part in this",
  network_not_allowed: "This device is outside of the shop's network",
  approval_required: "A manager has to approve this",
  approval_refused: "The manager's login name, password or device is wrong. Nothing was done; type it again",
  already_counted: "Somebody else counted this product here",
  approval_limited: "Too many approvals were refused. Wait a few minutes",
  account_disabled: "This account is disabled",
  not_found: "Nothing was found under this number",
  method_not_allowed: "The store does not do this. Reload the page",
  request_timeout: "The request came too late. Try again",
  invalid_state: "It has changed in the meantime: this step is no longer possible",
  version_conflict: "Another page has changed this basket. It is shown as it is now: do your change again",
  shift_already_open: "This till or this person has an open shift already",
  no_open_shift: "There is no open shift. Open one first",
  shift_has_open_transactions: "A basket is still open. Finish or void it first",
  insufficient_stock: "The books have too few pieces of it",
  insufficient_points: "The member has too few points",
  duplicate: "This exists already",
  day_locked: "The books of this day are locked",
  not_ready: "Something else has to be done first",
  request_in_progress: "The store is busy. Not confirmed yet, don't ring it up again",
  body_too_large: "This is too much at once",
  unsupported_media_type: "The store can't read this kind of file",
  misdirected_request: "The store is not known under this address",
  validation_failed: "Something is wrong in what was typed",
  unknown_sku: "Not in the catalogue",
  unknown_member: "There is no such member",
  payment_mismatch: "The payment does not fit what is due",
  return_exceeds_sold: "More would come back than was sold",
  over_receipt: "More would be received than was ordered",
  idempotency_key_reused: "A defect: one key was used twice. Call support",
  unbalanced: "The sides of the entry differ",
  rate_limited: "Too many attempts. Wait a moment",
  internal: "A defect in the store's program. Nothing was done",
  unavailable: "The store is busy. Try again in a moment",
  damaged: "A part of the store's records is damaged: call support. What is beside it is not",
  storage_full: "The disk is full. Nothing is lost, but nothing can be sold until there is room",
};

/** Why a device gave no answer, by the browser's names. */
const DEVICE = { NotAllowedError: "No device answered, or it was cancelled", InvalidStateError: "This device is registered already" };

/** What the page sent wrong: no more a person's doing than what failed at the server. */
const DEFECTS = ["invalid_json", "invalid_header", "method_not_allowed", "idempotency_key_reused"];

/** A refusal in words, with the figures that came with it; how long to wait may be `counted` beside it. */
export const words = (error, counted = false) => {
  if (error.device) return t(DEVICE[error.device] ?? "The device can't do this here");
  if (error instanceof Unreachable) return t("The store's box does not answer");
  if (!error.code || !error.details) return t("A defect in this page: {message}. Reload it", { message: error.message });
  if (error.code === "rate_limited" && error.retryAfter && !counted) return t("Too many attempts. Try again in {n} s", { n: number(error.retryAfter) });
  const { details } = error;
  const text = t(TEXTS[error.code] ?? "The store refused: {message}", { message: error.message });
  const more = [];
  // What is wrong with a field the server says in English alone; elsewhere the field is named.
  for (const { path, problem } of details.fields ?? []) if (problem) more.push(lang() === "en" ? problem : t(path.replace(/\[\d+\]/g, "").split(".").at(-1)));
  if (details.amount_due !== undefined) more.push(t("due is {amount}", { amount: money(details.amount_due) }));
  if (details.available !== undefined) more.push(t("available: {n}", { n: number(details.available) }));
  if (details.skus) more.push(details.skus.join(", "));
  const said = more.length ? `${text}: ${more.join("; ")}` : text;
  const theirs = error.requestId && (error.status >= 500 || DEFECTS.includes(error.code));
  return theirs ? `${said} (${t("request {id}", { id: error.requestId })})` : said;
};
