// The correction of a delivery that head office could not post: what it says, and what is sent in its place.
import { html, nothing } from "../vendor/lit.js";
import { field } from "../kit/controls.js";
import { t } from "../kit/i18n.js";

/** Whether a page of receiving is about a posted delivery, not about an order. */
export const isReceipt = (id) => id.startsWith("rcv_");

/** An order line as it was before the delivery. */
export const before = (line, receipt) => {
  const came = receipt.lines.filter(({ sku }) => sku === line.sku).reduce((sum, { qty }) => sum + qty, 0);
  return { ...line, received_qty: Math.max(0, line.received_qty - came) };
};

/** The page's lines with those of the delivery: one for each product, with what all of its pieces cost. */
export const filled = (lines, receipt) => {
  const bySku = new Map(lines.map((line) => [line.sku, line]));
  for (const { sku, name, qty, rejected_qty: rejected, unit_cost: each, cost, note } of receipt.lines) {
    const known = bySku.get(sku) ?? { sku, name, ordered: null, before: 0, limit: null };
    const was = known.was ?? { qty: 0, total: 0 };
    const [all, total] = [was.qty + qty, was.total + cost];
    const unit = all ? Math.round(total / all) : each;
    bySku.set(sku, {
      ...known,
      qty: all || null,
      rejected: (known.rejected ?? 0) + rejected || null,
      cost: unit,
      remark: known.remark ?? note,
      was: { qty: all, cost: unit, total },
    });
  }
  return [...bySku.values()];
};

/** What a line costs: exactly as before unless pieces or cost were changed. */
export const costOf = ({ qty, cost, was }) =>
  was && was.qty && was.qty === qty && was.cost === cost ? { line_total: was.total } : { unit_cost: cost ?? 0 };

/** A line as it is sent. */
export const sent = (line) => ({
  sku: line.sku,
  qty: line.qty ?? 0,
  ...(line.rejected ? { rejected_qty: line.rejected } : {}),
  ...costOf(line),
  ...(line.remark ? { note: line.remark } : {}),
});

/** The texts that are not empty. */
export const stated = (texts) => Object.fromEntries(Object.entries(texts).filter(([, text]) => text));

export const explained = () =>
  html`<p class="muted above" id="correction">
    ${t(
      "Head office could not post this delivery. The corrected one takes its place, and stock changes only by the difference",
    )}
  </p>`;

/** Inputs for what else the delivery says: only if it says it. */
export const otherTexts = (page) =>
  Object.entries({ reference: t("Reference"), note: t("Note") }).map(([name, label]) =>
    page.old?.[name]
      ? field(
          label,
          html`<input
            class="input"
            id=${`old-${name}`}
            autocomplete="off"
            .value=${page.texts[name]}
            @input=${(event) => {
              page.texts = { ...page.texts, [name]: event.target.value };
              page.keep();
            }}
          />`,
          `old-${name}`,
        )
      : nothing,
  );
