// Backups of the store and verifications of its data, with progress and results.
import { html, nothing } from "../vendor/lit.js";
import { icon, notice } from "../kit/controls.js";
import { words } from "../kit/codes.js";
import { number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { Page } from "../kit/page.js";
import { bytes, moment, since } from "./parts.js";

const AGAIN_MS = 1000;
/** Number of listed problems; the others are only counted. */
const PROBLEMS_SHOWN = 20;
const URLS = { verify: "/api/admin/verify", backup: "/api/admin/backup" };

/** The journal can't be rebuilt; files derived from it can. */
const toDo = (problems) => {
  const journal = problems.some((text) => /\.seg\b/.test(text));
  const copy = t("Copy the whole data folder to another disk first");
  return journal
    ? [
        t("You can keep selling. Don't restart the store before you copy the folder: it may not start again"),
        copy,
        t(
          "The journal is damaged. Restore an older backup into an empty folder, or enrol a new store folder. Data at head office is safe",
        ),
      ]
    : [
        t("You can keep selling. New sales are stored as usual"),
        copy,
        t("Rebuild rows and indexes from the journal: stop the store, then run store-router rebuild-index"),
      ];
};

class StoreWork extends Page {
  constructor() {
    super();
    this.work = null;
    /** Pending requests of this page. */
    this.asked = {};
    /** Reasons why work was not started, by kind. */
    this.refused = {};
  }

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
    this.timer = setInterval(
      () => !document.hidden && (this.underWay("verify") || this.underWay("backup")) && this.load(),
      AGAIN_MS,
    );
  }

  disconnectedCallback() {
    clearInterval(this.timer);
    super.disconnectedCallback();
  }

  underWay(kind) {
    const one = this.work?.[kind];
    return Boolean(this.asked[kind] || (one && !one.finished_at));
  }

  async load() {
    this.looked = (this.looked ?? 0) + 1;
    const mine = this.looked;
    try {
      const work = await this.app.get("/api/admin/work");
      if (mine !== this.looked) return;
      this.work = work;
    } catch (error) {
      if (!this.work || error.status === 401) this.app.fail(error);
    }
    this.requestUpdate();
  }

  /** Starts work that runs in the background. The page only polls its progress. */
  async begin(kind, body) {
    this.asked[kind] = true;
    this.refused[kind] = null;
    this.requestUpdate();
    setTimeout(() => this.load(), AGAIN_MS / 2);
    try {
      await this.app.change("POST", URLS[kind], body);
    } catch (error) {
      this.refused[kind] =
        error.status === 507
          ? t("Not enough disk space for a backup. Free up space, or keep fewer backups (backup.keep)")
          : words(error);
    }
    this.asked[kind] = false;
    await this.load();
  }

  async backUp() {
    const given = await this.app.dialog.ask({
      title: t("Back up now"),
      yes: t("Back up"),
      text: t("Tills can keep selling. The backup is checked before it is listed"),
      body: html`<label class="rowx"
        ><input type="checkbox" name="keys" checked /><span
          >${t(
            "Include the store's keys. Anyone who has them can act as this store. Without them the restored store must be enrolled again",
          )}</span
        ></label
      >`,
    });
    if (given) await this.begin("backup", { keys: given.keys === "on" });
  }

  progress(kind) {
    const step = this.work?.[kind]?.finished_at ? null : this.work?.[kind]?.progress;
    const part = step?.total ? Math.min(100, Math.floor((step.done * 100) / step.total)) : null;
    return html`<div class="progress" role="status">
      <label for=${`progress-${kind}`}
        >${
          step
            ? t("{step}: {done} of {all}", {
                step: t(`step.${step.step}`),
                done: bytes(step.done),
                all: bytes(step.total),
              })
            : t("Starting\u2026")
        }</label
      >
      ${
        part === null
          ? html`<progress id=${`progress-${kind}`}></progress>`
          : html`<progress id=${`progress-${kind}`} max="100" value=${part}></progress><b>${number(part)} %</b>`
      }
    </div>`;
  }

  trouble(kind) {
    const one = this.work?.[kind];
    const why = this.refused[kind] ?? one?.error;
    return why && !this.underWay(kind)
      ? notice(
          "bad",
          "triangle-alert",
          html`<p><b>${kind === "verify" ? t("The check did not finish") : t("Backup failed")}</b></p>
            <p>${why}</p>`,
        )
      : nothing;
  }

  /** Returns the result of a verification and the required actions. */
  found() {
    const one = this.work?.verify;
    if (this.underWay("verify") || !one?.result) return nothing;
    const { problems, commits, records, sales, rows } = one.result;
    const read = t(
      "{commits} commits, {records} records for head office, {sales} sales and {rows} rows checked, {time}",
      { commits: number(commits), records: number(records), sales: number(sales), rows: number(rows), time: "" },
    );
    if (!problems.length)
      return notice(
        "ok",
        "circle-check",
        html`<p id="verified"><b>${t("No problems found")}</b></p>
          <p>${read}${since(one.finished_at)}</p>`,
      );
    const shown = problems.slice(0, PROBLEMS_SHOWN);
    return notice(
      "bad",
      "triangle-alert",
      html`<p id="verified">
          <b
            >${
              problems.length === 1 ? t("1 problem found") : t("{n} problems found", { n: number(problems.length) })
            }</b
          >
          ${since(one.finished_at)}
        </p>
        <ul class="wrong">
          ${shown.map((text) => html`<li><bdi>${text}</bdi></li>`)}
        </ul>
        ${
          problems.length > shown.length
            ? html`<p>${t("and {n} more", { n: number(problems.length - shown.length) })}</p>`
            : nothing
        }
        <h3>${t("What to do")}</h3>
        <ol class="steps-to-do">
          ${toDo(problems).map((text) => html`<li>${text}</li>`)}
        </ol>`,
    );
  }

  made() {
    const one = this.work?.backup;
    if (this.underWay("backup") || !one?.result) return nothing;
    const { folder, bytes: size, keys } = one.result;
    return notice(
      "ok",
      "circle-check",
      html`<p id="backed-up">
          <b>${t("Backup of {size} created and checked", { size: bytes(size) })}</b> ${since(one.finished_at)}
        </p>
        <p><code>${folder}</code>${keys ? nothing : ` \u00b7 ${t("without keys")}`}</p>`,
    );
  }

  /** Returns whether the newest backup was restored to check it. */
  drill() {
    const { drill } = this.work;
    if (!drill)
      return html`<p class="muted" id="drill">
        ${t("No backup has been restored to check it yet. Run store-router drill; the nightly timer also runs it")}
      </p>`;
    if (drill.problem)
      return notice(
        "bad",
        "triangle-alert",
        html`<p id="drill"><b>${t("The newest backup can't be restored")}</b> ${since(drill.finished_at)}</p>
          <p><bdi>${drill.problem}</bdi></p>`,
      );
    return notice(
      "ok",
      "circle-check",
      html`<p id="drill"><b>${t("Backup restored and checked")}</b> ${since(drill.finished_at)}</p>
        <p>${t("Backup created")} ${moment(drill.backup_made_at)}</p>`,
    );
  }

  copies() {
    const kept = this.work.backups;
    if (!kept.length)
      return html`<p class="empty">
        ${t("No backups yet. If the disk fails, only data already sent to head office can be recovered")}
      </p>`;
    return html`<div class="scroll">
        <table class="grid fold">
          <thead>
            <tr>
              <th scope="col">${t("Created")}</th>
              <th scope="col">${t("Folder")}</th>
              <th scope="col" class="num">${t("Size")}</th>
            </tr>
          </thead>
          <tbody>
            ${kept.map(
              (one) =>
                html`<tr>
                  <td>${moment(one.made_at)}</td>
                  <td>
                    <div><code>${one.folder}</code></div>
                  </td>
                  <td class="num">${bytes(one.bytes)}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      <p class="pad muted">
        ${t(
          "Backups are on the same disk as the store. Copy them to another machine. store-router restore restores one into an empty data folder",
        )}
      </p>`;
  }

  render() {
    if (!this.work) return nothing;
    const busy = this.underWay("verify") || this.underWay("backup");
    return html`<div class="stack">
      <section class="panel pad stack" aria-labelledby="verify-head">
        <div class="rowx">
          <div class="grow">
            <h2 id="verify-head">${t("Check all data")}</h2>
            <p class="muted">${t("Every commit, record and row is read and added up again. You can keep selling")}</p>
          </div>
          <button class="btn" id="verify" ?disabled=${busy} @click=${() => this.begin("verify", {})}>
            ${icon("shield-check")}${t("Check now")}
          </button>
        </div>
        ${this.underWay("verify") ? this.progress("verify") : nothing}${this.trouble("verify")}${this.found()}
      </section>
      <section class="panel stack" aria-labelledby="backup-head">
        <div class="pad stack">
          <div class="rowx">
            <div class="grow">
              <h2 id="backup-head">${t("Backups")}</h2>
              <p class="muted">${t("{size} free on the disk", { size: bytes(this.work.free_bytes) })}</p>
            </div>
            <button class="btn primary" id="backup" ?disabled=${busy} @click=${() => this.backUp()}>
              ${icon("download")}${t("Back up now")}
            </button>
          </div>
          ${this.underWay("backup") ? this.progress("backup") : nothing}${this.trouble("backup")}${this.made()}${this.drill()}
        </div>
        ${this.copies()}
      </section>
    </div>`;
  }
}
customElements.define("store-work", StoreWork);
