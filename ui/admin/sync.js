// Head office: the link, what waits, what lost against head office and can be put back.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../shared/api.js";
import { icon, notice } from "../shared/controls.js";
import { date, number, time } from "../shared/format.js";
import { t } from "../shared/i18n.js";
import { ListPage, title } from "../shared/list.js";

const AGAIN_MS = 10_000;

class PageSync extends ListPage {
  constructor() {
    super();
    this.pattern = "/api/sync/conflicts";
  }

  connectedCallback() {
    super.connectedCallback();
    this.timer = setInterval(() => this.load(), AGAIN_MS);
  }

  disconnectedCallback() {
    clearInterval(this.timer);
    super.disconnectedCallback();
  }

  async load(more) {
    try {
      this.status = await this.app.get("/api/sync/status");
    } catch (error) {
      this.app.fail(error);
      return;
    }
    await super.load(more);
  }

  told(name) {
    if (["ready", "sync"].includes(name)) this.load();
  }

  force() {
    return this.once(async () => {
      await this.app.change("POST", "/api/sync/force", {});
      this.app.say("ok", t("Head office is being asked now"));
      await this.load();
    });
  }

  restore(one) {
    return this.once(async () => {
      await this.app.command({ url: path("/api/sync/conflicts/:id/restore", { id: one.conflict_id }), label: "Restore" });
      await this.load();
    });
  }

  row(one) {
    const shown = (fields) => html`<dl class="pairs">${Object.entries(fields ?? {}).map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${String(value)}</bdi></dd></div>`)}</dl>`;
    return html`<tr><td>${one.resource}<br><span class="muted">${date(one.resolved_at)} ${time(one.resolved_at)}</span></td><td>${shown(one.kept_fields)}</td><td>${shown(one.lost_fields)}</td><td class="num">${one.restored_at ? t("put back") : html`<button class="btn" ?disabled=${this.busy} @click=${() => this.restore(one)}>${icon("history")}${t("Restore")}</button>`}</td></tr>`;
  }

  render() {
    const { status } = this;
    if (!status) return html`<p class="empty panel">${t("Loading\u2026")}</p>`;
    const { hub, outbox } = status;
    const box = (label, value, note) => html`<div><dt>${label}</dt><dd>${value}</dd>${note ? html`<dd class="muted">${note}</dd>` : nothing}</div>`;
    return html`${title(t("Head office"), html`<button class="btn" ?disabled=${this.busy || !hub.configured} @click=${() => this.force()}>${icon("refresh-cw")}${t("Ask now")}</button>`)}
      <div class="stack">${status.problems.map((one) => notice("bad", "triangle-alert", one.message))}${hub.configured ? nothing : notice("", "info", t("This store works alone: it is not enrolled at a head office"))}
      <dl class="figures panel">${box(t("Link"), t(hub.state), hub.last_success_at ? t("last {time}", { time: `${date(hub.last_success_at)} ${time(hub.last_success_at)}` }) : "")}${box(t("Waiting"), number(outbox.pending), outbox.oldest_pending_at ? t("since {time}", { time: time(outbox.oldest_pending_at) }) : "")}${box(t("Parked"), number(outbox.parked))}${box(t("Conflicts"), number(status.conflicts.total))}${box(t("Clock against head office"), status.clock_skew_ms === null ? "\u2013" : `${number(status.clock_skew_ms)} ms`)}</dl></div>
      <h2 class="section">${t("Values that lost")}</h2>${this.table([[t("What")], [t("Counts now")], [t("Lost")], [""]], (one) => this.row(one), t("No value of this store lost against head office"))}`;
  }
}
customElements.define("page-sync", PageSync);
