// Closes a shift: notes and coins are counted, the difference is shown, and the Z report is printed.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { field, fits, icon, key, moneyInput, notice } from "../kit/controls.js";
import { decimal, money, number, symbol, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { Page } from "../kit/page.js";
import { isCounted, notesTable, worth } from "./drawer.js";

class PageClose extends Page {
  constructor() {
    super();
    this.pieces = new Map();
    this.others = new Map();
    this.summary = null;
    this.closed = null;
    this.voidOpen = false;
    this.compared = false;
    this.open = [];
  }

  connectedCallback() {
    super.connectedCallback();
    this.load();
  }

  async load() {
    await Promise.resolve();
    await this.readBy(
      async () => {
        const id = this.app.shift.shift_id;
        const of = (state) => this.app.get("/api/pos/transactions", {}, { shift_id: id, state, limit: 20 });
        const [summary, open, partly] = await Promise.all([
          this.app.get("/api/shifts/:id/summary", { id }),
          of("open"),
          of("partially_paid"),
        ]);
        return { summary, open: [...open.items, ...partly.items] };
      },
      () => this.summary,
    );
    this.recall();
    this.requestUpdate();
    this.app.focusPage();
  }

  /** The count is kept in this tab, also after a reload. */
  get draft() {
    return `count.${this.app.shift.shift_id}`;
  }

  keep() {
    sessionStorage.setItem(this.draft, JSON.stringify([[...this.pieces], [...this.others]]));
    this.requestUpdate();
  }

  recall() {
    const [pieces, others] = JSON.parse(sessionStorage.getItem(this.draft) ?? "[[],[]]");
    this.pieces = new Map(pieces);
    this.others = new Map(others);
  }

  keys() {
    if (this.closed) return { Enter: () => void this.done(), P: () => void this.print() };
    const back = this.app.shift.state === "open" ? { Escape: () => void this.app.show("cash") } : {};
    if (this.endsFirst) return { ...back, F9: () => void this.end() };
    return { ...back, F9: () => void this.close(), Enter: (event) => this.nextField(event) };
  }

  nextField(event) {
    const fields = [...this.querySelectorAll("input")];
    const at = fields.indexOf(event.target);
    if (at < 0) return false;
    (fields[at + 1] ?? this.querySelector(".pay")).focus();
    return true;
  }

  get counted() {
    return worth(this.pieces);
  }

  /** Whether the shift must be ended first: the user may not see the expected cash before the count. */
  get endsFirst() {
    return this.app.shift.state === "open" && this.app.settings.shifts.blind && !this.summary?.by_method;
  }

  end() {
    const { app } = this;
    if (!this.summary) return undefined;
    return this.once(async () => {
      await app.command({ url: path("/api/shifts/:id/end", { id: app.shift.shift_id }), label: "End shift" });
      app.basket.clear();
      app.shift = await app.get("/api/shifts/:id", { id: app.shift.shift_id });
      await this.load();
    });
  }

  /** Recalls another unfinished basket of this shift. */
  async bring(sale) {
    const { app } = this;
    await app.basket.take(sale);
    app.show(sale.state === "partially_paid" ? "pay" : "sell");
  }

  close() {
    const { app } = this;
    if (!this.summary) return undefined;
    if (!isCounted(this.pieces)) {
      app.say("warn", t("Count the drawer first. Enter 0 if it is empty"));
      this.querySelector("input")?.focus();
      return undefined;
    }
    return this.once(async () => {
      const denominations = [...this.pieces]
        .filter(([, count]) => count > 0)
        .map(([value, count]) => ({ value, count }));
      const counts = [...this.others]
        .filter(([, amount]) => amount !== null)
        .map(([method, amount]) => ({ method, amount }));
      const note = this.querySelector("#note").value.trim();
      const body = {
        counted_cash: this.counted,
        ...(denominations.length ? { denominations } : {}),
        ...(counts.length ? { counts } : {}),
        ...(note ? { note } : {}),
        ...(this.voidOpen ? { void_open: true } : {}),
      };
      this.closed = await app.command({
        url: path("/api/shifts/:id/close", { id: app.shift.shift_id }),
        body,
        label: "Close shift",
        amount: this.counted,
      });
      sessionStorage.removeItem(this.draft);
      app.shift = this.closed.shift;
      app.basket.clear();
    }).then(() => this.closed && app.focusPage());
  }

  compare() {
    this.compared = true;
    this.requestUpdate();
  }

  print() {
    return this.app.report(this.closed.shift.shift_id);
  }

  done() {
    this.app.last = null;
    // Refused scans of this shift are not the next cashier's goods.
    this.app.refusedScans.dismiss();
    return this.app.load();
  }

  notes() {
    return html`<section class="panel scroll">
      ${notesTable(this.app.settings.payments.denominations, this.pieces, () => this.keep())}
    </section>`;
  }

  /** Unfinished baskets: each can be opened, or all be voided. */
  baskets() {
    if (!this.open.length) return nothing;
    return notice(
      "warn",
      "shopping-basket",
      html`<p>${t("Unfinished sales: {n}", { n: number(this.open.length) })}</p>
        <div class="rowx">
          ${this.open.map(
            (sale) =>
              html`<button class="btn big bring" @click=${() => this.bring(sale)}>
                ${t("Show {amount}", { amount: money(sale.total) })}
              </button>`,
          )}
        </div>
        ${
          this.endsFirst
            ? nothing
            : html`<label class="rowx"
                ><input
                  type="checkbox"
                  id="void-open"
                  .checked=${this.voidOpen}
                  @change=${(event) => {
                    this.voidOpen = event.target.checked;
                  }}
                />${t("Void them when the shift ends")}</label
              >`
        }`,
    );
  }

  /** Ends selling before the count. */
  ending() {
    return html`<section class="panel pad stack">
      <p>
        ${t("No more sales after you end the shift. The drawer is then counted without showing the expected amount")}
      </p>
      ${this.baskets()}
      <button class="pay" data-focus ?disabled=${this.busy} @click=${() => this.end()}>
        ${icon("lock")}<span>${t("End shift")}</span>${key("F9")}
      </button>
    </section>`;
  }

  methods() {
    const { summary, app } = this;
    // The expected amount is hidden before the count.
    const blind = !summary.by_method || !this.compared;
    const expected = summary.cash?.expected ?? null;
    const gap = blind || expected === null ? null : this.counted - expected;
    const tolerance = app.settings.shifts.variance_tolerance;
    const taken =
      summary.by_method ??
      app.settings.payments.methods.filter((method) => method !== "points").map((method) => ({ method }));
    // Points have nothing to count, and an exchange was counted with the earlier sale.
    const others = taken.filter(({ method, net }) => !["cash", "exchange", "points"].includes(method) && net !== 0);
    const difference = (value) => html`<span class=${value === 0 ? "" : "differs"}>${decimal(value)}</span>`;
    return html`<section class="panel pad stack">
      <dl class="facts l">
        <div>
          <dt>${t("Counted cash")}</dt>
          <dd id="counted">${money(this.counted)}</dd>
        </div>
        ${
          gap === null
            ? nothing
            : html`<div>
                  <dt>${t("Expected")}</dt>
                  <dd>${decimal(expected)}</dd>
                </div>
                <div>
                  <dt>${t("Difference")}</dt>
                  <dd>${difference(gap)}</dd>
                </div>`
        }
      </dl>
      ${
        summary.by_method && !this.compared
          ? html`<button
              class="btn big"
              id="compare"
              ?disabled=${!isCounted(this.pieces)}
              @click=${() => this.compare()}
            >
              ${icon("calculator")}${t("Compare with the expected cash")}
            </button>`
          : nothing
      }
      ${others.map(({ method, net }) =>
        field(
          blind ? t(method) : t("{method}, expected {amount}", { method: t(method), amount: decimal(net) }),
          moneyInput({
            id: `counted-${method}`,
            value: this.others.get(method) ?? null,
            onValue: (amount) => {
              this.others.set(method, amount);
              this.keep();
            },
          }),
          `counted-${method}`,
        ),
      )}
      ${
        blind
          ? nothing
          : html`<dl class="facts">
              ${others
                .filter(({ method, net }) => (this.others.get(method) ?? net) !== net)
                .map(
                  ({ method, net }) =>
                    html`<div>
                      <dt>${t("Difference")}, ${t(method)}</dt>
                      <dd>${difference(this.others.get(method) - net)}</dd>
                    </div>`,
                )}
            </dl>`
      }
      ${field(t("Note"), html`<input class="input" id="note" maxlength="200" autocomplete="off" />`, "note")}
      ${
        gap !== null && tolerance && Math.abs(gap) > tolerance
          ? notice(
              "warn",
              "shield-check",
              t("Difference over {limit}. A manager must approve", { limit: money(tolerance) }),
            )
          : nothing
      }
      ${this.baskets()}
      <button class="pay" ?disabled=${this.busy} @click=${() => this.close()}>
        ${icon("clipboard-check")}<span>${t("Close shift")}</span>${key("F9")}
      </button>
    </section>`;
  }

  finished() {
    const { shift, by_method: methods } = this.closed;
    const counted = (methods ?? []).filter(
      ({ method, variance }) => method !== "cash" && variance !== null && variance !== undefined,
    );
    return html`<div class="paid">
      <section class="done">
        <h1 class="okmark">${icon("circle-check")}${t("Shift closed")} · Z ${shift.z_no}</h1>
        <p class="label">${t("Difference")}</p>
        <p class="change" id="variance">
          <span class="cur">${symbol()}</span
          ><span class="figure" ${fits(decimal(shift.variance))}>${decimal(shift.variance)}</span>
        </p>
        <dl class="facts">
          <div>
            <dt>${t("Counted cash")}</dt>
            <dd>${decimal(shift.counted_cash)}</dd>
          </div>
          <div>
            <dt>${t("Expected")}</dt>
            <dd>${decimal(shift.expected_cash)}</dd>
          </div>
          <div>
            <dt>${t("Sales")}</dt>
            <dd>${number(this.closed.sales_count)}</dd>
          </div>
          <div>
            <dt>${t("Total")}</dt>
            <dd>${decimal(this.closed.total)}</dd>
          </div>
        </dl>
        ${
          counted.length
            ? html`<dl class="facts" id="by-method">
                ${counted.map(
                  ({ method, variance }) =>
                    html`<div>
                      <dt>${t("Difference")}, ${t(method)}</dt>
                      <dd class=${variance === 0 ? nothing : "differs"}>${decimal(variance)}</dd>
                    </div>`,
                )}
              </dl>`
            : nothing
        }
        <div class="rowx">
          <button class="btn big grow" @click=${() => this.print()}>
            ${icon("printer")}${t("Print Z report")}${key("P")}</button
          ><button class="btn primary big grow" data-focus @click=${() => this.done()}>
            ${t("Done")}${key("Enter")}
          </button>
        </div>
      </section>
    </div>`;
  }

  render() {
    if (this.closed) return this.finished();
    const { app, summary } = this;
    return html`<div class="bar">
        ${
          app.shift.state === "open"
            ? html`<button class="btn quiet" @click=${() => app.show("cash")}>
                ${icon("arrow-left")}${t("Shift and cash")}${key("Esc")}
              </button>`
            : nothing
        }
        <h1>${t("Close shift")}</h1>
        <span class="muted wide"
          >${t("{till}, since {time}, {n} sales", {
            till: app.registerName,
            time: time(app.shift.opened_at),
            n: number(summary?.sales_count ?? 0),
          })}</span
        >
      </div>
      <div class="work">
        ${
          !summary
            ? this.awaited()
            : this.endsFirst
              ? this.ending()
              : html`<div class="two">${this.notes()}${this.methods()}</div>`
        }
      </div>`;
  }
}
customElements.define("page-close", PageClose);
