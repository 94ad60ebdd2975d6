// Stores: an overview of all, and the stores with problems, worst first.
import { html, nothing, repeat } from "../vendor/lit.js";
import { icon, vars } from "../kit/controls.js";
import { ago, clock, day, isoDay, money, number, span, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address, refilter } from "../kit/menu.js";
import { Page } from "../kit/page.js";
import { STATES, judged, mark, problemWords, shape, showToken, stateNote, stateWord } from "./fleet.js";
import { ask } from "../kit/form.js";
import { since, storesIn } from "../records/cells.js";
import { need } from "../records/names.js";

const SKEW_MS = 120_000;
const SHOWN_MAX = 300;
const FEW = 20;

class PageStores extends Page {
  fleet;
  sales;
  at;

  timed = true;

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  onEvent(name, data) {
    if (["store", "reload"].includes(name) || (name === "ready" && !data.resumed)) this.soon();
  }

  load() {
    const { app } = this;
    const today = isoDay();
    return this.readBy(
      async () => {
        const [stores, sales] = await Promise.all([
          need(app, "stores", true),
          app.get("/api/reports/sales", {}, { from: today, to: today, group_by: "store" }),
        ]);
        const sold = new Map(sales.items.map((row) => [row.store_id, row.net_total]));
        return {
          sales,
          fleet: [...stores.values()].map((one) => ({ ...judged(one), sold: sold.get(one.store_id) })),
          at: Date.now(),
        };
      },
      () => this.fleet,
    );
  }

  get filter() {
    return this.app.params.query;
  }

  set(changed) {
    const query = { ...this.filter, ...changed };
    this.app.params.query = query;
    refilter(["stores"], query);
    this.requestUpdate();
  }

  keys() {
    const typing = (event) => event.target.closest?.("input, select");
    return {
      "/": (event) => (typing(event) ? false : void this.querySelector("#find-store").focus()),
      N: (event) => (typing(event) ? false : void this.add()),
    };
  }

  async add() {
    const made = await ask(this.app, {
      title: t("Add a store"),
      yes: t("Add"),
      list: [
        { name: "store_id", label: t("Store number, as printed on receipts"), required: true, focus: true },
        { name: "name", label: t("Name") },
        { name: "timezone", label: t("Time zone"), value: Intl.DateTimeFormat().resolvedOptions().timeZone },
      ],
      act: (body) => this.app.change("POST", "/api/stores", body),
    });
    if (!made) return;
    await this.load();
    await showToken(this.app, t("{store} added", { store: made.store_id }), made.enrolment_token);
  }

  counts() {
    const counts = Object.fromEntries(STATES.map((state) => [state, 0]));
    for (const { worst } of this.fleet) counts[worst] += 1;
    return counts;
  }

  summary(counts) {
    const { totals, completeness: seen } = this.sales;
    const part = seen.stores_expected ? (seen.stores_complete * 100) / seen.stores_expected : 0;
    return html`<ul class="sum panel" aria-label=${t("Filter by status")}>
      ${["ok", "late", "silent", "bad"].map(
        (state) =>
          html`<li>
            <button
              aria-pressed=${this.filter.state === state}
              @click=${() => this.set({ state: this.filter.state === state ? "" : state })}
            >
              <span class="k">${mark(state)}</span><span class="v">${number(counts[state])}</span
              ><span class="n">${stateNote(state)}</span>
            </button>
          </li>`,
      )}
      <li class="day">
        <span class="k">${t("Sales today")}</span><span class="v">${money(totals.net_total)}</span
        ><span class="n">${storesIn(seen.stores_complete, seen.stores_expected)}</span
        ><span class="meter"><span ${vars({ "--part": `${part}%` })}></span></span>
      </li>
    </ul>`;
  }

