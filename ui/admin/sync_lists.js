// Records sent to head office: those that it could not apply, with the reason, and whether store and hub have the same
// counts of each day.
import { html, nothing } from "../vendor/lit.js";
import { day, decimal, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { ListPage } from "../kit/list.js";
import { address } from "../kit/menu.js";
import { moment, since } from "./parts.js";

/** What to do about a parked record that the store can't correct, by the code of the reason. */
const WAITS_FOR = {
  unknown_type: "This store's software is newer than head office's. The record is applied after head office upgrades",
  unknown_schema: "This store's software is newer than head office's. The record is applied after head office upgrades",
  waits_for_parked: "Depends on another record on hold, and is applied after it",
  waits_for_predecessor: "Waiting for another record. It is retried when that record arrives",
  invalid_envelope: "Program error. Give this number to support",
  invalid_payload: "Program error. Give this number to support",
  out_of_bounds: "Program error. Give this number to support",
  record_too_large: "Program error. Give this number to support",
  event_id_reused: "Program error. Give this number to support",
};

class SyncParked extends ListPage {
  constructor() {
    super();
    this.pattern = "/api/parked";
  }

  /** Who does what: the store corrects a delivery, and everything else is up to somebody else. */
  advice(one) {
    if (one.state === "replaced") return t("Corrected. Head office confirms it at the next sync");
    if (one.state === "waits_for_store") return t("Correct the delivery and send it again");
    if (one.may_correct) {
      return t("Head office removes the cause, then retries. If a figure of the delivery is wrong, correct it here");
    }
    return t(WAITS_FOR[one.code] ?? "Head office corrects the cause, then the record is applied");
  }

  act(one) {
    if (one.replaced_by) {
      return html`<a href=${address(["deliveries", one.replaced_by])}>${t("Corrected delivery")}</a>`;
    }
    if (!one.may_correct) return nothing;
    return html`<a class="btn small" href=${address(["receiving", one.receiving_id])}>${t("Fix and send again")}</a>`;
  }

  row(one) {
    return html`<tr>
      <td>
        <div>
          <b>${one.type ? t(one.type) : t("Record")}</b><br /><code>${one.epoch.split("-")[0]}/${number(one.seq)}</code>
        </div>
      </td>
      <td class="wide">
        <div>
          <bdi>${one.message}</bdi><br /><span class="muted">${this.advice(one)}</span>
          <div>${this.act(one)}</div>
        </div>
      </td>
      <td>${one.business_date ? day(one.business_date) : nothing}</td>
      <td class="num">${one.amount === null ? nothing : decimal(one.amount)}</td>
      <td>${since(one.parked_at)}</td>
    </tr>`;
  }

  render() {
    return html`<h2 class="section" id="parked-head">${t("Head office could not post these documents")}</h2>
      <p class="muted above">
        ${t(
          "Head office received these records but could not apply them yet, so its figures don't include them. Nothing is lost",
        )}
      </p>
      ${this.table(
        [[t("Record")], [t("Reason and what to do")], [t("Day")], [t("Amount"), "num"], [t("Since")]],
        (one) => this.row(one),
        t("Head office applied all records"),
      )}`;
  }
}
customElements.define("sync-parked", SyncParked);

const LOOKS = { match: "ok", difference: "bad", not_yet: "plain" };

class SyncDays extends ListPage {
  constructor() {
    super();
    this.pattern = "/api/sync/digests";
  }

  result({ result, parked }) {
    if (!result) return html`<span class="badge plain">${t("not compared yet")}</span>`;
    return html`<span class="badge ${LOOKS[result] ?? "plain"}">${t(`digest.${result}`)}</span
      >${parked ? html` <span class="muted">${t("{n} on hold", { n: number(parked) })}</span>` : nothing}`;
  }

  difference({ first_difference: first }) {
    if (!first) return nothing;
    const side = ({ count, total }) => t("{n}, total {total}", { n: number(count), total: decimal(total) });
    return html`<b>${t(first.type)}</b>:
      ${t("here {here}; head office {there}", { here: side(first.store), there: side(first.hub) })}`;
  }

  row(one) {
    const records = Object.values(one.types).reduce((sum, { count }) => sum + count, 0);
    return html`<tr>
      <td>${day(one.business_date)}</td>
      <td><div>${this.result(one)}</div></td>
      <td><div>${this.difference(one)}</div></td>
      <td class="num">${number(records)}</td>
      <td>${one.compared_at ? moment(one.compared_at) : nothing}</td>
    </tr>`;
  }

  render() {
    return html`<h2 class="section">${t("Daily comparison")}</h2>
      ${this.table(
        [[t("Day")], [t("Result")], [t("First difference")], [t("Records"), "num"], [t("Compared")]],
        (one) => this.row(one),
        t("No completed days yet. Each day is compared with head office when it ends"),
      )}`;
  }
}
customElements.define("sync-days", SyncDays);
