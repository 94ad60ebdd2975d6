// A client of the Store Router or the Cloud Hub: it logs in, renews its tokens, gives every change an idempotency key,
// and repeats requests that the server asks it to repeat.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import createClient, { type Client } from "openapi-fetch";

export interface Password {
  username: string;
  password: string;
}

/** A key of a program at head office, `srk_…`, instead of a person's password. */
export interface ApiKey {
  apiKey: string;
}

export type Credentials = Password | ApiKey;

/** A register, for clients that are tills. */
export interface Options {
  registerId?: string;
}

/** Requests that failed on the way, or have no answer yet, are sent this many times. */
const ATTEMPTS = 5;
/** A token is renewed this many seconds before it expires. */
const MARGIN_S = 60;

interface Tokens {
  token: string;
  refresh_token: string;
  expires_in: number;
}

/** Answers a client whose requests carry the session's token, after a log-in, or the API key. */
export async function connect<Paths extends {}>(
  baseUrl: string,
  credentials: Credentials,
  options: Options = {},
): Promise<Client<Paths>> {
  const session = await Session.start(baseUrl, credentials);
  return createClient<Paths>({ baseUrl, fetch: (request) => session.send(request, options) });
}

class Session {
  private renewal: Promise<void> | undefined;

  private constructor(
    private readonly baseUrl: string,
    private tokens: Tokens,
    private expiresAt: number,
  ) {}

  static async start(baseUrl: string, credentials: Credentials): Promise<Session> {
    if ("apiKey" in credentials) {
      return new Session(baseUrl, { token: credentials.apiKey, refresh_token: "", expires_in: 0 }, Infinity);
    }
    const session = new Session(baseUrl, { token: "", refresh_token: "", expires_in: 0 }, 0);
    await session.take("/api/auth/login", credentials);
    return session;
  }

  async send(request: Request, options: Options): Promise<Response> {
    if (Date.now() > this.expiresAt - MARGIN_S * 1000) {
      await this.renew();
    }
    request.headers.set("Authorization", `Bearer ${this.tokens.token}`);
    if (options.registerId !== undefined) {
      request.headers.set("X-Register-Id", options.registerId);
    }
    if (request.method !== "GET" && !request.headers.has("Idempotency-Key")) {
      request.headers.set("Idempotency-Key", randomUUID());
    }
    return repeated(request);
  }

  /** One renewal serves all requests that wait for it, since a refresh token works once. */
  private renew(): Promise<void> {
    const body = { refresh_token: this.tokens.refresh_token };
    this.renewal ??= this.take("/api/auth/refresh", body).finally(() => (this.renewal = undefined));
    return this.renewal;
  }

  private async take(path: string, body: object): Promise<void> {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": randomUUID() };
    const request = new Request(this.baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
    const response = await repeated(request);
    const answer = (await response.json()) as { data?: Tokens; error?: { message: string } };
    if (answer.data === undefined) {
      throw new Error(`${path}: ${response.status}: ${answer.error?.message}`);
    }
    this.tokens = answer.data;
    this.expiresAt = Date.now() + answer.data.expires_in * 1000;
  }
}

/** Whether the server is busy, or still decides an earlier request with the same key. */
async function isTemporary(response: Response): Promise<boolean> {
  if (response.status === 409) {
    const answer = (await response.clone().json()) as { error?: { code: string } };
    return answer.error?.code === "request_in_progress";
  }
  return response.status === 503;
}

/** Sends a request until it has its final answer. Its key makes the repetition safe. */
async function repeated(request: Request): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const last = attempt === ATTEMPTS;
    const response = await fetch(request.clone()).catch((error: unknown) => {
      if (last) throw error;
      return undefined;
    });
    if (response !== undefined && (last || !(await isTemporary(response)))) {
      return response;
    }
    const wait = Number(response?.headers.get("Retry-After") ?? attempt);
    await sleep(wait * 1000);
  }
}

interface Page<Item> {
  items: Item[];
  next_cursor?: string | null;
}

/** All items of a list, page by page. `load` sends the request with the cursor. */
export async function* items<Item>(
  load: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item> {
  let cursor: string | undefined;
  do {
    const page = await load(cursor);
    yield* page.items;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/** An operation that also answers CSV has text as another type of its answer. */
interface Answer<Data> {
  data?: { data: Data } | string;
  error?: { error: { code: string; message: string } };
}

/** The data of a success in JSON; a failure is thrown with its code. */
export function expect<Data>(answer: Answer<Data>): Data {
  if (typeof answer.data === "object") {
    return answer.data.data;
  }
  const failure = answer.error?.error;
  throw new Error(failure === undefined ? "the answer is not JSON" : `${failure.code}: ${failure.message}`);
}

export interface ServerEvent {
  event: string;
  id: string;
  data: unknown;
}

/** The events of a response of `GET /api/events`, as they arrive. */
export async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    const blocks = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const field = (name: string) =>
        block.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field("data");
      if (data !== undefined) {
        yield { event: field("event") ?? "message", id: field("id") ?? "", data: JSON.parse(data) };
      }
    }
  }
}
