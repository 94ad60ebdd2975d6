// Commands that are stored before they are sent, and sent again with the same key until they are answered.
import { newKey, Refusal, Unreachable } from "./api.js";
import { APP, ask } from "./session.js";

const STORE = "intents";
const WAITS_MS = [500, 1000, 2000, 4000, 8000, 15_000];
/** The store keeps answers longer than this. Older commands are not sent again. */
const REPEAT_WITHIN_MS = 6 * 24 * 3_600_000;

const promised = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
let opened = null;
const database = () => {
  opened ??= (async () => {
    const request = indexedDB.open("pos", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "key" });
    return promised(request);
  })();
  return opened;
};
/** Replaces the database if the browser refuses one. It ends with the tab. */
const tab = {
  all: () => JSON.parse(sessionStorage.getItem(STORE) ?? "[]"),
  delete: (key) => sessionStorage.setItem(STORE, JSON.stringify(tab.all().filter((one) => one.key !== key))),
  put: (intent) => {
    tab.delete(intent.key);
    sessionStorage.setItem(STORE, JSON.stringify([...tab.all(), intent]));
  },
};
/** Whether commands outlive the tab. */
export const isSafe = () =>
  database().then(
    () => true,
    () => false,
  );
const change = async (act) => {
  if (!(await isSafe())) {
    act(tab);
    return undefined;
  }
  const transaction = (await database()).transaction(STORE, "readwrite", { durability: "strict" });
  act(transaction.objectStore(STORE));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error);
  });
};
const forget = (key) => change((store) => store.delete(key));

/** All waiting commands, oldest first. */
export const waiting = async () => {
  const all = (await isSafe())
    ? await promised((await database()).transaction(STORE).objectStore(STORE).getAll())
    : tab.all();
  // The till and Store Admin of one browser have separate commands.
  return all.filter(({ app = APP }) => app === APP).sort((a, b) => a.created_at - b.created_at);
};

/** Whether the command may be sent again. */
const canRetry = (error) =>
  error instanceof Unreachable ||
  (error instanceof Refusal && ([408, 429, 503].includes(error.status) || error.code === "request_in_progress"));

/**
 * Sends a command until it is answered; `report` is called after each attempt without an answer.
 * @param {(error: any) => void} [report]
 */
export const persist = async (method, url, options, report = () => {}) => {
  for (let tries = 0; ; tries += 1) {
    try {
      const answer = await ask(method, url, options);
      report(null);
      return answer;
    } catch (error) {
      if (!canRetry(error)) {
        report(null);
        throw error;
      }
      report(error);
      const wait = (error.retryAfter ?? 0) * 1000 || WAITS_MS[Math.min(tries, WAITS_MS.length - 1)];
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
};

/** Pending commands of this page by key, and the outcomes of the last ones. */
const underWay = new Map();
const OUTCOMES_MAX = 50;
const outcomes = new Map();
export const isUnderWay = (key) => underWay.has(key);
/** Whether a command below this address is pending. */
export const isAsked = (address) => [...underWay.values()].some((url) => url.startsWith(address));
export const outcome = (key) => outcomes.get(key);
const setOutcome = (key, result) => {
  outcomes.set(key, result);
  if (outcomes.size > OUTCOMES_MAX) outcomes.delete(outcomes.keys().next().value);
};

/** Sends a stored command until it is answered, and then removes it. */
export const finish = async (intent, approval, report) => {
  const body = approval ? { ...intent.body, approval } : intent.body;
  underWay.set(intent.key, intent.url);
  try {
    const answer = await persist(
      intent.method,
      intent.url,
      { body, key: intent.key, match: intent.match, register: intent.register },
      report,
    );
    await forget(intent.key);
    setOutcome(intent.key, { done: true, answer });
    return answer;
  } catch (error) {
    setOutcome(intent.key, { done: false, error });
    // An approval or a new log-in may still complete it.
    if (error.status !== 401 && !["approval_required", "approval_refused", "pin_locked"].includes(error.code))
      await forget(intent.key);
    throw error;
  } finally {
    underWay.delete(intent.key);
  }
};

/**
 * Stores a new command of this user, without sending it.
 * @param {any} userId
 * @param {object} intent
 * @param {string} [intent.method]
 * @param {string} intent.url
 * @param {any} [intent.body]
 * @param {string} intent.label
 * @param {number | null} [intent.amount]
 * @param {boolean} [intent.quiet]
 * @param {number | string} [intent.match]
 * @param {string | null} [intent.register]
 * @param {string} [intent.by]
 * @param {string} [intent.key]
 */
export const keep = async (
  userId,
  { method = "POST", url, body = {}, label, amount = null, quiet = false, match, register, by, key = newKey() },
  approved = false,
) => {
  const intent = {
    key,
    app: APP,
    user_id: userId,
    by,
    method,
    url,
    body,
    label,
    amount,
    quiet,
    match,
    register,
    approved,
    created_at: Date.now(),
  };
  await change((store) => store.put(intent));
  return intent;
};

/** Stores a new command and sends it. An approval is never stored. */
export const begin = async (userId, command, approval, report) =>
  finish(await keep(userId, command, Boolean(approval)), approval, report);

export const drop = forget;

/** Returns null, but throws an expired session: then the command waits for its user. */
const unlessExpired = (error) => {
  if (error.status === 401) throw error;
  return null;
};

/**
 * Completes a command that its user left unfinished. `done` is true, false with the `error`, or null if unknown. One
 * that is old or was approved is not sent again: `again(intent, isOld)` looks up its answer, or null.
 * @param {any} intent
 * @param {(unanswered: any) => void} report
 * @param {(intent: any, isOld: boolean) => Promise<any>} [again]
 */
export const settle = async (intent, report, again = async () => null) => {
  const isOld = Date.now() - intent.created_at > REPEAT_WITHIN_MS;
  if (isOld || intent.approved) {
    const answer = await again(intent, isOld).catch(unlessExpired);
    await forget(intent.key);
    return { intent, done: answer ? true : null, answer };
  }
  try {
    return { intent, done: true, answer: await finish(intent, null, (error) => report(error && intent)) };
  } catch (error) {
    unlessExpired(error);
    await forget(intent.key);
    return { intent, done: false, error };
  }
};

/** Completes this user's unfinished commands, one after another. Those of others are only listed. */
export const resumeAll = async (userId, report, again) => {
  const results = [];
  for (const intent of await waiting()) {
    results.push(intent.user_id === userId ? await settle(intent, report, again) : { intent, other: true });
  }
  return results;
};
