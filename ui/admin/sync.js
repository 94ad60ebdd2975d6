// Head office: the connection, the backlog, values that lost and can be restored, records that could not be applied,
// and the comparison of counts.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { icon, notice } from "../kit/controls.js";
import { ago, clock, date, number, span, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { ListPage, title } from "../kit/list.js";
import { moment, pairs, since } from "./parts.js";
import "./sync_lists.js";

const AGAIN_MS = 10_000;
const SLOW_MS = 120_000;

/** State of the connection, in words that say whether action is required. */
const LINKS = {
  online: "Connected. Sales are sent immediately",
  offline: "Not connected. No action needed: data is stored and sent when the connection is back",
  backing_off: "Not connected. No action needed: data is stored and sent when the connection is back",
  rejected: "Head office rejects this store. Ask if it was disabled; all data is kept",
  not_configured: "This store is not connected to a head office",
};
/** What to do about a problem, by its code. */
const TO_DO = {
  rejected: "Ask head office if this store was disabled. You can keep selling",
  unreachable: "Check the store's internet connection. You can keep selling",
  backlog: "No action needed while it shrinks. If it grows, check the internet connection",
  parked: "The list below says who has to do what",
  digest_difference: "Check all data, here and at head office",
  feed_unusable: "Head office corrects the record, or one of the two users gets a different login name",
  clock_skew: "Set the server's clock",
  fenced: "Find the other server running as this store. Only one may sell",
  refilling: "Wait. Sales can start again when the records are here",
};

class PageSync extends ListPage {
  status;

  constructor() {
    super();
    this.pattern = "/api/conflicts";
  }

  connectedCallback() {
    super.connectedCallback();
    this.timer = setInterval(() => !document.hidden && this.look(), AGAIN_MS);
  }

  disconnectedCallback() {
    clearInterval(this.timer);
    super.disconnectedCallback();
  }

  /** `of` is how many there were when the list was read from its beginning. */
  async listed(more) {
    const { total } = this.status.conflicts;
    return { ...(await super.listed(more)), of: more ? this.of : total };
  }

  /** Reads the state. The lists are read again only when they have grown, so that readers keep their position. */
  async look() {
    await this.readBy(
      async () => ({ status: await this.app.get("/api/sync/status") }),
      () => this.status,
    );
    if (!this.error && this.status && this.of !== this.status.conflicts.total) await super.load();
  }

  async load(more) {
    if (more) await super.load(true);
    else await this.look();
  }

  onEvent(name) {
    if (["ready", "sync", "conflict"].includes(name)) this.look();
  }

  force(full) {
    return this.once(async () => {
      if (full) {
        const agreed = await this.app.dialog.ask({
          title: t("Resync all data from head office?"),
          text: t(
            "Products, prices, members and people are downloaded again. This may take minutes; you can keep selling",
          ),
          yes: t("Resync"),
        });
        if (!agreed) return;
      }
      const done = await this.app.change("POST", "/api/sync/force", { full });
      await this.look();
      const what = t("{sent} records sent, {taken} changes received", {
        sent: number(done.pushed),
        taken: number(done.pulled),
      });
      if (done.completed) this.app.say("ok", what);
      else
        this.app.say(
          "warn",
          done.error
            ? t("Not finished: head office could not be reached or refused. It continues automatically")
            : t("{what}. The rest continues automatically", { what }),
        );
    });
  }

  async restore(one) {
    const { app } = this;
    const lost = Object.entries(one.lost_fields)
      .map(([name, value]) => `${t(name)}: ${value === null ? "\u2013" : value}`)
      .join(", ");
    const agreed = await app.dialog.ask({
      title: t("Restore the overwritten value?"),
      text: t("{lost}. The value is restored here and at head office and noted in the audit log", { lost }),
      yes: t("Restore"),
      no: t("Keep"),
    });
    if (!agreed) return;
    await this.once(async () => {
      await app.command({ url: path("/api/conflicts/:id/restore", { id: one.conflict_id }), label: "Restore" });
      app.say("ok", t("Restored and sent to head office"));
      this.of = null;
      await this.look();
    });
  }

  row(one) {
    const place = { member: "members", product_settings: "stock" }[one.resource];
    // Settings of a product are identified by store and product.
    const id = one.resource === "product_settings" ? one.id.slice(one.id.indexOf(":") + 1) : one.id;
    const what = html`<b>${t(one.resource)}</b>
      ${place ? html`<a href=${`#/${place}/${encodeURIComponent(id)}`}><bdi>${id}</bdi></a>` : html`<bdi>${id}</bdi>`}`;
    const by = one.winner === "hub" ? t("head office's value applies") : t("this store's value applies");
    return html`<tr>
      <td>
        <div>${what}<br /><span class="muted">${moment(one.resolved_at)} · ${by}</span></div>
      </td>
      <td><div>${pairs(one.kept_fields)}</div></td>
      <td><div>${pairs(one.lost_fields)}</div></td>
      <td class="num">
        ${
          one.restored_at
            ? html`<span class="badge ok">${t("restored")}</span>`
            : html`<button class="btn" ?disabled=${this.busy} @click=${() => this.restore(one)}>
                ${icon("history")}${t("Restore")}
              </button>`
        }
      </td>
    </tr>`;
  }

  problem(one) {
    return notice(
      "bad",
      "triangle-alert",
      html`<p>
          <b>${t(`problem.${one.code}`)}</b>
          <span class="muted"
            >${one.since ? t("since {time}", { time: `${date(one.since)} ${time(one.since)}` }) : ""}</span
          >
        </p>
        ${TO_DO[one.code] ? html`<p>${t(TO_DO[one.code])}</p>` : nothing}
        <details>
          <summary>${t("Technical details")}</summary>
          <p><bdi>${one.message}</bdi></p>
        </details>`,
    );
  }

  figures() {
    const { hub, outbox, inbound, clock_skew_ms: skew, conflicts } = this.status;
    const box = (label, value, note) =>
      html`<div>
        <dt>${label}</dt>
        <dd>${value}</dd>
        ${note ? html`<dd class="muted">${note}</dd>` : nothing}
      </div>`;
    const next =
      hub.next_attempt_at && hub.state !== "online" ? t("next retry {time}", { time: time(hub.next_attempt_at) }) : "";
    const last = hub.last_success_at ? t("last {time}", { time: ago(hub.last_success_at) }) : "";
    const off = skew === null ? "" : Math.abs(skew) >= SLOW_MS ? t("set the server's clock") : t("within tolerance");
    return html`<dl class="figures panel">
      ${box(t("Link"), t(hub.state), [last, next].filter(Boolean).join(", "))}
      ${box(
        t("To send"),
        number(outbox.pending),
        outbox.oldest_pending_at
          ? t("oldest: {time}", { time: span(Date.now() - Date.parse(outbox.oldest_pending_at)) })
          : t("all sent"),
      )}
      ${box(
        t("On hold"),
        number(outbox.parked),
        outbox.parked
          ? html`<a href="#/sync" @click=${(event) => this.down(event, "parked-head")}>${t("View")}</a>`
          : "",
      )}
      ${box(t("Conflicts"), number(conflicts.total))}${box(
        t("Last change from head office"),
        inbound.last_change_at ? since(inbound.last_change_at) : "\u2013",
        inbound.untaken.total ? t("{n} records can't be used", { n: number(inbound.untaken.total) }) : "",
      )}
      ${box(t("Clock difference from head office"), skew === null ? "\u2013" : clock(skew), off)}
    </dl>`;
  }

  /** Within the page: the address belongs to pages. */
  down(event, id) {
    event.preventDefault();
    this.querySelector(`#${id}`)?.scrollIntoView();
  }

  untaken() {
    const { records } = this.status.inbound.untaken;
    if (!records.length) return nothing;
    return html`<section>
      <h2 class="section">${t("Head office data that can't be used")}</h2>
      <div class="panel scroll">
        <table class="grid fold">
          <thead>
            <tr>
              <th scope="col">${t("Data")}</th>
              <th scope="col">${t("Reason")}</th>
              <th scope="col">${t("Since")}</th>
            </tr>
          </thead>
          <tbody>
            ${records.map(
              (one) =>
                html`<tr>
                  <td>
                    <div>${one.kind} <code>${one.id}</code></div>
                  </td>
                  <td>
                    <div><bdi>${one.problem}</bdi></div>
                  </td>
                  <td>${moment(one.at)}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </section>`;
  }

  render() {
    const { status } = this;
    if (!status)
      return html`<h1>${t("Head office")}</h1>
        ${this.awaited()}`;
    const { hub } = status;
    const acts = hub.configured
      ? html`<button class="btn" ?disabled=${this.busy} @click=${() => this.force(true)}>${t("Full resync")}</button
          ><button class="btn primary" id="force" ?disabled=${this.busy} @click=${() => this.force(false)}>
            ${icon("refresh-cw")}${this.busy ? t("Syncing\u2026") : t("Sync now")}
          </button>`
      : nothing;
    return html`${title(t("Head office"), this.app.find(), acts)}
      <div class="stack">
        ${status.problems.map((one) => this.problem(one))}${
          status.problems.length
            ? nothing
            : hub.state === "online"
              ? html`<p class="calm">${icon("circle-check")}${t(LINKS.online)}</p>`
              : notice("", hub.configured ? "cloud-off" : "info", t(LINKS[hub.state] ?? LINKS.offline))
        }${this.figures()}
      </div>
      <h2 class="section" id="conflicts-head">${t("Overwritten values")}</h2>
      ${this.table(
        [[t("Data")], [t("Current value")], [t("Overwritten")], [""]],
        (one) => this.row(one),
        t("No values were overwritten by head office"),
      )}
      ${this.untaken()}<sync-parked .app=${this.app}></sync-parked><sync-days .app=${this.app}></sync-days>`;
  }
}
customElements.define("page-sync", PageSync);
