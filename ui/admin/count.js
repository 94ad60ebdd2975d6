// Count on a phone: scan, number, next; then what differs, and what is still missing.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../shared/api.js";
import { words } from "../shared/codes.js";
import { countInput, icon, notice } from "../shared/controls.js";
import { number } from "../shared/format.js";
import { t } from "../shared/i18n.js";
import { clean } from "../shared/scan.js";
import { Page } from "../shared/page.js";
import { failed, title } from "../shared/list.js";
import { queueOf } from "./count_queue.js";

const MANAGE = ["store_manager", "admin"];

class PageCount extends Page {
  constructor() {
    super();
    this.product = null;
    this.qty = null;
    this.zone = "shelf";
  }

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load()).then(() => this.app.focusPage());
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    if (this.queue) this.queue.told = () => {};
  }

  get id() {
    return this.app.params.id;
  }

  async load() {
    this.queue = queueOf(this.app);
    this.queue.told = (sent) => this.heard(sent);
    try {
      this.count = await this.app.get("/api/opname/:id", { id: this.id }, { limit: 500 });
      this.missing = this.count.state === "counting" ? (await this.app.get("/api/opname/:id/uncounted", { id: this.id }, { limit: 100 })).items : [];
      for (const { sku, name } of [...this.count.lines, ...this.missing]) this.queue.knows(sku, this.queue.known.get(sku) ?? { sku, name });
      this.error = null;
    } catch (error) {
      this.error = error;
      if (this.count || error.status === 401) this.app.fail(error);
    }
    this.requestUpdate();
  }

  /** Something was sent, or could not be: when all is there, the figures are the store's again. */
  heard(sent) {
    if (sent && !this.queue.of(this.id).length) this.load();
    this.requestUpdate();
  }

  /** The store's box is back. */
  told(name) {
    if (name === "ready" && this.error) this.load();
  }

  keys() {
    return { Escape: () => (this.product ? this.choose(null) : this.app.go("counts")) };
  }

  choose(product) {
    this.product = product;
    this.qty = null;
    this.requestUpdate();
    this.updateComplete.then(() => this.querySelector(product ? "#counted" : "#scan")?.focus());
  }

  /** The same product adds one; another one saves this number and opens the next. */
  async scanned(code) {
    try {
      const found = await this.queue.find(code);
      if (!found) return;
      if (this.product && this.product.sku === found.sku && this.product.code === found.code) {
        this.qty = (this.qty ?? 0) + 1;
        this.requestUpdate();
        return;
      }
      if (this.product && this.qty !== null) await this.save();
      this.choose(found);
    } catch (error) {
      this.app.fail(error);
    }
  }

  async save() {
    const { product, qty, zone } = this;
    if (!product || qty === null) return;
    // Nobody waits for an answer: it is on this device, and the next product is counted.
    await this.once(async () => {
      await this.queue.put(this.id, product, qty, zone);
      this.choose(null);
    });
  }

  step(name, label, question) {
    return async () => {
      const yes = question ? await this.app.dialog.ask({ title: question, yes: label }) : true;
      if (!yes) return;
      await this.once(async () => {
        await this.app.command({ url: path(`/api/opname/:id/${name}`, { id: this.id }), body: name === "post" ? { accept: true } : {}, label });
        await this.load();
      });
    };
  }

  entry() {
    const { product } = this;
    if (!product) {
      return html`<div class="field"><label for="scan">${t("Scan a product, or type its code")}</label><input class="input l" id="scan" data-focus data-scan="line" autocomplete="off" inputmode="search" @keydown=${(event) => {
        if (event.key !== "Enter" || !event.target.value) return;
        const code = clean(event.target.value);
        event.target.value = "";
        this.scanned(code);
      }}></div>`;
    }
    const digits = ["7", "8", "9", "4", "5", "6", "1", "2", "3", "0", "00"];
    return html`<form class="counting stack" @submit=${(event) => {
      event.preventDefault();
      this.save();
    }}><div><h2><bdi>${product.name}</bdi></h2><p class="muted">${product.sku ? `${product.sku}${product.place ? ` \u00b7 ${product.place}` : ""}` : t("The store does not answer: it looks this code up when it is back. Say how many of exactly this were scanned")}</p></div>
      <div class="field"><label for="zone">${t("Area")}</label><select class="input" id="zone" @change=${(event) => { this.zone = event.target.value; }}>${["shelf", "back"].map((zone) => html`<option value=${zone} ?selected=${zone === this.zone}>${t(zone)}</option>`)}</select></div>
      ${countInput({ id: "counted", value: this.qty, label: t("Counted here"), focus: true, onValue: (qty) => { this.qty = qty; } })}
      <div class="pad-keys">${digits.map((digit) => html`<button type="button" class="btn big" @click=${() => {
        this.qty = Number(`${this.qty ?? ""}${digit}`.slice(0, 7));
        this.requestUpdate();
      }}>${digit}</button>`)}<button type="button" class="btn big" aria-label=${t("Clear")} @click=${() => {
        this.qty = null;
        this.requestUpdate();
      }}>${icon("delete")}</button></div>
      <div class="rowx"><button type="button" class="btn big" @click=${() => this.choose(null)}>${t("Cancel")}</button><button class="btn primary big grow" ?disabled=${this.busy}>${t("Save, next")}</button></div></form>`;
  }

  /** What the store does not have yet, and what it did not take. */
  waits() {
    const { queue, id } = this;
    const [waits, refused] = [queue.of(id), queue.of(id, queue.refused)];
    const again = (one) => {
      queue.forget(one);
      this.choose({ sku: one.sku, code: one.code, name: one.name });
    };
    return html`<div role="status">${queue.away && waits.length ? html`<section class="panel" id="waits"><h2 class="pad">${t("Waiting to be sent: {n}", { n: number(waits.length) })}</h2>
      <p class="pad muted">${t("The store does not answer. What was counted stays on this device and is sent by itself; go on counting")}</p>
      <dl class="facts pad">${waits.map((one) => html`<div><dt><bdi>${one.name}</bdi>, ${t(one.zone)}</dt><dd>${number(one.qty)}</dd></div>`)}</dl></section>` : nothing}
      ${refused.map((one) => notice("bad", "triangle-alert", html`<b>${t("{name}, {n}: not taken", { name: one.name, n: number(one.qty) })}</b> ${words(one.error)} <button class="btn small" @click=${() => again(one)}>${t("Count it again")}</button> <button class="btn small" @click=${() => queue.forget(one)}>${t("Close")}</button>`))}</div>`;
  }

  lines() {
    const { lines, state, blind } = this.count;
    if (!lines.length) return nothing;
    const open = state === "counting" && blind;
    return html`<h2 class="section">${t("Counted")}</h2><div class="panel scroll"><table class="grid fold"><thead><tr><th>${t("Product")}</th><th class="num">${t("Counted")}</th>${open ? nothing : html`<th class="num">${t("Books")}</th><th class="num">${t("Difference")}</th>`}</tr></thead><tbody>
      ${lines.map((line) => html`<tr><td><bdi>${line.name}</bdi></td><td class="num">${number(line.counted)}</td>${open ? nothing : html`<td class="num">${line.expected === null ? nothing : number(line.expected)}</td><td class="num ${line.variance ? "differs" : ""}">${line.variance === null ? nothing : number(line.variance)}</td>`}</tr>`)}</tbody></table></div>`;
  }

  actions() {
    const { state } = this.count;
    const manager = MANAGE.includes(this.app.user.role);
    const waits = this.queue.of(this.id).length;
    if (state === "counting") return html`<button class="btn primary" ?disabled=${waits > 0} title=${waits ? t("Waiting to be sent: {n}", { n: number(waits) }) : nothing} @click=${this.step("submit", t("Hand in"), this.missing.length ? t("{n} products are not counted. Hand in all the same?", { n: number(this.missing.length) }) : null)}>${icon("check")}${t("Hand in")}</button>`;
    if (state === "review" && manager) return html`<button class="btn primary" @click=${this.step("post", t("Post differences"), t("Move the differences into the books?"))}>${icon("clipboard-check")}${t("Post differences")}</button>`;
    return nothing;
  }

  render() {
    const { count } = this;
    if (!count && this.error) return failed(this.error, () => this.load());
    if (!count) return html`<p class="empty panel">${t("Loading\u2026")}</p>`;
    const waiting = new Set(this.queue.of(this.id).map(({ sku }) => sku));
    const missing = this.missing.filter(({ sku }) => !waiting.has(sku));
    const done = count.lines.length;
    return html`${title(html`<a class="back" href="#/counts">${icon("arrow-left")}<span class="vh">${t("Counts")}</span></a>${count.category ?? t("Everything")}`, html`<span class="badge ${count.state === "counting" ? "warn" : "plain"}">${t(count.state)}</span>`, html`<span class="muted">${t("{n} of {all}", { n: number(done), all: number(Math.max(done + this.missing.length, done)) })}</span>`, this.actions())}
      <div class="count-cols"><div>${count.state === "counting" ? this.entry() : nothing}${this.waits()}${this.lines()}</div>
      ${missing.length ? html`<section class="panel"><h2 class="pad">${t("Not counted yet")}</h2><ul class="left">${missing.map((one) => html`<li><button class="btn quiet" @click=${() => this.choose(one)}><bdi>${one.name}</bdi></button></li>`)}</ul></section>` : nothing}</div>`;
  }
}
customElements.define("page-count", PageCount);
