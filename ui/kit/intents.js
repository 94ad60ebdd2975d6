// Commands whose answer is not known yet: on the disk before they are sent, repeated by their key until they are
// answered.
import { newKey, Refusal, Unreachable } from "./api.js";
import { APP, ask } from "./session.js";

const STORE = "intents";
const WAITS_MS = [500, 1000, 2000, 4000, 8000, 15_000];
/** Answers are kept by the store for longer than this; older ones are never repeated. */
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
/** Where the browser keeps nothing: this tab does, as long as it is open. */
const tab = {
  all: () => JSON.parse(sessionStorage.getItem(STORE) ?? "[]"),
  delete: (key) => sessionStorage.setItem(STORE, JSON.stringify(tab.all().filter((one) => one.key !== key))),
  put: (intent) => {
    tab.delete(intent.key);
    sessionStorage.setItem(STORE, JSON.stringify([...tab.all(), intent]));
  },
};
/** Whether what is begun outlives the tab. */
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
  // The till and Store Admin of one browser leave each other's commands alone.
  return all.filter(({ app = APP }) => app === APP).sort((a, b) => a.created_at - b.created_at);
};

const isOpen = (error) =>
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
      if (!isOpen(error)) {
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
const became = (key, result) => {
  outcomes.set(key, result);
  if (outcomes.size > OUTCOMES_MAX) outcomes.delete(outcomes.keys().next().value);
};

/** Sends one that is kept until there is an answer; then it is forgotten. */
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
    became(intent.key, { done: true, answer });
    return answer;
  } catch (error) {
    became(intent.key, { done: false, error });
    // A manager's word can still make it a command that is done; a dead session only waits for its person.
    if (error.status !== 401 && !["approval_required", "approval_refused", "pin_locked"].includes(error.code))
      await forget(intent.key);
    throw error;
  } finally {
    underWay.delete(intent.key);
  }
};

/**
 * A new command of this person, on the disk and not sent yet.
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

/** A new command that is sent at once. An approval is sent and never stored. */
export const begin = async (userId, command, approval, report) =>
  finish(await keep(userId, command, Boolean(approval)), approval, report);

export const drop = forget;

/** An expired session decides nothing: the command waits for its person. */
const known = (error) => {
  if (error.status === 401) throw error;
  return null;
};

/**
 * What became of one that its person left unfinished: `done`, not done with its `error`, or null where nobody knows.
 * What is too old to be repeated, and what a manager had approved, `again(intent, isOld)` looks up: its answer, or
 * null.
 * @param {any} intent
 * @param {(unanswered: any) => void} report
 * @param {(intent: any, isOld: boolean) => Promise<any>} [again]
 */
export const settle = async (intent, report, again = async () => null) => {
  const isOld = Date.now() - intent.created_at > REPEAT_WITHIN_MS;
  if (isOld || intent.approved) {
    const answer = await again(intent, isOld).catch(known);
    await forget(intent.key);
    return { intent, done: answer ? true : null, answer };
  }
  try {
    return { intent, done: true, answer: await finish(intent, null, (error) => report(error && intent)) };
  } catch (error) {
    known(error);
    await forget(intent.key);
    return { intent, done: false, error };
  }
};

/** What this person left unfinished, one after another; what others left is named and waits for them. */
export const resumeAll = async (userId, report, again) => {
  const results = [];
  for (const intent of await waiting()) {
    results.push(intent.user_id === userId ? await settle(intent, report, again) : { intent, other: true });
  }
  return results;
};
