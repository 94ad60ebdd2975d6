// The session: this module has the access token, and a cookie that scripts can't read has the refresh token.
import { follow, newKey, Refusal, send } from "./api.js";

/** Name of this app. Each app has its own session in a browser. */
export const APP = { "/pos": "pos", "/admin": "admin" }[location.pathname] ?? "portal";
const GENERATION = `session.generation.${APP}`;
/** A session whose end the store has not confirmed yet. */
const LEAVING = `session.leaving.${APP}`;
const LEAVE_AGAIN_MS = [500, 1000, 2000, 4000, 8000, 15_000];
let token = null;
let renewed = 0;
let lifetime = 0;
let refreshing = null;
/** While the page is locked: the promise that requests wait for. */
let locked = null;

/** `generation` is the key of the next refresh. */
const keep = (data, generation = newKey()) => {
  token = data.token;
  renewed = Date.now();
  lifetime = data.expires_in * 1000;
  localStorage.setItem(GENERATION, generation);
  localStorage.removeItem(LEAVING);
  locked?.resolve();
  locked = null;
};
/** The key after a key, the same in each tab. */
const after = (key) => {
  const [name, number = 0] = key.split(".");
  return `${name}.${Number(number) + 1}`;
};

/** Runs in one tab at a time. Over plain HTTP a browser has no locks. */
const inTurn = (act) => (navigator.locks ? navigator.locks.request(GENERATION, act) : act());

/**
 * Starts a user's session. If only one user may log in (`only`), another one's session ends at once, unless that user
 * takes over (`instead`).
 */
const admit = (data, username, only, instead) => {
  const other = only && data.user.id !== only;
  if (!other || instead) {
    if (other) drop();
    keep(data);
    if (APP === "pos")
      import("../pins/known.js").then(
        (known) => known.remember(data, username),
        () => {},
      );
    return data.user;
  }
  token = data.token;
  localStorage.setItem(LEAVING, newKey());
  leave();
  throw Object.assign(new Error("somebody else"), { other: true });
};

/** Two tabs that refresh at the same time take turns, or send the same key and get the same token. */
export const refresh = () => {
  refreshing ??= (async () => {
    try {
      await inTurn(async () => {
        const key = localStorage.getItem(GENERATION) ?? newKey();
        const data = await send("POST", "/api/auth/refresh", { body: {}, key, session: APP });
        // The page may have been locked meanwhile, or the user logged out.
        if (!locked && !isLeaving()) keep(data, after(key));
      });
    } finally {
      refreshing = null;
    }
  })();
  return refreshing;
};

/** Logs in at this address. */
export const enter = async (url, body, ...who) => {
  await left();
  return admit(await send("POST", url, { body, session: APP }), ...who);
};

export const logIn = (username, password, ...only) =>
  enter("/api/auth/login", { username, password }, username, ...only);

// Passkeys. Browsers have them over HTTPS and on localhost only.
export const able = () => isSecureContext && Boolean(window.PublicKeyCredential?.parseRequestOptionsFromJSON);

/**
 * A passkey's answer to a ceremony, for the store. Throws an error with a text if the user cancels, or has no passkey.
 */
export const assertion = async ({ ceremony_id: id, public_key: asked }) => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(asked);
  return { ceremony_id: id, credential: (await touched(() => navigator.credentials.get({ publicKey }))).toJSON() };
};

export const touched = async (act) => {
  try {
    return await act();
  } catch (error) {
    throw Object.assign(new Error(error.message), { device: error.name });
  }
};

const signed = async (username) =>
  assertion(await send("POST", "/api/auth/webauthn/login/start", { body: { username } }));

export const logInByDevice = async (username, ...only) =>
  enter("/api/auth/webauthn/login/finish", await signed(username), username, ...only);

export const resume = async () => {
  if (!localStorage.getItem(GENERATION)) return null;
  try {
    await refresh();
    return (await send("GET", "/api/auth/me", { token })).user;
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 401) throw error;
    localStorage.removeItem(GENERATION);
    return null;
  }
};

// ---- the end of a session

/**
 * Whether the store has not confirmed yet that the session ended. Until then the browser's cookie could renew it.
 */
export const isLeaving = () => localStorage.getItem(LEAVING) !== null;

const isUnauthorized = (error) => error instanceof Refusal && error.status === 401;

/**
 * Ends the session of the browser's cookie, by its access token or a new one. If it can't be renewed, it has ended.
 */
const end = async () => {
  const sent = (by) => send("POST", "/api/auth/logout", { body: {}, token: by, session: APP });
  const spare = token;
  token = null;
  try {
    await refreshing?.catch(() => {});
    try {
      await sent(spare);
    } catch (error) {
      if (!isUnauthorized(error)) throw error;
      const { token: fresh } = await send("POST", "/api/auth/refresh", { body: {}, key: newKey(), session: APP });
      await sent(fresh);
    }
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
  }
  localStorage.removeItem(LEAVING);
};

let ending = null;
/** Ends old sessions before a log-in. */
const left = async () => {
  if (!isLeaving()) return;
  ending ??= end().finally(() => {
    ending = null;
  });
  await ending;
};

/**
 * Repeats the request until the store has ended the session, also after a reload; `report` is called after each try.
 * @param {(error: any) => void} [report]
 */
export const leave = async (report = () => {}) => {
  for (let tries = 0; isLeaving(); tries += 1) {
    try {
      await left();
    } catch (error) {
      report(error);
      await new Promise((resolve) => setTimeout(resolve, LEAVE_AGAIN_MS[Math.min(tries, LEAVE_AGAIN_MS.length - 1)]));
    }
  }
  report(null);
};

const over = () =>
  Object.assign(new Refusal(401, { code: "missing_token", message: "the session is over" }, 0), { over: true });

/** Drops the requests that wait behind a lock. */
const drop = () => {
  locked?.reject(over());
  locked = null;
};

/** Nothing of this user is sent from now on. Requests behind a lock wait until the user logs in. */
export const logOut = (report) => {
  localStorage.setItem(LEAVING, newKey());
  localStorage.removeItem(GENERATION);
  drop();
  return leave(report);
};

/** From now on requests wait until the user logs in again, or end when the user logs out. */
export const hold = () => {
  token = null;
  localStorage.removeItem(GENERATION);
  locked ??= Promise.withResolvers();
  locked.promise.catch(() => {});
};

/** Ends the session behind a lock. */
export const putAway = (report) => {
  const leaving = logOut(report);
  hold();
  return leaving;
};

export const ask = async (method, url, options = {}) => {
  await locked?.promise;
  if (token && Date.now() - renewed > lifetime * 0.8) await refresh();
  try {
    return await send(method, url, { ...options, token });
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
    // A lock ended the session during the request.
    if (locked) await locked.promise;
    else if (error.code === "token_expired") await refresh();
    else throw error;
    return send(method, url, { ...options, token });
  }
};

/** The stream of events for the user. */
export const events = async (options) => {
  await locked?.promise;
  if (token && Date.now() - renewed > lifetime * 0.8) await refresh();
  return follow("/api/events", { ...options, token });
};
