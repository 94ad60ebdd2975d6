// Users with a recent log-in at this till: names, and the tokens with which their PINs work here.

/** The key begins with what `ui/pos/locking.js` looks at. */
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

/** After a log-in; by PIN the login name is the one that is known. */
export const remember = ({ user: { id, name, role }, till_token: token, has_pin }, username) => {
  const before = people();
  const typed = username ?? before.find((one) => one.id === id)?.username ?? "";
  put([{ id, name, role, username: typed, token, has_pin }, ...before.filter((one) => one.id !== id)]);
  // It is needed when the box is away, and could not be loaded then.
  if (has_pin) import("./people.js").catch(() => {});
};

/** This person set a PIN, removed it, or has to show the password again before it works here. */
export const hasPin = (id, has) => put(people().map((one) => (one.id === id ? { ...one, has_pin: has } : one)));

/** Whether a token's time is not over. Its middle part is JSON. */
const isAlive = ({ token }) => {
  try {
    return JSON.parse(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"))).exp * 1000 > Date.now();
  } catch {
    return false;
  }
};

/** Managers other than this person whose PIN works here. */
export const approvers = (id) =>
  people().filter(
    (one) => one.has_pin && one.id !== id && ["admin", "store_manager"].includes(one.role) && isAlive(one),
  );

/** What a PIN is asked with. */
export const byPin = ({ token }, pin) => ({ till_token: token, pin });

/** Refusals after which only the password or a device logs this person in. */
const OVER = ["token_expired", "token_revoked", "invalid_token", "pin_locked"];
export const isOver = (error) => OVER.includes(error.code);
