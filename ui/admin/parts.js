// Shared by the pages of the store's machine: author, time, and the name of a document.
import { html, nothing } from "../vendor/lit.js";
import { ago, brief, date, decimal, number, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";

/** Time as the time that has passed, with the exact time in its tooltip. */
export const since = (at) =>
  at
    ? html`<time datetime=${at} title=${`${date(at)}, ${time(at)}`}>${ago(at)}</time>`
    : html`<span class="muted">${t("never")}</span>`;
/** Short time, with the exact time in its tooltip. */
export const moment = (at) =>
  at ? html`<time datetime=${at} title=${`${date(at)}, ${time(at)}`}>${brief(at)}, ${time(at)}</time>` : nothing;

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];
/** Bytes in the unit that keeps them short. */
export const bytes = (count) => {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, count)) / 10));
  return `${number(Math.round(count / 1024 ** step))}\u00a0${UNITS[step]}`;
};

/** Returns everybody who works or worked here, by ID; requested once. */
export const staff = async (app) => {
  if (app.staff) return app.staff;
  const names = new Map();
  let cursor;
  do {
    const page = await app.get("/api/staff", {}, { limit: 500, cursor });
    for (const one of page.items) names.set(one.user_id, one);
    cursor = page.next_cursor;
  } while (cursor);
  app.staff = names;
  return names;
};
/** Returns a person's name. No ID means the server administrator; users of head office have only their ID here. */
export const who = (names, id, nobody = t("server administrator")) => {
  if (!id) return html`<span class="muted">${nobody}</span>`;
  const known = names?.get(id);
  return known ? html`<bdi title=${id}>${known.name}</bdi>` : html`<code title=${id}>${id.slice(0, 12)}…</code>`;
};

/** Pages to which values with these names link. */
const PLACES = {
  sku: "stock",
  member_id: "members",
  user_id: "people",
  po_id: "receiving",
  opname_id: "counts",
  transaction_id: "sales",
  return_id: "returns",
  shift_id: "shifts",
  receiving_id: "deliveries",
  adjustment_id: "adjustments",
  transfer_id: "transfers",
  supplier_return_id: "supplier-returns",
};
/** Returns an ID as a link to its object. */
export const placed = (name, value, text) =>
  PLACES[name]
    ? html`<a href=${`#/${PLACES[name]}/${encodeURIComponent(value)}`} title=${value}><bdi>${text}</bdi></a>`
    : nothing;
const short = (value) => (value.length > 24 ? `\u2026${value.slice(-8)}` : value);
/** Names of amounts of money. */
const MONEY = /(amount|price|cost|total|discount|variance|cash|float|value|refund|tax|rounding)$/;
const shownValue = (name, value) => {
  if (value === null || value === undefined || value === "") return html`<span class="muted">–</span>`;
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  if (typeof value === "number") return MONEY.test(name) ? decimal(value) : number(value);
  if (Array.isArray(value))
    return value.map((one) => (typeof one === "string" ? t(one) : JSON.stringify(one))).join(", ");
  if (typeof value === "object") return html`<code>${JSON.stringify(value)}</code>`;
  if (PLACES[name]) return placed(name, value, short(value));
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return moment(value);
  return html`<bdi
    >${name === "action" || name === "role" || name === "state" || name === "reason" ? t(value) : value}</bdi
  >`;
};
/** Returns values with their names in words. */
export const pairs = (values) =>
  html`<dl class="pairs">
    ${Object.entries(values ?? {}).map(
      ([name, value]) =>
        html`<div>
          <dt>${t(name)}</dt>
          <dd>${shownValue(name, value)}</dd>
        </div>`,
    )}
  </dl>`;
