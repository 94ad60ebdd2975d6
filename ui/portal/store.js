// One store: its state, its problems with their start, its history, and its permission to connect.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { icon } from "../kit/controls.js";
import { clock, day, decimal, isoDay, number, span } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { Page } from "../kit/page.js";
import { judged, mark, problemWords, showToken } from "./fleet.js";
import { ask } from "../kit/form.js";
import { col, figure, ifSome, inMoney, moment, since } from "../records/cells.js";
import { figures, head, section, table } from "../records/record.js";

/** When the store last restored one of its backups to check it. */
const checked = (drill) => {
  if (!drill) return [t("never"), nothing];
  if (drill.problem)
    return [html`<span class="differs">${t("problem.backup_failed")}</span>`, html`<bdi>${drill.problem}</bdi>`];
  return [since(drill.succeeded_at), moment(drill.succeeded_at)];
};

/** Pages of the objects in a store's sums. */
const PLACES = { sku: "stock", member_id: "members", shift_id: "shifts" };

/** Sums that count something; the others are amounts. */
const COUNTS = ["on_hand", "points"];

class PageStore extends Page {
  seen;
  sumsOf;

  timed = true;

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  get id() {
    return this.app.params.id;
  }

  load() {
    return this.readBy(
      async () => ({ seen: judged(await this.app.get("/api/stores/:id/status", { id: this.id })) }),
      () => this.seen,
    );
  }

  keys() {
    return { Escape: () => this.app.go("stores") };
  }

  async edit() {
    const { name, address: place } = this.seen;
    const done = await ask(this.app, {
      title: t("Change store"),
      yes: t("Save"),
      list: [
        { name: "name", label: t("Name"), value: name, required: true, focus: true },
        { name: "address", label: t("Address"), value: place, clears: true },
      ],
      act: (body) => this.app.change("PATCH", path("/api/stores/:id", { id: this.id }), body),
    });
    if (!done) return;
    await this.load();
    this.app.say("ok", t("Saved"));
  }

  async token() {
    const { name } = this.seen;
    const made = await ask(this.app, {
      title: t("A new token for {name}?", { name }),
      yes: t("New token"),
      text: t("Earlier tokens stop working. An enrolled server keeps working until the new token is used"),
      act: () => this.app.change("POST", path("/api/stores/:id/token", { id: this.id }), {}),
    });
    if (made) await showToken(this.app, t("A token for {name}", { name }), made.enrolment_token);
  }

  async speak() {
    const { name, state } = this.seen;
    const off = state !== "disabled";
    const done = await ask(
      this.app,
      off
        ? {
            title: t("Disable {name}?", { name }),
            yes: t("Disable"),
            danger: true,
            text: t(
              "Data is no longer exchanged with this store: no sales, prices or stock. The store can keep selling and stores its sales until you enable it again",
            ),
            act: () => this.app.change("POST", path("/api/stores/:id/disable", { id: this.id }), {}),
          }
        : {
            title: t("Enable {name}?", { name }),
            yes: t("Enable"),
            text: t("The store reconnects and sends its sales from the meantime"),
            act: () => this.app.change("POST", path("/api/stores/:id/enable", { id: this.id }), {}),
          },
    );
    if (!done) return;
    await this.load();
    this.app.say("ok", off ? t("{name} disabled", { name }) : t("{name} enabled", { name }));
  }

  problems() {
    const { problems } = this.seen;
    if (!problems.length) return html`<p class="calm panel pad">${icon("circle-check")}${t("No problems")}</p>`;
    const place = { parked: ["parked"], exceptions: ["exceptions"] };
    return html`<ul class="alerts panel">
      ${problems.map(
        (one) =>
          html`<li
            class=${["silent", "backlog", "clock_skew", "stamped_ahead", "backup_unchecked"].includes(one.code) ? "warn" : "bad"}
          >
            ${icon("triangle-alert")}<span>${problemWords(one)} <small class="muted">${since(one.since)}</small></span>
            ${
              place[one.code]
                ? html`<a href=${address(place[one.code], { store_id: this.id })}>${t("View")}</a>`
                : nothing
            }
          </li>`,
      )}
    </ul>`;
  }

