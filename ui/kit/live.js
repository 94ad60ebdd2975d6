// Events of the store or head office while a page is open: one stream, which continues after an interruption.
import { createParser } from "../vendor/events.js";
import { Refusal } from "./api.js";
import { events, refresh } from "./session.js";

const AGAIN_MS = [1000, 2000, 5000, 10_000];
/** The store sends a heartbeat every 15 s. */
const SILENT_MS = 40_000;
/** A hidden tab closes its stream: a browser has six per store. */
const HIDDEN_MS = 30_000;

export class Live {
  /** `onEvent(name, data)` receives each event; `ready` comes first, and `resumed` says whether nothing was missed. */
  constructor(onEvent) {
    this.onEvent = onEvent;
    this.last = null;
    this.line = null;
    this.on = false;
    this.trying = false;
    /** Whether events arrive; without them pages poll. */
    this.receives = false;
    document.addEventListener("visibilitychange", () => this.shown());
  }

  start() {
    if (this.on) return;
    this.on = true;
    this.last = null;
    this.ended = null;
    this.connect();
  }

  stop() {
    this.on = false;
    this.line?.abort();
  }

  shown() {
    clearTimeout(this.leaving);
    if (document.hidden) this.leaving = setTimeout(() => this.line?.abort(), HIDDEN_MS);
    else if (this.on) this.connect();
  }

  async connect() {
    if (this.trying) return;
    this.trying = true;
    await this.try();
    this.trying = false;
  }

  async try() {
    for (let tries = 0; this.on && !(tries && document.hidden); tries += 1) {
      this.line = new AbortController();
      const begun = Date.now();
      const again = await this.listen(this.line.signal);
      this.receives = false;
      clearTimeout(this.silence);
      if (!again) {
        // The next user begins a new stream.
        this.on = false;
        return;
      }
      if (Date.now() - begun > SILENT_MS) tries = 0;
      const wait = AGAIN_MS[Math.min(tries, AGAIN_MS.length - 1)];
      await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random() / 2)));
    }
  }

  /** One connection; returns whether to reconnect. */
  async listen(signal) {
    const line = this.line;
    const alive = () => {
      clearTimeout(this.silence);
      this.silence = setTimeout(() => line.abort(), SILENT_MS);
    };
    const parser = createParser({ onEvent: (event) => this.take(event) });
    try {
      alive();
      await events({
        signal,
        last: this.last,
        take: (text) => {
          alive();
          parser.feed(text);
        },
      });
    } catch (error) {
      if (!(error instanceof Refusal)) return this.on;
      if (error.code === "token_expired") return this.renewed();
      return error.status === 503 || error.status === 429;
    }
    return this.ended === "token_expired" ? this.renewed() : this.on && this.ended !== "token_revoked";
  }

  /** Renews the session. Only an ended session ends the stream; a server that does not answer is asked again. */
  renewed() {
    this.ended = null;
    const over = (error) => error instanceof Refusal && (error.status === 401 || error.status === 403);
    return refresh().then(
      () => this.on,
      (error) => this.on && !over(error),
    );
  }

  take({ event, data, id }) {
    if (id) this.last = id;
    const body = JSON.parse(data);
    if (event === "ready") this.receives = true;
    if (event === "end") this.ended = body.code;
    this.onEvent(event, body);
  }
}
