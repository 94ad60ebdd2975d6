// Shift and cash: sales so far, cash movements, the X report.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { icon, key, notice } from "../kit/controls.js";
import { date, decimal, money, number, symbol, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { Page } from "../kit/page.js";
import { askMovement } from "../selling/movement.js";
import { askTills, standing } from "../selling/tills.js";
import { MOVES } from "./drawer.js";

class PageCash extends Page {
  constructor() {
    super();
    this.summary = null;
    this.movements = [];
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
        const [summary, { items: movements }] = await Promise.all([
          this.app.get("/api/shifts/:id/summary", { id }),
          this.app.get("/api/shifts/:id/cash-movements", { id }, { limit: 100 }),
        ]);
        return { summary, movements };
      },
      () => this.summary,
    );
    this.app.focusPage();
  }

  keys() {
    return {
      Escape: () => void this.app.show("sell"),
      F9: () => void this.app.show("close"),
      ...Object.fromEntries(MOVES.map(({ type, letter }) => [letter, () => void this.move(type)])),
      X: () => void this.report(),
      T: () => void this.tills(),
      L: () => void this.app.lock(),
    };
  }

  report() {
    return this.app.report(this.app.shift.shift_id);
  }

  /** Moves the shift to other tills, or suspends it. */
  async tills() {
    const { app } = this;
    const tills = await askTills(app);
    if (!tills) return;
    await this.once(async () => {
      const url = path("/api/shifts/:id/registers", { id: app.shift.shift_id });
      app.shift = await app.change("POST", url, { register_ids: tills });
    });
    this.requestUpdate();
    app.focusPage();
  }

  async move(type) {
    const { app } = this;
    const given = await askMovement(app, type);
    const drawer = type === "no_sale";
    if (!given) return;
    await this.once(async () => {
      await app.command({
        url: path("/api/shifts/:id/cash-movements", { id: app.shift.shift_id }),
        body: given,
        label: type,
        amount: drawer ? null : given.amount,
      });
      app.say("ok", `${t(type)}: ${drawer ? t("done") : money(given.amount)}`);
      await this.load();
    });
  }

  figures() {
    const { summary } = this;
    const { cash } = summary;
    const row = (label, value, shown = decimal) =>
      html`<div>
        <dt>${label}</dt>
        <dd>${shown(value)}</dd>
      </div>`;
    return html`<section class="panel pad stack">
      <h2>${t("X report")}, ${symbol()}</h2>
      <dl class="facts">
        ${row(t("Sales"), summary.sales_count, number)}${row(
          t("Gross sales"),
          summary.gross_sales,
        )}${row(t("Discounts"), -summary.discounts)}${row(t("Tax"), summary.tax)}${row(t("Total"), summary.total)}${row(
          t("Returns"),
          -summary.returns_total,
        )}
      </dl>
      <dl class="facts">${(summary.by_method ?? []).map(({ method, net }) => row(t(method), net))}</dl>
      ${
        cash && cash.expected !== null && cash.expected !== undefined && this.app.user.role !== "cashier"
          ? html`<dl class="facts">
              ${row(
                t("Opening float"),
                cash.opening_float,
              )}${row(t("pay_in"), cash.pay_in)}${row(t("pay_out"), -cash.pay_out)}${row(t("drop"), -cash.drops)}
              <div>
                <dt><b>${t("Expected in the drawer")}</b></dt>
                <dd><b>${decimal(cash.expected)}</b></dd>
              </div>
            </dl>`
          : notice("", "info", t("The expected amount is shown after counting"))
      }
      <button class="btn big" @click=${() => this.report()}>${icon("printer")}${t("Print X report")}${key("X")}</button>
    </section>`;
  }

  render() {
    const { app, summary } = this;
    const stands = standing(app);
    return html`<div class="bar">
        <button class="btn quiet" @click=${() => app.show("sell")}>
          ${icon("arrow-left")}${t("Sell")}${key("Esc")}
        </button>
        <h1>${t("Shift and cash")}</h1>
        <button class="btn big end" @click=${() => app.lock()}>${icon("lock")}${t("Lock")}${key("L")}</button
        ><button class="btn primary big" @click=${() => app.show("close")}>
          ${icon("clipboard-check")}${t("Close shift")}${key("F9")}
        </button>
      </div>
      <div class="work">
        ${stands ? notice("", "info", stands) : nothing}
        <div class="rowx">
          ${MOVES.map(
            ({ type, icon: name, letter }, index) =>
              html`<button class="btn big" ?data-focus=${index === 0} @click=${() => this.move(type)}>
                ${icon(name)}${t(type)}${key(letter)}
              </button>`,
          )}<button class="btn big" id="tills-of-shift" @click=${() => this.tills()}>
            ${icon("store")}${t("Tills")}${key("T")}
          </button>
        </div>
        ${
          summary
            ? html`<div class="two">
                <section class="panel scroll">
                  <h2 class="pad">${t("Cash movements")}<span class="muted"> · ${date(app.shift.opened_at)}</span></h2>
                  ${
                    this.movements.length
                      ? html`<table class="grid fold">
                          <thead>
                            <tr>
                              <th>${t("Time")}</th>
                              <th>${t("Type")}</th>
                              <th>${t("Reason")}</th>
                              <th class="num">${t("Amount")}</th>
                            </tr>
                          </thead>
                          <tbody>
                            ${this.movements.map(
                              (one) =>
                                html`<tr>
                                  <td>${time(one.at)}</td>
                                  <td>${t(one.type)}</td>
                                  <td class="whole">
                                    <div>
                                      <bdi>${one.reason === t(one.type) ? "" : one.reason}</bdi
                                      >${one.bag_no ? html`<span class="muted"> ${one.bag_no}</span>` : nothing}
                                    </div>
                                  </td>
                                  <td class="num">${decimal(one.type === "pay_in" ? one.amount : -one.amount)}</td>
                                </tr>`,
                            )}
                          </tbody>
                        </table>`
                      : html`<p class="empty">${t("No cash movements yet")}</p>`
                  }
                </section>
                ${this.figures()}
              </div>`
            : this.awaited()
        }
      </div>`;
  }
}
customElements.define("page-cash", PageCash);
