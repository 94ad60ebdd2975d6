// Machine: the actors of the store and their state, with its backups and verifications.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { icon, notice } from "../kit/controls.js";
import { day, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { title } from "../kit/list.js";
import { Page } from "../kit/page.js";
import { since } from "./parts.js";
import "./work.js";

const AGAIN_MS = 2000;
/** Time for which a changed row is marked. */
const MARKED_MS = 2000;
/** Length at which a queue is highlighted. */
const QUEUE_LONG = 100;

/** Purpose of each actor by name; a shift's is that of its till. */
const PARTS = {
  supervisor: ["Supervisor", "Starts each component and restarts it if it fails"],
  ledger: ["Stock ledger", "Stock, cash, days and documents"],
  members: ["Members", "Members and their points"],
  sessions: ["Sessions", "People, log-ins, passkeys"],
  catalogue: ["Catalogue", "Products, prices, promotions"],
  outbox: ["Outgoing records", "Sent to head office"],
  hub_connection: ["Link", "The connection to head office"],
  shifts: ["Shifts", "One component for each open shift"],
};

/** Returns the tree as rows, each with its depth and path. */
const rows = (node, depth = 0) =>
  node ? [{ ...node, depth }, ...node.children.flatMap((child) => rows(child, depth + 1))] : [];

class PageMachine extends Page {
  constructor() {
    super();
    this.tree = null;
    this.shifts = new Map();
    this.changed = new Map();
    this.notice = "";
  }

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
    // A hidden tab is not refreshed.
    this.timer = setInterval(() => !document.hidden && this.load(), AGAIN_MS);
  }

  disconnectedCallback() {
    clearInterval(this.timer);
    super.disconnectedCallback();
  }

  onEvent(name) {
    if (["ready", "shift"].includes(name)) this.load();
  }

  load() {
    const { app } = this;
    return this.readBy(async () => {
      const [{ root }, shifts] = await Promise.all([
        app.get("/api/admin/actors"),
        app.get("/api/shifts", {}, { state: "open", limit: 100 }),
      ]);
      return { shifts: new Map(shifts.items.map((one) => [`shift:${one.shift_id}`, one])), root };
    });
  }

  /** Marks what has changed since the last answer, and reports it once. */
  set root(node) {
    const tree = rows(node);
    const before = new Map((this.tree ?? []).map((one) => [one.name, one]));
    const now = Date.now();
    for (const one of this.tree ? tree : []) {
      const old = before.get(one.name);
      if (old && old.state === one.state && old.restarts === one.restarts) continue;
      this.changed.set(one.name, now);
      if (!old) this.notice = t("{name} started", { name: this.nameOf(one) });
      else if (one.state !== "running") this.notice = t("{name} is restarting", { name: this.nameOf(one) });
      else this.notice = t("{name} is running again", { name: this.nameOf(one) });
    }
    this.tree = tree;
  }

  isMarked(name) {
    return Date.now() - (this.changed.get(name) ?? 0) < MARKED_MS;
  }

  nameOf({ name }) {
    const shift = this.shifts.get(name);
    if (shift) return t("Shift at {till}", { till: this.app.till(shift.register_id) });
    return PARTS[name] ? t(PARTS[name][0]) : name;
  }

  async restart(one) {
    const { app } = this;
    const name = this.nameOf(one);
    const agreed = await app.dialog.ask({
      title: t("Restart {name}?", { name }),
      yes: t("Restart"),
      no: t("Keep"),
      danger: true,
      text: t(
        "The component stops and restarts immediately. Confirmed data is not lost; requests in progress are repeated. You can keep selling",
      ),
    });
    if (!agreed) return;
    await this.once(async () => {
      await app.change("POST", path("/api/admin/actors/:name/restart", { name: one.name }), {});
      await this.load();
      app.say("ok", t("{name} is running again", { name }));
    });
  }

  row(one) {
    const shift = this.shifts.get(one.name);
    const runs = one.state === "running";
    const about = shift
      ? t("since {time}, open", { time: day(shift.business_date) })
      : PARTS[one.name]
        ? t(PARTS[one.name][1])
        : "";
    const may = this.app.user.role === "admin" && one.depth > 0;
    return html`<tr id=${`part-${one.name}`} class=${this.isMarked(one.name) ? "marked" : nothing}>
      <td class="depth depth-${Math.min(one.depth, 3)}">
        <div>
          <b><bdi>${this.nameOf(one)}</bdi></b> <code>${shift ? nothing : one.name}</code
          ><span class="muted">${about}</span>
        </div>
      </td>
      <td>
        <span class="badge ${runs ? "ok" : "warn"}"
          >${icon(runs ? "check" : "refresh-cw", "icon-s")}${t(one.state)}</span
        >
      </td>
      <td class="num ${one.mailbox >= QUEUE_LONG ? "differs" : ""}">${number(one.mailbox)}</td>
      <td class="num">${number(one.restarts)}</td>
      <td class="d2">${since(one.started_at)}</td>
      <td class="why">${one.last_failure ? html`<bdi>${one.last_failure}</bdi>` : nothing}</td>
      ${
        this.app.user.role === "admin"
          ? html`<td class="num">
              ${
                may
                  ? html`<button class="btn" ?disabled=${this.busy} @click=${() => this.restart(one)}>
                      ${icon("refresh-cw")}${t("Restart")}<span class="vh">${this.nameOf(one)}</span>
                    </button>`
                  : nothing
              }
            </td>`
          : nothing
      }
    </tr>`;
  }

  health() {
    const away = this.tree.filter(({ state }) => state !== "running");
    if (away.length)
      return notice(
        "warn",
        "refresh-cw",
        t("{names} is restarting. Tills repeat their requests automatically", {
          names: away.map((one) => this.nameOf(one)).join(", "),
        }),
      );
    const long = this.tree.filter(({ mailbox }) => mailbox >= QUEUE_LONG);
    if (long.length)
      return notice(
        "warn",
        "clock",
        t("Long queue at {names}: the disk or server is slow", {
          names: long.map((one) => this.nameOf(one)).join(", "),
        }),
      );
    return html`<p class="calm">
      ${icon("circle-check")}${t("All {n} components running", { n: number(this.tree.length) })}
    </p>`;
  }

  /** Returns in words whether everything runs. */
  state() {
    if (!this.tree) return this.awaited();
    return this.error ? notice("warn", "cloud-off", t("No connection to the store server")) : this.health();
  }

  parts() {
    if (!this.tree) return nothing;
    const head = [
      [t("Component")],
      [t("Status")],
      [t("Queue"), "num"],
      [t("Restarts"), "num"],
      [t("Running since"), "d2"],
      [t("Last failure")],
      ...(this.app.user.role === "admin" ? [["", "num"]] : []),
    ];
    return html`<p class="vh" role="status">${this.notice}</p>
      <div class="panel scroll">
        <table class="grid fold tree">
          <thead>
            <tr>
              ${head.map(
                ([label, kind]) =>
                  html`<th scope="col" class=${kind ?? ""}>
                    ${label || html`<span class="vh">${t("Restart")}</span>`}
                  </th>`,
              )}
            </tr>
          </thead>
          <tbody>
            ${this.tree.map((one) => this.row(one))}
          </tbody>
        </table>
      </div>
      ${
        this.app.user.role === "admin"
          ? nothing
          : html`<p class="muted">${t("Only an administrator can restart a component")}</p>`
      }`;
  }

  render() {
    return html`${title(t("Server"), this.app.find())}
      <div class="stack">
        ${this.state()}<store-work .app=${this.app}></store-work>
        <details class="technical">
          <summary>${t("Technical details")}</summary>
          <h2>${t("Components")}</h2>
          ${this.parts()}
        </details>
      </div>`;
  }
}
customElements.define("page-machine", PageMachine);
