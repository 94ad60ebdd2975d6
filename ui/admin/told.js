// What was told to head office: records that it could not apply, with the reason, and whether both count the same of each day.
import { html, nothing } from "../vendor/lit.js";
import { day, number } from "../shared/format.js";
import { t } from "../shared/i18n.js";
import { ListPage } from "../shared/list.js";
import { moment, since } from "./parts.js";

/** What a parked record waits for, by its code. */
const WAITS_FOR = {
  unknown_type: "This store's program is newer than head office's. Head office upgrades, then it is applied by itself", unknown_schema: "This store's program is newer than head office's. Head office upgrades, then it is applied by itself",
  waits_for_parked: "It belongs to another record that is parked, and follows it", waits_for_predecessor: "It needs something that has not come there yet, and is tried again when it does",
  invalid_envelope: "A defect: give this number to support", invalid_payload: "A defect: give this number to support", effects_failed: "A defect: give this number to support", event_id_reused: "A defect: give this number to support",
};

class ToldParked extends ListPage {
  constructor() {
    super();
    this.pattern = "/api/sync/parked";
  }

  row(one) {
    return html`<tr><td><div><b>${one.type ? t(one.type) : t("A record")}</b><br><code>${one.epoch.split("-")[0]}/${number(one.seq)}</code></div></td><td class="wide"><div><bdi>${one.message}</bdi><br><span class="muted">${t(WAITS_FOR[one.code] ?? "Head office mends what is wrong, then it is applied")}</span></div></td>
      <td>${one.business_date ? day(one.business_date) : nothing}</td><td class="num">${one.amount === null ? nothing : number(one.amount)}</td><td>${since(one.parked_at)}</td></tr>`;
  }

  render() {
    return html`<h2 class="section" id="parked-head">${t("Parked at head office")}</h2><p class="muted above">${t("Head office keeps these records and could not apply them: its figures lack them. Nothing is lost")}</p>
      ${this.table([[t("Record")], [t("Why, and what to do")], [t("Day")], [t("Amount"), "num"], [t("Since")]], (one) => this.row(one), t("Head office could apply all that it was told"))}`;
  }
}
customElements.define("told-parked", ToldParked);

const LOOKS = { match: "ok", difference: "bad", not_yet: "plain" };

class ToldDays extends ListPage {
  constructor() {
    super();
    this.pattern = "/api/sync/digests";
  }

  result({ result, parked }) {
    if (!result) return html`<span class="badge plain">${t("not compared yet")}</span>`;
    return html`<span class="badge ${LOOKS[result] ?? "plain"}">${t(`digest.${result}`)}</span>${parked ? html` <span class="muted">${t("{n} parked", { n: number(parked) })}</span>` : nothing}`;
  }

  difference({ first_difference: first }) {
    if (!first) return nothing;
    const side = ({ count, total }) => t("{n}, {total} in all", { n: number(count), total: number(total) });
    return html`<b>${t(first.type)}</b>: ${t("here {here}; head office {there}", { here: side(first.store), there: side(first.hub) })}`;
  }

  row(one) {
    const records = Object.values(one.types).reduce((sum, { count }) => sum + count, 0);
    return html`<tr><td>${day(one.business_date)}</td><td><div>${this.result(one)}</div></td><td><div>${this.difference(one)}</div></td><td class="num">${number(records)}</td><td>${one.compared_at ? moment(one.compared_at) : nothing}</td></tr>`;
  }

  render() {
    return html`<h2 class="section">${t("Daily comparison")}</h2>
      ${this.table([[t("Day")], [t("Result")], [t("First difference")], [t("Records"), "num"], [t("Compared")]], (one) => this.row(one), t("No day is over yet. Each is compared with head office when it is"))}`;
  }
}
customElements.define("told-days", ToldDays);
