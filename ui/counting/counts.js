// Counts: those under way and those that are over; a new one.
import { html, nothing } from "../vendor/lit.js";
import { need } from "../records/names.js";
import { icon } from "../kit/controls.js";
import { date, number, symbol } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { ListPage, title } from "../kit/list.js";
import { address } from "../kit/menu.js";

class PageCounts extends ListPage {
  constructor() {
    super();
    this.pattern = "/api/opname";
    this.live = ["opname"];
  }

  keys() {
    return { N: () => void this.begin() };
  }

  async begin() {
    const found = await this.once(() => need(this.app, "categories", true));
    if (!found) return;
    const given = await this.app.dialog.ask({
      title: t("New count"),
      yes: t("Start"),
      body: html`<div class="field">
          <label for="category">${t("Products to count")}</label
          ><select class="input" id="category" name="category" data-focus>
            <option value="">${t("Everything")}</option>
            ${[...found.keys()].map((one) => html`<option value=${one}>${one}</option>`)}
          </select>
        </div>
        <label class="rowx"
          ><input
            type="checkbox"
            name="blind"
            value="yes"
            checked
          />${t("Blind count: stock figures are hidden while counting")}</label
        >`,
    });
    if (!given) return;
    await this.once(async () => {
      const { category } = given;
      const made = await this.app.command({
        url: "/api/opname",
        body: { scope: category ? "category" : "all", ...(category ? { category } : {}), blind: given.blind === "yes" },
        label: "New count",
      });
      this.app.go("counts", made.opname_id);
    });
  }

  place(one) {
    return address(["counts", one.opname_id]);
  }

  row(one) {
    return html`<tr class="open" @click=${() => this.app.go("counts", one.opname_id)}>
      <td><a href=${this.place(one)}>${one.category ?? t("Everything")}</a></td>
      <td>${date(one.created_at)}</td>
      <td><span class="badge ${{ counting: "warn", posted: "ok" }[one.state] ?? "plain"}">${t(one.state)}</span></td>
      <td>${one.blind ? t("blind") : nothing}</td>
      <td class="num">
        ${
          one.state === "counting"
            ? t("{n} of {all}", {
                n: number(one.lines_counted),
                all: number(Math.max(one.lines_total, one.lines_counted)),
              })
            : number(one.lines_total)
        }
      </td>
      <td class="num ${one.variance_value ? "differs" : ""}">
        ${one.variance_value === null ? nothing : number(one.variance_value)}
      </td>
    </tr>`;
  }

  render() {
    return html`${title(
      t("Counts"),
      this.app.find(),
      html`<button class="btn primary" @click=${() => this.begin()}>${icon("plus")}${t("New count")}</button>`,
    )}
    ${this.table(
      [
        [t("Scope")],
        [t("Day")],
        [t("Status")],
        [""],
        [t("Products"), "num"],
        [`${t("Difference")}, ${symbol()}`, "num"],
      ],
      (one) => this.row(one),
      t("No counts yet. Count all products or one category"),
    )}`;
  }
}
customElements.define("page-counts", PageCounts);
