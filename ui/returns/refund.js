// The refund of a return: computed before, and handed out after it.
import { html, nothing } from "../vendor/lit.js";
import { field, fits, icon, key, notice } from "../kit/controls.js";
import { decimal, money, number, shortReceipt, symbol } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { EXCHANGE, Returning } from "./returning.js";
import "./texts.js";

/** Returns how money is refunded, in words: a card refund is made at its terminal. */
const byWay = (method) => (method === "card" ? t("On the card terminal") : t(method));

/** Returns a row for each method; cash rounding has its own row. */
const refundRows = (refunds, way) => {
  const rounding = refunds.reduce((all, one) => all + (one.rounding ?? 0), 0);
  const row = (label, value) =>
    html`<div>
      <dt>${label}</dt>
      <dd>${decimal(value)}</dd>
    </div>`;
  return html`${refunds.map(({ method, amount }) => row(way(method), amount))}${
    rounding ? row(t("Cash rounding"), rounding) : nothing
  }`;
};

export const total = (page) => {
  const { draft, app } = page;
  const { quote, basket } = draft;
  const refund = decimal(quote ? Returning.given(quote.refunds) : 0);
  const by = refundRows(quote?.refunds ?? [], (method) =>
    method === EXCHANGE ? t("Credit for this sale") : t("by {methods}", { methods: t(method) }),
  );
  return html`<div class="panel pad stack giving">
    <div class="display">
      <dl>
        ${by}${
          quote?.points_back
            ? html`<div>
                <dt>${t("Points reversed")}</dt>
                <dd>${number(quote.points_back)}</dd>
              </div>`
            : nothing
        }
      </dl>
      <p class="total" aria-live="polite">
        <span class="cur">${symbol()}</span><span id="refund" class="figure" ${fits(refund)}>${refund}</span>
      </p>
    </div>
    <label class="rowx swap"
      ><input type="checkbox" id="swap" .checked=${draft.exchange} @change=${() => void page.exchange()} /><span
        >${
          app.basket.isEmpty
            ? t("Exchange: scan the new goods")
            : t("Exchange: credit for this sale of {amount}", { amount: money(app.basket.sale?.amount_due ?? 0) })
        }</span
      >${key("F7")}</label
    >
    ${
      quote && Returning.given(quote.refunds)
        ? field(
            t("Refund by"),
            html`<select
              class="input"
              id="by"
              @change=${(event) => {
                draft.by = event.target.value || null;
                page.changed();
              }}
            >
              ${
                draft.sale
                  ? html`<option value="" ?selected=${!draft.by}>${t("Original payment method")}</option>`
                  : nothing
              }${app.settings.payments.methods
                .filter((one) => one !== "points")
                .map(
                  (one) =>
                    html`<option value=${one} ?selected=${one === (draft.by ?? (draft.sale ? "" : "cash"))}>
                      ${t(one)}
                    </option>`,
                )}
            </select>`,
            "by",
          )
        : nothing
    }
    ${
      quote?.verification === "pending"
        ? notice("warn", "cloud-off", t("Head office is offline. It will check this receipt later"))
        : nothing
    }
    ${quote?.approval_required ? notice("warn", "shield-check", t("Manager approval required")) : nothing}
    ${draft.problem ? notice("bad", "triangle-alert", draft.problem) : nothing}
    <button class="pay" ?disabled=${!quote || page.busy} @click=${() => page.refund()}>
      ${icon(basket ? "refresh-cw" : "undo-2")}<span>${basket ? t("Exchange") : t("Refund")}</span>${key("F9")}
    </button>
  </div>`;
};

export const finished = (page) => {
  const { done, sold } = page;
  const print = (no) => page.app.paper(no);
  const given = Returning.given(done.refunds);
  // Whether the rest is paid or nothing is left is known in a moment: until then no figure suggests that it is over.
  if (page.settling && !given)
    return html`<div class="paid">
      <section class="done">
        <h1 class="okmark">${icon("refresh-cw")}${t("Exchange")}</h1>
        <p class="label" role="status">${t("One moment\u2026")}</p>
      </section>
    </div>`;
  return html`<div class="paid">
    <section class="done">
      <h1 class="okmark">${icon("circle-check")}${sold ? t("Exchanged") : t("Return complete")}</h1>
      <p class="label">${t("Refund")}</p>
      <p class="change" id="given">
        <span class="cur">${symbol()}</span><span class="figure" ${fits(decimal(given))}>${decimal(given)}</span>
      </p>
      <dl class="facts">
        <div>
          <dt>${t("Receipt")}</dt>
          <dd>${shortReceipt(done.receipt_no)}</dd>
        </div>
        ${refundRows(done.refunds, byWay)}
        ${
          sold
            ? html`<div>
                <dt>${t("New receipt")}</dt>
                <dd id="sold-no">${shortReceipt(sold.receipt_no)}</dd>
              </div>`
            : nothing
        }
      </dl>
      <div class="rowx">
        <button class="btn big grow" @click=${() => print(done.receipt_no)}>
          ${icon("printer")}${t("Print receipt")}
        </button>
        ${
          sold
            ? html`<button class="btn big grow" @click=${() => print(sold.receipt_no)}>
                ${icon("printer")}${t("Print the new receipt")}
              </button>`
            : nothing
        }
        <button class="btn primary big grow" data-focus ?disabled=${page.busy} @click=${() => page.app.leavePage()}>
          ${t("Sell")}${key("Enter")}
        </button>
      </div>
    </section>
  </div>`;
};
