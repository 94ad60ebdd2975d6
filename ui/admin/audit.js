// Audit: who did what, when and to which object; entries are never changed.
import { html, nothing } from "../vendor/lit.js";
import { field, icon } from "../kit/controls.js";
import { dayField } from "../kit/date.js";
import { date, decimal, isoDay, number, shortReceipt, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { ListPage, title } from "../kit/list.js";
import { address } from "../kit/menu.js";
import { moment, pairs, placed, staff, who } from "./parts.js";

const SEARCH_AFTER_MS = 400;
const FILTERS = ["user_id", "action", "object_id", "from", "to"];
/** Details by which a document is identified, the best first. */
const NAMED_BY = [
  "receipt_no",
  "sku",
  "name",
  "username",
  "business_date",
  "transaction_id",
  "return_id",
  "shift_id",
  "member_id",
  "user_id",
  "cash_id",
  "deposit_id",
  "opname_id",
  "adjustment_id",
  "receiving_id",
  "transfer_id",
  "supplier_return_id",
  "register_id",
];
/** Actions of the audit log, for its filter. */
const ACTIONS = [
  "session.opened",
  "session.refresh_reused",
  "user.created",
  "user.changed",
  "user.tokens_revoked",
  "user.password_changed",
  "passkey.added",
  "passkey.removed",
  "pin.set",
  "pin.removed",
  "approval.refused",
  "transaction.voided",
  "transaction.line_removed",
  "transaction.discounted",
  "transaction.price_overridden",
  "shift.count_refused",
  "payment.reversed",
  "tender.corrected",
  "receipt.printed",
  "return.posted",
  "return.voided",
  "drawer.opened",
  "cash.paid_out",
  "cash.reversed",
  "cash.deposited",
  "cash.deposit_reversed",
  "safe.opened",
  "shift.moved",
  "shift.float_approved",
  "shift.variance_approved",
  "shift.recounted",
  "day.sealed",
  "day.unsealed",
  "day.reopened",
  "points.adjusted",
  "points.opened",
  "member.changed",
  "member.erased",
  "product.created",
  "product.changed",
  "products.imported",
  "stock.opened",
  "product_settings.changed",
  "register.created",
  "register.changed",
  "register.quick_keys_changed",
  "adjustment.requested",
  "adjustment.posted",
  "adjustment.rejected",
  "adjustment.reversed",
  "opname.posted",
  "opname.cancelled",
  "receiving.reversed",
  "receiving.resubmitted",
  "supplier_return.posted",
  "transfer.resolved",
];
const AMOUNTS = ["amount", "refund_total", "total", "variance", "discount", "points", "counted_cash", "opening_float"];

/** The object of an action, by its best short name. */
const about = (details, names) => {
  const by = NAMED_BY.find((name) => typeof details[name] === "string");
  if (!by) return nothing;
  const value = details[by];
  if (by === "user_id") return who(names, value);
  // An ID means nothing to a person; the name of its object does.
  if (by.endsWith("_id") && value.length > 16) return placed(by, value, t(by));
  return html`<bdi title=${value}>${by === "receipt_no" ? shortReceipt(value) : value}</bdi>`;
};
const amount = (details) => {
  const by = AMOUNTS.find((name) => typeof details[name] === "number");
  if (!by) return nothing;
  return by === "points" ? number(details[by]) : decimal(details[by]);
};

/** A refused log-in or approval without an ID was an attempt with an unknown name. */
const doneBy = (names, { action, user_id: id }) =>
  action.endsWith(".refused") ? who(names, id, t("unknown login name")) : who(names, id);

class PageAudit extends ListPage {
  constructor() {
    super();
    this.pattern = "/api/audit";
  }

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.names());
  }

  async names() {
    try {
      this.staff = await staff(this.app);
    } catch (error) {
      this.app.fail(error);
    }
    this.requestUpdate();
  }

  get given() {
    return this.app.params.query ?? {};
  }

  query() {
    return Object.fromEntries(FILTERS.map((name) => [name, this.given[name]]));
  }

  keys() {
    return {
      "/": (event) => (event.target.matches("input, select") ? false : this.querySelector("#object_id").focus()),
    };
  }

  /** A filter changes only the address, so the page keeps its focus. */
  filter(name, value) {
    const query = { ...this.given, [name]: value.trim() || undefined };
    this.app.params.query = query;
    history.replaceState(null, "", address(["audit"], query));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load(), name === "object_id" ? SEARCH_AFTER_MS : 0);
    this.requestUpdate();
  }

  clear() {
    this.app.params.query = {};
    history.replaceState(null, "", address(["audit"]));
    this.load();
  }

  async open(one) {
    const { before, after, ...rest } = one.details;
    const changed = before !== undefined || after !== undefined;
    const side = (label, value) =>
      html`<div>
        <h3>${label}</h3>
        ${
          typeof value === "object" && value
            ? pairs(value)
            : html`<p>
                ${
                  value === undefined || value === null
                    ? html`<span class="muted">${t("nothing")}</span>`
                    : typeof value === "number"
                      ? number(value)
                      : value
                }
              </p>`
        }
      </div>`;
    await this.app.dialog.ask({
      title: t(one.action),
      yes: null,
      no: t("Close"),
      body: html`<div class="entry-of">
        <dl class="pairs">
          <div>
            <dt>${t("Time")}</dt>
            <dd>${date(one.at)} ${time(one.at)}</dd>
          </div>
          <div>
            <dt>${t("User")}</dt>
            <dd>${doneBy(this.staff, one)}</dd>
          </div>
          ${
            one.approved_by
              ? html`<div>
                  <dt>${t("Approved by")}</dt>
                  <dd>${who(this.staff, one.approved_by)}</dd>
                </div>`
              : nothing
          }${
            one.register_id
              ? html`<div>
                  <dt>${t("Till")}</dt>
                  <dd><bdi>${this.app.till(one.register_id)}</bdi></dd>
                </div>`
              : nothing
          }
        </dl>
        ${
          changed
            ? html`<div class="sides">${side(t("Before"), before)}${side(t("After"), after ?? rest.amount)}</div>`
            : nothing
        }
        ${Object.keys(rest).length ? pairs(rest) : html`<p class="muted">${t("No further details")}</p>`}
        <p class="muted"><code>${one.action} ${one.audit_id}</code></p>
      </div>`,
    });
  }

  row(one) {
    return html`<tr class="open" @click=${(event) => (event.target.closest("a, button") ? undefined : this.open(one))}>
      <td>${moment(one.at)}</td>
      <td><button class="link" @click=${() => this.open(one)}>${t(one.action)}</button></td>
      <td>${about(one.details, this.staff)}</td>
      <td class="num">${amount(one.details)}</td>
      <td>${doneBy(this.staff, one)}</td>
      <td>${one.approved_by ? who(this.staff, one.approved_by) : nothing}</td>
    </tr>`;
  }

  filters() {
    const { given } = this;
    const people = [...(this.staff?.values() ?? [])].sort((one, other) => one.name.localeCompare(other.name));
    const actions = ACTIONS.map((name) => [name, t(name)]).sort(([, one], [, other]) => one.localeCompare(other));
    const choice = (name, label, all, rows) =>
      field(
        label,
        html`<select class="input" id=${name} @change=${(event) => this.filter(name, event.target.value)}>
          <option value="">${all}</option>
          ${rows.map(([key, text]) => html`<option value=${key} ?selected=${key === given[name]}>${text}</option>`)}
        </select>`,
        name,
      );
    const day = (name, label) =>
      field(
        label,
        dayField({ id: name, value: given[name], max: isoDay(), onChoose: (chosen) => this.filter(name, chosen) }),
        name,
      );
    return html`<div class="asking">
      ${choice(
        "user_id",
        t("User"),
        t("All users"),
        people.map((one) => [one.user_id, one.name]),
      )}${choice("action", t("Action"), t("All actions"), actions)}
      ${field(
        t("Receipt, product or id"),
        html`<input
          class="input"
          id="object_id"
          data-focus
          autocomplete="off"
          spellcheck="false"
          .value=${given.object_id ?? ""}
          @input=${(event) => this.filter("object_id", event.target.value)}
        />`,
        "object_id",
      )}
      <div class="span">${day("from", t("Start date"))}${day("to", t("To day"))}</div>
      ${
        FILTERS.some((name) => given[name])
          ? html`<button class="btn" @click=${() => this.clear()}>${icon("x")}${t("Clear filter")}</button>`
          : nothing
      }
    </div>`;
  }

  render() {
    const filtered = FILTERS.some((name) => this.given[name]);
    const none = this.next
      ? t("No matches among the latest entries. Load older entries")
      : filtered
        ? t("No entries")
        : t("No entries yet");
    return html`${title(t("Audit log"), this.app.find())}${this.filters()}
    ${this.table(
      [[t("Time")], [t("Action")], [t("Item")], [t("Amount"), "num"], [t("User")], [t("Approved by")]],
      (one) => this.row(one),
      none,
    )}
    ${
      this.items?.length === 0 && this.next
        ? html`<button class="btn" @click=${() => this.load(true)}>${t("Load older entries")}</button>`
        : nothing
    }`;
  }
}
customElements.define("page-audit", PageAudit);
