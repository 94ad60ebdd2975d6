// Audit entries of one document, on its page: who did what, with whose approval, why.
import { html } from "../vendor/lit.js";
import { col, ifSome, moment, person } from "../records/cells.js";
import { table } from "../records/record.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";

const MANAGE = ["store_manager", "admin"];
const SHOWN = 20;

/** A document with its trail, for those who may read the audit log. */
export const withTrail = async (app, id, document) => {
  const trail = app.may(MANAGE) ? app.get("/api/audit", {}, { object_id: id, limit: SHOWN }) : { items: [] };
  const [one, { items, next_cursor: more }] = await Promise.all([document, trail]);
  return { ...one, trail: { id, items, more: Boolean(more) } };
};

const named = (name, id) => (name ? html`<bdi title=${id}>${name}</bdi>` : person(id));
const has = (list, name) => list.some((one) => one[name]);
const why = ({ details }) => html`<bdi>${details.reason ? t(details.reason) : (details.note ?? "")}</bdi>`;

export const trailOf = ({ trail: { id, items, more } }) =>
  ifSome(items, (list) =>
    table(
      t("History of actions"),
      [
        col(t("When"), (one) => moment(one.at)),
        col(t("Action"), (one) => t(one.action)),
        col(t("Person"), (one) => named(one.user_name, one.user_id)),
        has(list, "approved_by") && col(t("Approved by"), (one) => named(one.approved_by_name, one.approved_by), "d"),
        has(list, "register_id") && col(t("Till"), (one) => one.register_id ?? "", "d2"),
        col(t("Reason"), why, "d"),
      ].filter(Boolean),
      list,
      undefined,
      html`<a class="btn small" href=${address(["audit"], { object_id: id })}>${more ? t("More") : t("Audit log")}</a>`,
    ),
  );
