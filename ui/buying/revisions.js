// Revisions of a purchase order.
import { html } from "../vendor/lit.js";
import { decimal, number } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { col, ifSome, inMoney, moment, person } from "../records/cells.js";
import { productName } from "../records/names.js";
import { table } from "../records/record.js";
import "./texts.js";

/** The changes of a revision, line by line. */
const changes = (before, after) => {
  const changes = [];
  for (const line of after.lines) {
    const was = before.lines.find(({ line_no: no }) => no === line.line_no);
    const name = productName(line.sku);
    if (!was) changes.push(t("{name}: new, {n} pieces", { name, n: number(line.qty) }));
    else if (line.closed && !was.closed) changes.push(t("{name}: removed", { name }));
    else {
      if (line.qty !== was.qty)
        changes.push(t("{name}: {old} to {new} pieces", { name, old: number(was.qty), new: number(line.qty) }));
      if (line.unit_cost !== was.unit_cost)
        changes.push(
          t("{name}: {old} to {new} each", { name, old: decimal(was.unit_cost), new: decimal(line.unit_cost) }),
        );
    }
  }
  if (before.expected_at !== after.expected_at) changes.push(t("expected date changed"));
  return html`<ul>
    ${changes.map((text) => html`<li><bdi>${text}</bdi></li>`)}
  </ul>`;
};
/** The revisions of an order, the latest first, each with its changes. */
export const revisions = (one) => {
  const versions = [...one.revisions].sort((a, b) => a.order.revision - b.order.revision);
  const rows = versions.map((kept, at) => ({ ...kept, next: versions[at + 1]?.order ?? one })).reverse();
  return ifSome(rows, (list) =>
    table(
      t("Revisions"),
      [
        col(t("Revision"), (row) => number(row.next.revision)),
        col(t("Changes"), (row) => changes(row.order, row.next)),
        col(t("Reason"), (row) => row.reason),
        col(t("By"), (row) => html`${person(row.replaced_by)} ${moment(row.replaced_at)}`, "d"),
        col(t("Previous total"), (row) => inMoney(row.order.total), "num"),
      ],
      list,
    ),
  );
};
