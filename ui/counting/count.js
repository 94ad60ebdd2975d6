// Count on a phone: scan, quantity, next, with the missing products beside it; then the differences.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { icon } from "../kit/controls.js";
import { number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { WALK } from "../kit/menu.js";
import { same } from "../kit/scan.js";
import { Page } from "../kit/page.js";
import { title } from "../kit/list.js";
import { entry, last } from "./count_entry.js";
import { waits } from "./count_waits.js";
import { queueOf } from "./count_queue.js";
import { scopeOf } from "./scope.js";
import "./count_left.js";
import "./count_review.js";

const MANAGE = ["store_manager", "admin"];
class PageCount extends Page {
  count;

  constructor() {
    super();
    this.product = null;
    this.qty = null;
    this.first = 0;
    this.zone = "shelf";
  }

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve()
      .then(() => this.load())
      .then(() => this.app.focusPage());
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    if (this.queue) this.queue.onChange = () => {};
  }

  get id() {
    return this.app.params.id;
  }

  async load() {
    this.queue = queueOf(this.app);
    this.queue.onChange = (sent) => this.queueChanged(sent);
    const before = this.count;
    await this.readBy(
      async () => ({ count: await this.app.get("/api/opname/:id", { id: this.id }, { limit: 500 }) }),
      () => this.count,
    );
    // A request that was overtaken has read nothing.
    if (this.error || this.count === before) return;
    const { reopened, lines } = this.count;
    this.queue.read(this.id, this.count);
    this.queue.opens(`${this.id} ${reopened ?? ""}`);
    for (const { sku, name } of lines)
      if (!reopened || reopened.includes(sku)) this.queue.knows(sku, this.queue.known.get(sku) ?? { sku, name });
    this.querySelector("count-left, count-review")?.load();
  }

  /** Handles the result of a send: when everything was sent, the store's figures apply again. */
  queueChanged(sent) {
    if (sent && !this.queue.of(this.id).length) this.load();
    this.requestUpdate();
  }

  /** The store can be reached again, or somebody else counts at the same time. */
  onEvent(name, data) {
    const missed = name === "reload" || (name === "ready" && (this.error || !data.resumed));
    if (missed || (name === "opname" && data.id === this.id)) this.soon();
  }

  keys() {
    return { ...WALK, Escape: () => (this.product ? this.choose(null) : this.app.go("counts")) };
  }

  /** `pieces` were scanned: a carton's pieces are entered at once, a single piece still needs its quantity. */
  choose(product, pieces = 0) {
    this.product = product;
    this.first = pieces;
    this.qty = pieces > 1 ? pieces : null;
    this.scan = this.qty !== null;
    this.requestUpdate();
    this.updateComplete.then(() => {
      const field = this.querySelector(product ? "#counted" : "#scan");
      field?.focus();
      // The next typed text replaces the scanned one.
      if (this.scan) field?.select();
    });
  }

  /** Adds the pieces of the code if the product is the same. Otherwise saves this count and opens the next. */
  async scanned(code) {
    if (this.count?.state !== "counting") return;
    try {
      const found = await this.queue.find(this.id, code);
      if (!found) return;
      const { product } = this;
      const pieces = found.pack ?? 1;
      if (product && (found.sku ? product.sku === found.sku : !product.sku && same(product.code, found.code))) {
        this.qty = (this.qty ?? this.first) + pieces;
        this.scan = true;
        this.requestUpdate();
        await this.updateComplete;
        this.querySelector("#counted")?.select();
        return;
      }
      if (product && this.qty !== null) await this.save();
      this.choose(found, pieces);
    } catch (error) {
      this.app.scanFailed(error, code);
    }
  }

  async save() {
    const { product, qty, zone } = this;
    if (!product || qty === null) return;
    // The user does not wait for the answer: the count is on this device, and the next product is counted.
    await this.once(async () => {
      await this.queue.count(this.id, product, qty, zone, this.count);
      this.choose(this.next(product));
    });
  }

  /** Opens the next product of the list for users who go down the list. */
  next({ sku, listed }) {
    return listed ? this.querySelector("count-left").after(sku) : null;
  }

  /** Withdraws a count. An earlier count of the product must be repeated, and the quantity being entered is kept. */
  async undo() {
    const one = await this.queue.undo();
    if (!one || one.before === null) return;
    this.app.say(
      "warn",
      t("Undone. Previous count here: {n}. Stock may have moved since: recount {name}", {
        n: number(one.before),
        name: one.name,
      }),
    );
    if (this.qty !== null) return;
    this.zone = one.zone;
    this.choose(this.queue.known.get(one.sku) ?? { sku: one.sku, name: one.name });
  }

  /** Moves a product to the end of the list. */
  skip() {
    const { product } = this;
    this.queue.skipped.add(product.sku);
    this.choose(this.next(product));
  }

  step(name, label, question, body = {}) {
    return async () => {
      const yes = question ? await this.app.dialog.ask({ yes: label, ...question }) : true;
      if (!yes) return;
      await this.once(async () => {
        await this.app.command({ url: path(`/api/opname/:id/${name}`, { id: this.id }), body, label });
        await this.load();
      });
    };
  }

  /** Appends a digit; a scanned quantity is replaced. */
  digit(digit) {
    this.set(Number(`${this.scan ? "" : (this.qty ?? "")}${digit}`.slice(0, 7)));
  }

  /** Sets a quantity that was not scanned. Without one, earlier scans are forgotten too. */
  set(qty) {
    this.qty = qty;
    if (qty === null) this.first = 0;
    this.scan = false;
    this.requestUpdate();
  }

  lines() {
    const { state, blind } = this.count;
    const lines = this.count.lines.filter(({ counted }) => counted !== null);
    if (!lines.length) return nothing;
    const open = state === "counting" && blind;
    return html`<div>
      <h2 class="section">${t("Counted")}</h2>
      <div class="panel scroll">
        <table class="grid fold">
          <thead>
            <tr>
              <th>${t("Product")}</th>
              <th class="num">${t("Counted")}</th>
              ${
                open
                  ? nothing
                  : html`<th class="num">${t("Expected")}</th>
                      <th class="num">${t("Difference")}</th>`
              }
            </tr>
          </thead>
          <tbody>
            ${lines.map(
              (line) =>
                html`<tr>
                  <td><bdi>${line.name}</bdi></td>
                  <td class="num">${number(line.counted)}</td>
                  ${
                    open
                      ? nothing
                      : html`<td class="num">${line.expected === null ? nothing : number(line.expected)}</td>
                          <td class="num ${line.variance ? "differs" : ""}">
                            ${line.variance === null ? nothing : number(line.variance)}
                          </td>`
                  }
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </div>`;
  }

  /** The number of products without a count. */
  get lacking() {
    return Math.max(0, this.count.lines_total - this.count.lines_counted);
  }

  actions() {
    const { state } = this.count;
    const manager = this.app.may(MANAGE);
    const waits = this.queue.of(this.id).length;
    const cancel =
      manager && ["counting", "review"].includes(state)
        ? html`<button
            class="btn"
            @click=${this.step("cancel", t("Cancel count"), {
              title: t("Cancel this count?"),
              danger: true,
              no: t("Keep"),
              text: t("Stock does not change. You can still view the counted figures"),
            })}
          >
            ${icon("x")}${t("Cancel count")}
          </button>`
        : nothing;
    if (state === "counting") {
      const question = this.lacking
        ? { title: t("{n} products not counted. Uncounted stock stays as it is. Submit?", { n: number(this.lacking) }) }
        : null;
      return html`${cancel}<button
          class="btn primary"
          ?disabled=${waits > 0}
          title=${waits ? t("Waiting to be sent: {n}", { n: number(waits) }) : nothing}
          @click=${this.step("submit", t("Submit"), question)}
        >
          ${icon("check")}${t("Submit")}
        </button>`;
    }
    if (state === "review" && manager)
      return html`${cancel}<button class="btn primary" @click=${() => this.post()}>
          ${icon("clipboard-check")}${t("Post differences")}
        </button>`;
    return nothing;
  }

  /** Products that moved during the count are posted only after a warning. */
  post() {
    const moved = this.querySelector("count-review")?.answer?.moved_count ?? 0;
    const text = moved
      ? t("Stock moved during the count, so the difference may be wrong: {n}. Recount, or post as counted", {
          n: number(moved),
        })
      : null;
    return this.step(
      "post",
      t("Post differences"),
      { title: t("Update stock to the counted figures?"), text },
      { accept: moved > 0 },
    )();
  }

  /** Recounts some products: their counts are dropped. */
  again(skus) {
    return this.step(
      "recount",
      t("Recount"),
      {
        title: t("Recount {n} products?", { n: number(skus.length) }),
        text: t("Their current counts are deleted. Other counts stay"),
      },
      { skus },
    )();
  }

  /** Shows the differences to the user who decides, once nobody counts any more. */
  result() {
    const { count } = this;
    if (!["review", "posted"].includes(count.state) || !this.app.may(MANAGE)) return this.lines();
    return html`<count-review .app=${this.app} .count=${count} .again=${(skus) => this.again(skus)}></count-review>`;
  }

  render() {
    const { count } = this;
    if (!count) return this.awaited();
    const counting = count.state === "counting";
    const all = Math.max(count.lines_total, count.lines_counted);
    return html`${title(
      html`<a class="back" href="#/counts">${icon("arrow-left")}<span class="vh">${t("Counts")}</span></a
        >${scopeOf(count)}`,
      html`<span class="badge ${counting ? "warn" : "plain"}">${t(count.state)}</span>`,
      html`<span class="muted" id="progress"
        >${t("{n} of {all}", { n: number(count.lines_counted), all: number(all) })}</span
      >`,
      this.actions(),
    )}
    ${
      counting
        ? html`<div class="count-cols">
            <div class="stack">${entry(this)}${last(this)}${waits(this)}${this.lines()}</div>
            <count-left
              .app=${this.app}
              .id=${count.opname_id}
              .queue=${this.queue}
              .choose=${(one) => this.choose(one)}
            ></count-left>
          </div>`
        : html`${waits(this)}${this.result()}`
    }`;
  }
}
customElements.define("page-count", PageCount);
