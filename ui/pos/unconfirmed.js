// Commands without an answer: their users, effects and outcomes.
import { html, nothing } from "../vendor/lit.js";
import { words } from "../kit/codes.js";
import { icon, key } from "../kit/controls.js";
import { ago, brief, date, money, shortReceipt, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { isUnderWay, outcome, settle, waiting } from "../kit/intents.js";
import { Page } from "../kit/page.js";

class PageUnconfirmed extends Page {
  constructor() {
    super();
    this.rows = null;
    /** Results of look-ups by the command's key. */
    this.results = new Map();
  }

  connectedCallback() {
    super.connectedCallback();
    this.load();
  }

  /** Loads the commands. Listed ones stay, with their outcomes. */
  async load() {
    const found = await waiting();
    const gone = (this.rows ?? []).filter((row) => !found.some((one) => one.key === row.key));
    this.rows = [...gone, ...found].sort((a, b) => a.created_at - b.created_at);
    this.waits = new Set(found.map((one) => one.key));
    this.app.unsettled = found.filter((one) => !isUnderWay(one.key)).length;
    this.app.requestUpdate();
    await this.updateComplete;
    if (!this.contains(document.activeElement)) this.app.focusPage();
  }

  updated() {
    super.updated();
    if (this.doubted === this.app.unconfirmed) return;
    this.doubted = this.app.unconfirmed;
    this.load();
  }

  keys() {
    return { Escape: () => void this.app.leavePage() };
  }

  isMine(row) {
    return row.user_id === this.app.user.id;
  }

  /** Sends the user's own command again with its key. For another user's command, reads its document. */
  lookUp(row) {
    return this.once(async () => {
      const { app } = this;
      const [report, again] = app.resuming();
      if (this.isMine(row)) this.results.set(row.key, await settle(row, report, again));
      else this.results.set(row.key, { document: await app.documentOf(row) });
      await this.load();
      const { answer } = this.results.get(row.key);
      if (answer?.state === "paid" && answer.receipt_no) app.finished(answer);
      else if (this.isMine(row) && app.shift) await app.basket.restore();
    });
  }

  /** State of a command: words, and whether it is over. */
  state(row) {
    const result = this.results.get(row.key) ?? (this.waits.has(row.key) ? null : outcome(row.key));
    if (result?.document)
      return t("Waiting for {name}. On record: {state}", { name: row.by ?? "?", state: t(result.document.state) });
    if (result?.document === null) return t("Only {name} can check it, after logging in here", { name: row.by ?? "?" });
    if (result?.done)
      return t("Done, {receipt}", {
        receipt: result.answer?.receipt_no
          ? t("receipt {no}", { no: shortReceipt(result.answer.receipt_no) })
          : time(Date.now()),
      });
    if (result?.done === false) return t("Failed. {why}", { why: words(result.error) });
    if (result) return t("Unknown. Check the document before you repeat it");
    if (isUnderWay(row.key)) return t("Checking again\u2026");
    if (!this.waits.has(row.key)) return t("Confirmed");
    return this.isMine(row)
      ? t("Not confirmed yet. Don't repeat it")
      : t("Waiting until {name} logs in here", { name: row.by ?? "?" });
  }

  row(row, index) {
    const open = this.waits.has(row.key) && !isUnderWay(row.key);
    return html`<tr>
      <td title=${date(row.created_at)}>
        <div>${brief(row.created_at)}, ${time(row.created_at)} <span class="muted">${ago(row.created_at)}</span></div>
      </td>
      <td><bdi>${row.by ?? "?"}</bdi></td>
      <td>${t(row.label)}</td>
      <td class="num">${row.amount === null ? nothing : money(row.amount)}</td>
      <td class="whole" id="state-${index}">${this.state(row)}</td>
      <td class="num whole">
        ${
          open
            ? html`<button class="btn big" ?disabled=${this.busy} @click=${() => this.lookUp(row)}>
                ${icon("search")}${t("Check")}
              </button>`
            : nothing
        }
      </td>
    </tr>`;
  }

  render() {
    const { rows, app } = this;
    return html`<div class="bar">
        <button class="btn quiet" data-focus @click=${() => app.leavePage()}>
          ${icon("arrow-left")}${t("Sell")}${key("Esc")}
        </button>
        <h1>${t("Unconfirmed actions")}</h1>
      </div>
      <div class="work">
        ${
          rows === null
            ? nothing
            : rows.length === 0
              ? html`<p class="empty panel">${t("Everything is confirmed")}</p>`
              : html`<div class="panel scroll">
                  <table class="grid fold">
                    <thead>
                      <tr>
                        <th>${t("Started")}</th>
                        <th>${t("Person")}</th>
                        <th>${t("Type")}</th>
                        <th class="num">${t("Amount")}</th>
                        <th>${t("Status")}</th>
                        <th><span class="vh">${t("Actions")}</span></th>
                      </tr>
                    </thead>
                    <tbody>
                      ${rows.map((row, index) => this.row(row, index))}
                    </tbody>
                  </table>
                </div>`
        }
      </div>`;
  }
}
customElements.define("page-unconfirmed", PageUnconfirmed);
