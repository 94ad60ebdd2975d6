// The lines of a return: pieces, reason, and condition.
import { html, nothing } from "../vendor/lit.js";
import { countInput, moneyInput } from "../kit/controls.js";
import { date, decimal, money, number, shortReceipt, symbol, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { Returning } from "./returning.js";
import "./texts.js";

const PLACES = ["restock", "damaged", "vendor", "none"];

/** Whether a part of the sale was returned before, which needs a column. */
const cameBack = ({ lines }) => lines.some(({ back }) => back > 0);

const row = (page, line) => {
  const { draft } = page;
  const id = `back-${line.no ?? line.sku}`;
  const found = draft.quote?.items.find(({ sold_line_no: no, sku }) =>
    line.no === undefined ? sku === line.sku : no === line.no,
  );
  const choice = (label, codes, chosen, set) =>
    html`<select class="input" aria-label=${label} @change=${(event) => set(event.target.value)}>
      ${codes.map((code) => html`<option value=${code} ?selected=${code === chosen}>${t(code)}</option>`)}
    </select>`;
  return html`<tr>
    <td><bdi>${line.name}</bdi></td>
    ${
      draft.sale
        ? html`<td class="num">${number(line.sold)}</td>
            ${cameBack(draft) ? html`<td class="num">${number(line.back)}</td>` : nothing}`
        : nothing
    }
    <td class="in">
      ${
        line.left > 0
          ? countInput({
              id,
              value: line.qty,
              label: t("{name}: return quantity", { name: line.name }),
              onValue: (qty) => page.set(line, { qty: qty === null ? null : Math.min(qty, line.left) }),
            })
          : t("all returned")
      }
    </td>
    ${
      draft.needsPrice
        ? html`<td class="in money">
            ${moneyInput({
              id: `worth-${line.sku}`,
              value: line.price,
              label: t("{name}: price each", { name: line.name }),
              onValue: (price) => page.set(line, { price }),
            })}
          </td>`
        : nothing
    }
    <td>
      ${
        line.qty
          ? choice(t("Reason"), page.app.reasons.returns, line.reason, (reason) =>
              page.set(line, Returning.because(line, reason)),
            )
          : nothing
      }
    </td>
    <td>
      ${
        line.qty
          ? choice(t("Condition"), PLACES, line.place, (place) => page.set(line, { place, placed: true }))
          : nothing
      }
    </td>
    <td class="num">${found ? decimal(found.refund) : nothing}</td>
  </tr>`;
};

const head = (page) => {
  const { draft } = page;
  const { sale, needsPrice } = draft;
  return html`<thead>
    <tr>
      <th>${t("Product")}</th>
      ${
        sale
          ? html`<th class="num">${t("Sold")}</th>
              ${cameBack(draft) ? html`<th class="num">${t("Returned")}</th>` : nothing}`
          : nothing
      }
      <th class="num">${t("Return now")}</th>
      ${needsPrice ? html`<th class="num">${t("Price each")}</th>` : nothing}
      <th>${t("Reason")}</th>
      <th>${t("Condition")}</th>
      <th class="num">${t("Refund")}, ${symbol()}</th>
    </tr>
  </thead>`;
};

export const goods = (page) => {
  const { draft } = page;
  const { sale } = draft;
  const about = sale
    ? ` \u00b7 ${date(sale.paid_at)} ${time(sale.paid_at)} \u00b7 ${money(sale.total)}`
    : draft.origin
      ? ` \u00b7 ${t("another store")}`
      : "";
  return html`<section class="panel scroll">
    <h2 class="pad">${sale ? shortReceipt(sale.receipt_no) : draft.title}<span class="muted">${about}</span></h2>
    ${
      draft.lines.length
        ? html`<table class="grid fold">
            ${head(page)}
            <tbody>
              ${draft.lines.map((line) => row(page, line))}
            </tbody>
          </table>`
        : html`<p class="empty">${t("Scan the returned items")}</p>`
    }
  </section>`;
};
