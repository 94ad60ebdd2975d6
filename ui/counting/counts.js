// Counts: open and finished ones; a new one.
import { html, nothing } from "../vendor/lit.js";
import { need } from "../records/names.js";
import { pickField } from "../records/picks.js";
import { icon } from "../kit/controls.js";
import { ask } from "../kit/form.js";
import { date, decimal, number, symbol } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { ListPage, title } from "../kit/list.js";
import { address } from "../kit/menu.js";
import { scopeOf } from "./scope.js";

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
    const made = await ask(this.app, {
      title: t("New count"),
      yes: t("Start"),
      list: [
        {
          name: "category",
          label: t("Products to count"),
          kind: "choice",
          choices: [["", t("Everything")], ...[...found.keys()].map((one) => [one, one])],
          focus: true,
        },
        pickField(this.app, "product", {
          name: "skus",
          label: t("Only these products"),
          several: true,
        }),
        {
          name: "blind",
          label: t("Blind count: stock figures are hidden while counting"),
          kind: "check",
          value: true,
        },
      ],
      act: ({ category, skus, blind }) =>
        this.app.command({
          url: "/api/opname",
          body: {
            ...(skus.length ? { scope: "skus", skus } : category ? { scope: "category", category } : { scope: "all" }),
            blind,
          },
          label: "New count",
        }),
    });
    if (made) this.app.go("counts", made.opname_id);
  }

  place(one) {
    return address(["counts", one.opname_id]);
  }

  row(one) {
    return html`<tr class="open" @click=${() => this.app.go("counts", one.opname_id)}>
      <td><a href=${this.place(one)}>${scopeOf(one)}</a></td>
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
        ${one.variance_value === null ? nothing : decimal(one.variance_value)}
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
      t("No counts yet. Count all products, one category or chosen products"),
    )}`;
  }
}
customElements.define("page-counts", PageCounts);