  state() {
    const { seen } = this;
    const proof = seen.digest;
    return figures([
      [t("Last seen"), since(seen.last_seen), moment(seen.last_seen)],
      [
        t("Pending"),
        seen.pending === null ? "\u2013" : number(seen.pending),
        seen.oldest_pending_at
          ? t("oldest since {time}", { time: span(Date.now() - new Date(seen.oldest_pending_at).getTime()) })
          : t("nothing pending"),
      ],
      [t("Clock"), seen.clock_skew_ms === null ? "\u2013" : clock(seen.clock_skew_ms), t("against head office")],
      [
        t("Daily comparison"),
        proof
          ? html`<span class=${proof.result === "difference" ? "differs" : nothing}>${t(proof.result)}</span>`
          : "\u2013",
        proof ? day(proof.business_date) : t("none yet"),
      ],
      [t("Backup restored and checked"), ...checked(seen.drill)],
      [t("Version"), seen.version ?? "\u2013", seen.epoch ?? nothing],
    ]);
  }

  sums() {
    const { sums } = this.seen;
    const rows = [
      [t("Sales"), sums.sales_count, sums.total],
      [t("Pieces"), sums.items_count, null],
      [t("Gross sales"), null, sums.gross_sales],
      [t("Discounts"), null, sums.discounts],
      [t("Tax"), null, sums.tax],
      [t("Rounding"), null, sums.rounding],
      [t("Returns"), sums.returns_count, sums.returns_total],
      [t("Voided"), sums.voids_count, sums.voids_total],
    ];
    const ways = [
      ["sales", t("Sales"), {}],
      ["shifts", t("Shifts"), {}],
      ["stock", t("Stock"), {}],
      ["reports", t("Today's report"), { from: isoDay(0, this.seen.timezone), to: isoDay(0, this.seen.timezone) }],
    ];
    return table(
      t("Data at head office"),
      [
        col(t("Data"), ([label]) => label),
        col(t("Count"), ([, n]) => figure(n), "num"),
        col(t("Amount"), ([, , value]) => inMoney(value), "num"),
      ],
      rows,
      "",
      ways.map(
        ([place, label, query]) =>
          html`<a class="btn small" href=${address([place], { store_id: this.id, ...query })}>${label}</a>`,
      ),
    );
  }

  heads() {
    const { heads, holes } = this.seen;
    const held = (epoch) =>
      holes
        .filter((hole) => hole.epoch === epoch)
        .map(({ from_seq: from, to_seq: to }) => `${number(from)}\u2013${number(to)}`)
        .join(", ");
    return table(
      t("Sync history"),
      [
        col(t("Installation"), (one) => html`<code>${one.epoch}</code>`),
        col(t("Records"), (one) => figure(one.seq), "num"),
        col(t("Lost records"), (one) =>
          held(one.epoch) ? html`<span class="differs">${held(one.epoch)}</span>` : nothing,
        ),
      ],
      heads,
      t("Never connected"),
    );
  }

  lost() {
    const { conflicts, parked, parked_count: count } = this.seen;
    return html`${ifSome(parked, () =>
      table(
        t("Records on hold, {n}", { n: number(count) }),
        [
          col(t("Type"), (one) => one.type),
          col(t("Reason"), (one) => one.message),
          col(t("Since"), (one) => moment(one.parked_at)),
          col(t("Record"), (one) => figure(one.seq), "num"),
        ],
        parked,
      ),
    )}
    ${ifSome(conflicts.recent, () =>
      table(
        t("Overwritten values, {n}", { n: number(conflicts.total) }),
        [
          col(t("Record"), (one) => `${one.kind} ${one.id}`),
          col(t("Overwritten"), (one) => Object.keys(one.lost_fields).join(", ")),
          col(t("Since"), (one) => moment(one.resolved_at)),
        ],
        conflicts.recent,
        "",
        html`<a class="btn small" href=${address(["conflicts"], { store_id: this.id })}>${t("All")}</a>`,
      ),
    )}`;
  }

