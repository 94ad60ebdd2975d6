// Users with a recent log-in at this till: names, and the tokens with which their PINs work here.

/** `ui/pos/locking.js` looks for this prefix of the key. */
const KEPT = "till.people";
const MOST = 8;

/**
 * @typedef {object} Person
 * @property {string} id
 * @property {string} name
 * @property {string} role
 * @property {string} username
 * @property {string} token
 * @property {boolean} has_pin
 */

/** The latest first. */
export const people = () => /** @type {Person[]} */ (JSON.parse(localStorage.getItem(KEPT) ?? "[]"));

const put = (list) => localStorage.setItem(KEPT, JSON.stringify(list.slice(0, MOST)));

/** Stores a log-in; with a PIN the known login name is kept. */
export const remember = ({ user: { id, name, role }, till_token: token, has_pin }, username) => {
  const before = people();
  const typed = username ?? before.find((one) => one.id === id)?.username ?? "";
  put([{ id, name, role, username: typed, token, has_pin }, ...before.filter((one) => one.id !== id)]);
  // The module is needed while the store can't be reached, when it could not be loaded.
  if (has_pin) import("./people.js").catch(() => {});
};

/** Records that a person set a PIN, removed it, or needs the password before it works here again. */
export const hasPin = (id, has) => put(people().map((one) => (one.id === id ? { ...one, has_pin: has } : one)));

/** Returns whether a token has not expired. Its middle part is JSON. */
const isAlive = ({ token }) => {
  try {
    return JSON.parse(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"))).exp * 1000 > Date.now();
  } catch {
    return false;
  }
};

/** Returns managers other than this person whose PIN works here. */
export const approvers = (id) =>
  people().filter(
    (one) => one.has_pin && one.id !== id && ["admin", "store_manager"].includes(one.role) && isAlive(one),
  );

/** Returns the body of a log-in by PIN. */
export const byPin = ({ token }, pin) => ({ till_token: token, pin });

/** Refusals after which this person needs the password or a device. */
const OVER = ["token_expired", "token_revoked", "invalid_token", "pin_locked"];
export const isOver = (error) => OVER.includes(error.code);
