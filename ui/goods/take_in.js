// Receives a transfer: the arrived and the damaged pieces of each product. This is possible once; the sender resolves
// the rest.
import { html, nothing } from "../vendor/lit.js";
import { field } from "../records/form_page.js";
import { nameOf, need } from "../records/names.js";
import { words } from "../kit/codes.js";
import { icon } from "../kit/controls.js";
import { path } from "../kit/api.js";
import { number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { codeOf } from "../kit/scan.js";
import { wasScanned } from "../kit/scan.js";
import { findProduct } from "../admin/find.js";
import { LinesPage } from "./lines.js";

class PageTakeIn extends LinesPage {
  get id() {
    return this.app.params.id;
  }

  get back() {
    return ["transfers", t("Transfers")];
  }

  get name() {
    return this.transfer ? t("From {store}", { store: nameOf("stores", this.transfer.from_store_id) }) : t("Receive");
  }

  get draft() {
    return `draft.transfer.${this.id}`;
  }

  async load() {
    await need(this.app, "stores");
    this.transfer = await this.app.get("/api/transfers/:id", { id: this.id });
    this.lines = this.transfer.lines.map(({ sku, name, qty }) => ({ sku, name, sent: qty, qty: null, broken: null }));
    this.recall();
  }

  keys() {
    return { ...super.keys(), Escape: () => this.app.go("transfers", this.id) };
  }

  /** A scan is a piece or a carton of the transfer; other products are refused. */
  async scanned(code) {
    const scanned = wasScanned();
    try {
      const found = await findProduct(this.app, code);
      if (!found) return;
      const at = this.lines.findIndex(({ sku }) => sku === found.sku);
      if (at < 0) {
        this.app.refuse(code, t("{name} was not sent with this transfer", { name: found.name }), { scanned });
      } else this.line(at, { qty: (this.lines[at].qty ?? 0) + found.pack_qty });
    } catch (error) {
      this.app.scanFailed(error, code);
    }
  }

  body() {
    const wrong = this.lines.find(({ qty, broken, sent }) => (qty ?? 0) > sent || (broken ?? 0) > (qty ?? 0));
    if (wrong) {
      this.problem =
        (wrong.qty ?? 0) > wrong.sent
          ? t("{name}: at most {n}", { name: wrong.name, n: number(wrong.sent) })
          : t("{name}: more damaged than received", { name: wrong.name });
      return null;
    }
    return { lines: this.lines.filter(({ qty }) => qty).map(({ sku, qty }) => ({ sku, qty })) };
  }

  get short() {
    return this.lines.reduce((all, { sent, qty }) => all + sent - (qty ?? 0), 0);
  }

  async save(body) {
    const { short } = this;
    if (short) {
      const sure = await this.app.dialog.ask({
        title: t("Receive without the missing items, {n}?", { n: number(short) }),
        text: t("A transfer can be received only once. The sending store resolves the missing items"),
        yes: t("Receive"),
        no: t("Recount"),
      });
      if (!sure) return;
    }
    await this.app.command({ url: path("/api/transfers/:id/receive", { id: this.id }), body, label: "Receive" });
    this.forget();
    const broken = this.lines.filter(({ broken: n }) => n).map(({ sku, broken: n }) => ({ sku, qty: -n }));
    const problem = broken.length ? await this.putAside(broken) : null;
    await this.app.go("transfers", this.id);
    this.app.say("ok", t("Received"));
    if (problem)
      this.app.say("warn", t("Received. Damaged items are still recorded as stock on hand: {why}", { why: problem }));
  }

  /** Damaged pieces are received and set aside. */
  async putAside(lines) {
    try {
      await this.app.command({
        url: "/api/adjustments",
        body: { reason: "damaged", keep: true, note: t("received damaged"), lines },
        label: "Adjustment",
      });
      return null;
    } catch (error) {
      return error.words ?? words(error);
    }
  }

  all() {
    this.set({ lines: this.lines.map((line) => ({ ...line, qty: line.sent })) });
  }

  beside() {
    return html`<button class="btn" ?disabled=${this.busy || !this.loaded} @click=${() => this.all()}>
      ${icon("clipboard-check")}${t("All received")}
    </button>`;
  }

  row(line, index) {
    const left = line.sent - (line.qty ?? 0);
    const difference =
      line.qty === null
        ? html`<span class="muted">${t("not counted yet")}</span>`
        : html`<span class="badge ${left ? "bad" : "ok"}"
            >${
              left > 0
                ? t("{n} missing", { n: number(left) })
                : left < 0
                  ? t("{n} over", { n: number(-left) })
                  : t("complete")
            }</span
          >`;
    return html`<tr>
      ${this.product(line)}
      <td class="num"><div>${number(line.sent)}</div></td>
      ${this.pieces(line, index, { label: t("{name}: received", { name: line.name }) })}${this.pieces(line, index, {
        name: "broken",
        label: t("{name}: damaged", { name: line.name }),
      })}
      <td><div>${difference}</div></td>
    </tr>`;
  }

  render() {
    const scan = field(
      "scan",
      t("Scan received products"),
      html`<input
        class="input"
        id="scan"
        data-focus
        data-scan="line"
        autocomplete="off"
        @keydown=${(event) => {
          if (event.key !== "Enter" || event.ctrlKey || !event.target.value) return;
          const code = codeOf(event.target.value);
          event.target.value = "";
          this.scanned(code);
        }}
      />`,
      "finder",
    );
    return this.frame(
      t("Receive"),
      html`<section class="panel part sheet">
        <header class="part-head">
          ${scan}
          <p class="muted end" aria-live="polite">
            ${this.short ? t("remaining: {n}", { n: number(this.short) }) : t("complete")}
          </p>
        </header>
        <div class="scroll">
          <table class="grid fold lines">
            <thead>
              <tr>
                <th scope="col">${t("Product")}</th>
                <th scope="col" class="num">${t("Sent")}</th>
                <th scope="col" class="num">${t("Received")}</th>
                <th scope="col" class="num">${t("Damaged")}</th>
                <th scope="col">${t("Difference")}</th>
              </tr>
            </thead>
            <tbody>
              ${this.lines.map((line, index) => this.row(line, index))}
            </tbody>
          </table>
        </div>
      </section>`,
      this.transfer?.note ? html`<p class="muted">${t("Note")}: <bdi>${this.transfer.note}</bdi></p>` : nothing,
    );
  }
}
customElements.define("page-take-in", PageTakeIn);