  render() {
    const { seen } = this;
    const back = ["stores", t("Stores")];
    if (!seen) return html`${head(back, this.id)}${this.awaited()}`;
    const about = html`<p class="about muted">
      ${mark(seen.worst)}
      <span>${seen.store_id}</span>${seen.address ? html`<span>${seen.address}</span>` : nothing}<span
        >${seen.timezone}</span
      ><span>${seen.enrolled_at ? html`${t("enrolled")} ${moment(seen.enrolled_at)}` : t("not enrolled")}</span>
    </p>`;
    const token =
      seen.kind === "store"
        ? html`<button class="btn" @click=${() => this.token()}>${icon("key-round")}${t("New token")}</button>`
        : nothing;
    return html`${head(
        back,
        seen.name,
        html`<button class="btn" @click=${() => this.edit()}>${t("Edit")}</button>`,
        token,
        html`<button class="btn" @click=${() => this.speak()}>
          ${icon("lock")}${seen.state === "disabled" ? t("Enable") : t("Disable")}
        </button>`,
      )}
      ${about}
      <div class="stack">
        ${this.problems()}${this.state()}
        <div class="halves">${this.sums()}${this.heads()}</div>
        ${this.lost()}${section(
          t("Totals to compare with the store"),
          html`<p class="rowx pad">
              ${["stock", "points", "cash"].map(
                (of) =>
                  html`<a
                    class="btn small"
                    aria-current=${of === this.app.params.part ? "true" : nothing}
                    href=${address(["stores", this.id, of])}
                    >${{ stock: t("Stock"), points: t("Points"), cash: t("Drawers") }[of]}</a
                  >`,
              )}
            </p>
            ${this.compared()}`,
        )}
      </div>`;
  }

  /** The sums that the address names. */
  compared() {
    const { part } = this.app.params;
    if (!part) return nothing;
    if (this.sumsOf !== part) {
      Object.assign(this, { sumsOf: part, rows: null });
      this.app.get("/api/stores/:id/sums", { id: this.id }, { of: part, limit: 500 }).then(
        (found) => {
          if (part !== this.sumsOf) return;
          this.rows = found.items;
          this.requestUpdate();
        },
        (error) => this.app.fail(error),
      );
    }
    if (!this.rows?.length)
      return html`<p class="empty" aria-busy=${!this.rows}>${this.rows ? t("None") : t("Loading\u2026")}</p>`;
    const names = Object.keys(this.rows[0]);
    const isId = (name) => name in PLACES;
    names.sort((a, b) => Number(isId(b)) - Number(isId(a)));
    const word = (name) => (t(`figure.${name}`) === `figure.${name}` ? t(name) : t(`figure.${name}`));
    const way = (name, id) =>
      html`<a href=${address([PLACES[name], id], name === "shift_id" ? { store_id: this.id } : undefined)} title=${id}
        >${name === "sku" ? id : `\u2026${id.slice(-6)}`}</a
      >`;
    return html`<div class="scroll">
      <table class="grid fold">
        <thead>
          <tr>
            ${names.map((name) => html`<th class=${isId(name) ? "" : "num"}>${word(name)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${this.rows.map(
            (row) =>
              html`<tr>
                ${names.map(
                  (name) =>
                    html`<td class=${isId(name) ? "" : "num"}>
                      ${isId(name) ? way(name, row[name]) : (COUNTS.includes(name) ? number : decimal)(row[name])}
                    </td>`,
                )}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
  }
}
customElements.define("page-store", PageStore);
