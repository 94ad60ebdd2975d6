// Overview: work for this user, and the day's figures; each role sees its own part.
import { html, nothing } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { ago, day, isoDay, number, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { Page } from "../kit/page.js";
import { completeness } from "../records/cells.js";
import { need } from "../records/names.js";
import { dashboard, readDashboard } from "./dashboard.js";

const A = ["admin"];
const F = ["admin", "ho_finance"];
const P = ["admin", "ho_purchasing"];
const COUNT_MAX = 100;

/** Returns the number of items on the first page. */
const count = async (app, pattern, query) => {
  const { items, next_cursor: next } = await app.get(pattern, {}, { ...query, limit: COUNT_MAX });
  return next ? `${number(items.length)}+` : items.length;
};
const some = (n) => n !== 0 && n !== undefined;

/** Items that may wait: who sees them, the request, and the line on the page. */
const WAITING = [
  {
    roles: A,
    ask: (app) => app.get("/api/admin/overview"),
    lines: (seen) => [
      [seen.exceptions_count, "bad", "triangle-alert", t("exceptions to resolve"), ["exceptions"]],
      [seen.stores_with_problems_count, "warn", "store", t("stores with a problem"), ["stores"]],
      [seen.parked_count, "warn", "inbox", t("records on hold"), ["parked"]],
      [
        seen.last_proof && !seen.last_proof.ok ? seen.last_proof.problems : 0,
        "bad",
        "scale",
        t("differences in the last check of the books"),
        ["balance"],
      ],
      [
        seen.last_drill?.problem ? 1 : 0,
        "bad",
        "download",
        `${t("head office's newest backup can't be restored")}: ${seen.last_drill?.problem}`,
      ],
      [seen.last_backup_at ? 0 : 1, "warn", "download", t("head office has no backup"), null, null, "cloud-hub backup"],
    ],
  },
  {
    roles: F,
    ask: (app) => count(app, "/api/settlement-exceptions", { state: "open" }),
    lines: (n) => [[n, "bad", "scale", t("settlement differences"), ["settlements"], { state: "discrepant" }]],
  },
  {
    roles: F,
    ask: (app) => count(app, "/api/settlements", { state: "reconciled" }),
    lines: (n) => [[n, "warn", "check", t("settlements to approve"), ["settlements"], { state: "reconciled" }]],
  },
  {
    roles: F,
    ask: (app) => count(app, "/api/finance/invoices", { state: "disputed" }),
    lines: (n) => [[n, "bad", "ticket", t("disputed invoices"), ["invoices"], { state: "disputed" }]],
  },
  {
    roles: F,
    ask: (app) => count(app, "/api/finance/invoices", { state: "matched" }),
    lines: (n) => [[n, "warn", "ticket", t("invoices to approve"), ["invoices"], { state: "matched" }]],
  },
  {
    roles: P,
    ask: (app) => count(app, "/api/purchase-orders", { state: "draft", submitted: true }),
    lines: (n) => [
      [n, "warn", "clipboard-list", t("orders to approve"), ["orders"], { state: "draft", submitted: "true" }],
    ],
  },
  {
    roles: P,
    ask: (app) => count(app, "/api/purchase-orders", { late: true }),
    lines: (n) => [[n, "warn", "truck", t("late orders"), ["orders"], { late: "true" }]],
  },
  {
    roles: P,
    ask: (app) => count(app, "/api/stock", { negative: true }),
    lines: (n) => [[n, "warn", "package", t("products below zero"), ["stock"], { negative: "true" }]],
  },
  {
    roles: P,
    ask: (app) => count(app, "/api/stock", { below_reorder: true }),
    lines: (n) => [
      [n, "warn", "package", t("products below their reorder level"), ["stock"], { below_reorder: "true" }],
    ],
  },
];

class PageOverview extends Page {
  answers;
  figures;
  at;

  timed = true;

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  onEvent(name, data) {
    if (name !== "ready" || !data.resumed) this.soon();
  }

  get mine() {
    return WAITING.filter(({ roles }) => this.app.may(roles));
  }

  /** The waiting items in the current language. */
  get lines() {
    return this.mine.flatMap(({ lines }, index) => lines(this.answers[index])).filter(([n]) => some(n));
  }

  load() {
    const { app } = this;
    return this.readBy(
      async () => {
        await need(app, "stores");
        const [answers, figures] = await Promise.all([
          Promise.all(this.mine.map(({ ask }) => ask(app))),
          app.may(F) ? readDashboard(app, this.figures) : null,
        ]);
        return { answers, figures, at: Date.now() };
      },
      () => this.answers,
    );
  }

  alerts() {
    const { lines } = this;
    if (!lines.length) return html`<p class="calm panel pad">${icon("circle-check")}${t("Nothing to do")}</p>`;
    return html`<ul class="alerts panel">
      ${lines.map(
        ([n, kind, image, text, place, query, command]) =>
          html`<li class=${kind}>
            ${icon(image)}<span>${text[0].toUpperCase()}${text.slice(1)}${place ? html`: <b>${n}</b>` : nothing}${
              command
                ? html` <span class="muted"
                    >${t("Run this every day on head office's machine:")} <code>${command} DIR</code></span
                  >`
                : nothing
            }</span>${place ? html`<a href=${address(place, query)}>${t("View")}</a>` : nothing}
          </li>`,
      )}
    </ul>`;
  }

  render() {
    const head = html`<header class="title">
      <h1>${t("Overview")}</h1>
      <div class="rowx end">
        ${
          this.at
            ? html`<span class="live" title=${ago(this.at)}
                ><i aria-hidden="true"></i>${day(isoDay())}, ${time(this.at)}</span
              >`
            : nothing
        }${this.app.find()}
      </div>
    </header>`;
    if (!this.answers) return html`${head}${this.awaited()}`;
    return html`${head}
      <div class="stack">
        <h2 class="vh">${t("To do")}</h2>
        ${this.alerts()}${
          this.figures ? html`${completeness(this.figures.today.completeness)}${dashboard(this.figures)}` : nothing
        }
      </div>`;
  }
}
customElements.define("page-overview", PageOverview);
