// Who works here: the access token lives in this module, the refresh token in a cookie that scripts can't read.
import { follow, newKey, Refusal, send } from "./api.js";

/** Which app this is: each has a session of its own in the same browser. */
export const APP = { "/pos": "pos", "/admin": "admin" }[location.pathname] ?? "portal";
const GENERATION = `session.generation.${APP}`;
let token = null;
let renewed = 0;
let lifetime = 0;
let refreshing = null;

/** `generation` is the key of the next refresh. */
const keep = (data, generation = newKey()) => {
  token = data.token;
  renewed = Date.now();
  lifetime = data.expires_in * 1000;
  localStorage.setItem(GENERATION, generation);
};
/** What comes after a key: the same in each tab, whichever of them hears its answer last. */
const after = (key) => {
  const [name, number = 0] = key.split(".");
  return `${name}.${Number(number) + 1}`;
};

/** One tab after the other; over plain HTTP a browser has no locks. */
const inTurn = (act) => (navigator.locks ? navigator.locks.request(GENERATION, act) : act());

/** Two tabs that refresh at one moment take turns, or send the same key and get the same successor. */
export const refresh = () => {
  refreshing ??= (async () => {
    try {
      await inTurn(async () => {
        const key = localStorage.getItem(GENERATION) ?? newKey();
        keep(await send("POST", "/api/auth/refresh", { body: {}, key, session: APP }), after(key));
      });
    } finally {
      refreshing = null;
    }
  })();
  return refreshing;
};

export const logIn = async (username, password) => {
  const data = await send("POST", "/api/auth/login", { body: { username, password }, session: APP });
  keep(data);
  return data.user;
};

/** Who it is that was let in; the session of the page goes on as it is. */
const proved = async ({ user, token: spare }) => {
  await send("POST", "/api/auth/logout", { body: {}, token: spare }).catch(() => {});
  return user.id;
};

/** Who has this password. */
export const proven = async (username, password) => proved(await send("POST", "/api/auth/login", { body: { username, password } }));

// Passkeys: what a device signs in place of a password. Browsers have them over HTTPS and on localhost only.
/** Whether this browser, at this address, has passkeys. */
export const able = () => isSecureContext && Boolean(window.PublicKeyCredential?.parseRequestOptionsFromJSON);

/** A known device's answer to a ceremony, as the store takes it. Nobody touched it, or there is none: an error with words. */
export const assertion = async ({ ceremony_id: id, public_key: asked }) => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(asked);
  return { ceremony_id: id, credential: (await touched(() => navigator.credentials.get({ publicKey }))).toJSON() };
};

/** A new key of this device. */
export const creation = async ({ ceremony_id: id, public_key: asked }) => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(asked);
  return { ceremony_id: id, credential: (await touched(() => navigator.credentials.create({ publicKey }))).toJSON() };
};

const touched = async (act) => {
  try {
    return await act();
  } catch (error) {
    throw Object.assign(new Error(error.message), { device: error.name });
  }
};

const signed = async (username) => assertion(await send("POST", "/api/auth/webauthn/login/start", { body: { username } }));

/** By a device that was registered: no password is typed. */
export const logInByDevice = async (username) => {
  const data = await send("POST", "/api/auth/webauthn/login/finish", { body: await signed(username), session: APP });
  keep(data);
  return data.user;
};

/** Whose device this is. */
export const provenByDevice = async (username) => proved(await send("POST", "/api/auth/webauthn/login/finish", { body: await signed(username) }));

/** The person of the cookie, or nobody. */
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

export const logOut = async () => {
  const ended = token;
  token = null;
  localStorage.removeItem(GENERATION);
  await send("POST", "/api/auth/logout", { body: {}, token: ended, session: APP });
};

/** A request of the person who is logged in. */
export const ask = async (method, url, options = {}) => {
  if (token && Date.now() - renewed > lifetime * 0.8) await refresh();
  try {
    return await send(method, url, { ...options, token });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "token_expired") throw error;
    await refresh();
    return send(method, url, { ...options, token });
  }
};

/** The stream of what happens, for the person who is logged in. */
export const events = async (options) => {
  if (token && Date.now() - renewed > lifetime * 0.8) await refresh();
  return follow("/api/events", { ...options, token });
};
