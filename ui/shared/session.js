// Who works here: the access token lives in this module, the refresh token in a cookie that scripts can't read.
import { newKey, Refusal, send } from "./api.js";

const GENERATION = "session.generation";
let token = null;
let renewed = 0;
let lifetime = 0;
let refreshing = null;

const keep = (data) => {
  token = data.token;
  renewed = Date.now();
  lifetime = data.expires_in * 1000;
  localStorage.setItem(GENERATION, newKey());
};

/** Two tabs that refresh at one moment send the same key and get the same successor. */
export const refresh = () => {
  refreshing ??= (async () => {
    try {
      const key = localStorage.getItem(GENERATION) ?? newKey();
      keep(await send("POST", "/api/auth/refresh", { body: {}, key, session: true }));
    } finally {
      refreshing = null;
    }
  })();
  return refreshing;
};

export const logIn = async (username, password) => {
  const data = await send("POST", "/api/auth/login", { body: { username, password }, session: true });
  keep(data);
  return data.user;
};

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
  await send("POST", "/api/auth/logout", { body: {}, token: ended, session: true });
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