  /** Arrow keys move between the tiles, of which one is in the tab order. */
  walk(event) {
    const tiles = [...event.currentTarget.querySelectorAll(".t")];
    const at = tiles.indexOf(event.target.closest(".t"));
    const row =
      tiles.filter((tile) => tile.offsetTop === tiles[0].offsetTop && tile.parentElement === tiles[0].parentElement)
        .length || 1;
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: row, ArrowUp: -row }[event.key];
    if (!step || at < 0) return;
    event.preventDefault();
    const next = tiles[Math.max(0, Math.min(tiles.length - 1, at + step))];
    tiles[at].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  /** Tiles by time zone, which the stores of a region share. */
  map() {
    const zones = new Map();
    for (const one of this.fleet) zones.set(one.timezone, [...(zones.get(one.timezone) ?? []), one]);
    let first = true;
    const tile = (one) => {
      const problem = one.problem ? `, ${problemWords(one.problem)}` : "";
      const name = `${one.name} ${one.store_id}, ${stateWord(one.worst)}${problem}`;
      const tab = first ? 0 : -1;
      first = false;
      return html`<a
        href=${address(["stores", one.store_id])}
        class="t ${one.worst}"
        tabindex=${tab}
        aria-label=${name}
        title=${name}
        >${shape(one.worst)}</a
      >`;
    };
    const chip = (stores, state) => {
      const n = stores.filter(({ worst }) => worst === state).length;
      return n
        ? html`<span class="st ${state}">${shape(state)}${number(n)}<span class="vh"> ${stateWord(state)}</span></span>`
        : nothing;
    };
    return html`<section class="panel map" aria-label=${t("All stores")} @keydown=${(event) => this.walk(event)}>
      ${[...zones].map(
        ([zone, stores]) =>
          html`<div class="region">
            <h2>
              ${zones.size > 1 ? zone.split("/").at(-1).replaceAll("_", " ") : t("All stores")}
              <span>${number(stores.length)}</span>
            </h2>
            <p class="chips">${["bad", "silent", "late", "ok"].map((state) => chip(stores, state))}</p>
            <div class="tiles">${stores.map(tile)}</div>
          </div>`,
      )}
    </section>`;
  }

  /** Whether the company has few stores, which are all shown. */
  get few() {
    return this.fleet.length <= FEW;
  }

  /** Returns today's sales of a store; 0 if its figures are complete and have none. */
  sold({ sold, store_id: id }) {
    if (sold !== undefined) return money(sold);
    const { missing } = this.sales.completeness;
    const here = missing.every(({ store_id: other }) => other !== id);
    return html`<span class="muted">${here ? t("no sales yet") : t("not received yet")}</span>`;
  }

  shown() {
    const { state, q, all } = this.filter;
    const text = (q ?? "").toLowerCase();
    return this.fleet
      .filter(
        (one) =>
          (!state || one.worst === state) &&
          (state || all || text || this.few || one.worst !== "ok") &&
          `${one.name} ${one.store_id}`.toLowerCase().includes(text),
      )
      .sort((a, b) => STATES.indexOf(b.worst) - STATES.indexOf(a.worst) || a.store_id.localeCompare(b.store_id));
  }

  row(one) {
    const { worst, problem, digest, pending } = one;
    const proof = digest
      ? html`<span class=${digest.result === "difference" ? "badge bad" : "muted"}
          >${t(digest.result)}, ${day(digest.business_date)}</span
        >`
      : html`<span class="muted">${t("none yet")}</span>`;
    const skew = one.clock_skew_ms ?? 0;
    const place = address(["stores", one.store_id]);
    return html`<tr
      class="open ${worst}"
      @click=${(event) => {
        if (!event.target.closest("a")) location.hash = place;
      }}
    >
      <th scope="row">
        <a class="rowlink" href=${place}><bdi>${one.name}</bdi></a>
        <span class="muted">${one.store_id}</span>
      </th>
      <td class="state">${mark(worst)}</td>
      <td class="why">${problem ? problemWords(problem) : nothing}</td>
      <td class="num d">${since(one.last_seen)}</td>
      <td class="num waits">
        <span class=${pending > 0 && worst !== "ok" ? "strong" : nothing}
          >${pending === null ? nothing : html`${number(pending)}<span class="narrow"> ${t("pending")}</span>`}</span
        >
      </td>
      <td class="num d">
        ${
          one.oldest_pending_at
            ? span(Date.now() - new Date(one.oldest_pending_at).getTime())
            : html`<span class="muted">${t("nothing")}</span>`
        }
      </td>
      <td class="d3">${one.version ?? nothing}</td>
      <td class="num d3">
        <span class=${Math.abs(skew) > SKEW_MS ? "strong" : nothing}
          >${one.clock_skew_ms === null ? nothing : clock(skew)}</span
        >
      </td>
      <td class="d2">${proof}</td>
      <td class="num sold">${this.sold(one)}</td>
    </tr>`;
  }

