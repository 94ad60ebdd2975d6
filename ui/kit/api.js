// The one file that calls fetch.
/** A refusal of the store, with a `code` of its error table. */
export class Refusal extends Error {
  /** Text for users if the code has none. */
  words;

  constructor(status, error, retryAfter) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.details = error.details ?? {};
    this.requestId = error.request_id;
    this.retryAfter = retryAfter;
  }
}
/** No answer: the outcome is unknown. */
export class Unreachable extends Error {}

/** Replayed answers: nothing was done now. */
export const earlier = new WeakSet();

const ANSWER_WITHIN_MS = 15_000;
/** Version of these pages, from their address. */
const BUILD = /\/ui\/([^/]+)\//.exec(import.meta.url)?.[1];

/** Each answer names the served version of the pages. Another one is reported to the app as `newer`. */
const noteBuild = (answer) => {
  const served = answer.headers.get("X-Build");
  if (served && served !== BUILD) dispatchEvent(new CustomEvent("newer", { detail: served }));
  return answer;
};

/** 22 random characters; `crypto.randomUUID` is absent over plain HTTP. */
export const newKey = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(22));
  return Array.from(
    bytes,
    (byte) => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[byte & 63],
  ).join("");
};

/** A path of the API with its parameters. */
export const path = (pattern, params = {}, query = {}) => {
  const filled = pattern.replace(/:([a-z_]+)/g, (_, name) => encodeURIComponent(params[name]));
  const asked = new URLSearchParams(
    Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== ""),
  );
  return asked.size ? `${filled}?${asked}` : filled;
};

/**
 * @typedef {object} Request
 * @property {any} [body]
 * @property {string} [type] The body's media type; JSON without it.
 * @property {string} [key] The idempotency key.
 * @property {number | string} [match] The version that a change expects.
 * @property {string | null} [token]
 * @property {string | null} [register]
 * @property {string} [accept]
 * @property {string} [session] The app whose cookie is meant.
 */

/**
 * One request, one answer: `data` of it, or its text. A body of another `type` goes as it is.
 * @param {string} method
 * @param {string} url
 * @param {Request} [request]
 */
export const send = async (method, url, { body, type, key, match, token, register, accept, session } = {}) => {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = type ?? "application/json";
  if (key) headers["Idempotency-Key"] = key;
  if (match) headers["If-Match"] = `"${match}"`;
  if (token) headers.Authorization = `Bearer ${token}`;
  if (register) headers["X-Register-Id"] = register;
  if (accept) headers.Accept = accept;
  if (session) headers["X-Session"] = `cookie; app=${session}`;
  let answer;
  let text;
  try {
    answer = noteBuild(
      await fetch(url, {
        method,
        headers,
        body: body === undefined || type ? body : JSON.stringify(body),
        cache: "no-store",
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      }),
    );
    text = await answer.text();
  } catch (error) {
    throw new Unreachable(error.message);
  }
  if (answer.ok && accept) return text;
  let envelope;
  try {
    envelope = JSON.parse(text);
  } catch {
    throw new Unreachable(`${answer.status} without a body`);
  }
  if (!envelope.success)
    throw new Refusal(answer.status, envelope.error, Number(answer.headers.get("Retry-After")) || 0);
  if (answer.headers.get("Idempotency-Replayed") && envelope.data) earlier.add(envelope.data);
  return envelope.data;
};

/** Reads a stream of text until `signal` ends it; `take` receives each part. */
export const follow = async (url, { token, last, signal, take }) => {
  const headers = {
    Authorization: `Bearer ${token}`,
    Accept: "text/event-stream",
    ...(last ? { "Last-Event-ID": last } : {}),
  };
  const answer = noteBuild(await fetch(url, { headers, cache: "no-store", signal }));
  if (!answer.ok) throw new Refusal(answer.status, (await answer.json()).error, 0);
  const text = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await text.read();
    if (done) return;
    take(value);
  }
};