  list() {
    const rows = this.shown();
    const { state, q, all } = this.filter;
    const heading = state ? stateWord(state) : all || q || this.few ? t("All stores") : t("Needs attention");
    const none = state || q ? t("No matching store") : t("All stores OK");
    const head = [
      [t("Store")],
      [t("Status")],
      [t("Reason"), "why"],
      [t("Last seen"), "num d"],
      [t("Pending"), "num"],
      [t("Oldest"), "num d"],
      [t("Version"), "d3"],
      [t("Clock"), "num d3"],
      [t("Daily comparison"), "d2"],
      [t("Sales today"), "num"],
    ];
    return html`<section class="panel fleet">
      <header class="part-head">
        <h2>${heading}</h2>
        <p class="muted">${t("{n} stores, most urgent first", { n: number(rows.length) })}</p>
        <span class="grow"></span>
        <div class="searching">
          ${icon("search")}<input
            class="input"
            id="find-store"
            aria-label=${t("Find a store")}
            placeholder=${t("Find a store")}
            autocomplete="off"
            .value=${q ?? ""}
            @input=${(event) => this.set({ q: event.target.value })}
          />
        </div>
        <button
          class="btn small"
          aria-pressed=${Boolean(all)}
          @click=${() => this.set({ all: all ? "" : "1", state: "" })}
        >
          ${t("All {n} stores", { n: number(this.fleet.length) })}
        </button>
      </header>
      ${
        rows.length
          ? html`<div class="scroll">
              <table class="dense">
                <thead>
                  <tr>
                    ${head.map(([label, kind]) => html`<th scope="col" class=${kind ?? ""}>${label}</th>`)}
                  </tr>
                </thead>
                <tbody>
                  ${repeat(
                    rows.slice(0, SHOWN_MAX),
                    (one) => one.store_id,
                    (one) => this.row(one),
                  )}
                </tbody>
              </table>
            </div>`
          : html`<p class="empty">${none}</p>`
      }
      ${
        rows.length > SHOWN_MAX
          ? html`<p class="empty">${t("First {n}. Type a name to find more", { n: number(SHOWN_MAX) })}</p>`
          : nothing
      }
    </section>`;
  }

  render() {
    const head = html`<header class="title">
      <h1>${t("Stores")}</h1>
      ${
        this.at
          ? html`<p class="live" title=${ago(this.at)}>
              <i aria-hidden="true"></i>${t("as of {time}", { time: time(this.at) })}
            </p>`
          : nothing
      }
      <div class="rowx end">
        ${this.app.find()}<button class="btn primary" @click=${() => this.add()}>
          ${icon("plus")}${t("Add store")}
        </button>
      </div>
    </header>`;
    if (!this.fleet) return html`${head}${this.awaited()}`;
    if (!this.fleet.length)
      return html`${head}
        <p class="empty panel">${t("No stores yet. Add one to get the token for enrolling its server")}</p>`;
    return html`${head}
      <div class="stack fleet-page">${this.summary(this.counts())}${this.map()}${this.list()}</div>`;
  }
}
customElements.define("page-stores", PageStores);
