// Counts that the store has not received yet, and those that it refused.
import { html, nothing } from "../vendor/lit.js";
import { words } from "../kit/codes.js";
import { notice } from "../kit/controls.js";
import { number } from "../kit/format.js";
import { t } from "../kit/i18n.js";

/** A quantity that is being sent, or a withdrawn count. */
const figure = (qty) => (qty === null ? t("undone") : number(qty));

/** The counts that the store does not have yet, and the refused ones. */
export const waits = (page) => {
  const { queue, id } = page;
  const [waits, refused] = [queue.of(id), queue.of(id, queue.refused)];
  const again = (one) => {
    queue.forget(one);
    page.choose({ sku: one.sku, code: one.code, name: one.name });
  };
  const others = ({ error }) =>
    (error.details?.counts ?? [])
      .flatMap(({ counted_by: by }) => by.map(({ name, user_id: who }) => name ?? who))
      .join(", ");
  const there = ({ error }) => (error.details?.counts ?? []).reduce((all, { qty }) => all + qty, 0);
  const asked = (one) =>
    notice(
      "warn",
      "triangle-alert",
      html`<b>${t("{who} counted {n} here: add or replace?", { who: others(one), n: number(there(one)) })}</b>
        ${t("{name}, {zone}: you counted {n}", { name: one.name, zone: t(one.zone), n: number(one.qty) })}
        <button class="btn small" data-mode="add" @click=${() => queue.decide(one, "add")}>
          ${t("Add: total {n}", { n: number(there(one) + one.qty) })}
        </button>
        <button class="btn small" data-mode="replace" @click=${() => queue.decide(one, "replace")}>
          ${t("Replace: {n}", { n: number(one.qty) })}
        </button>
        <button class="btn small" @click=${() => queue.forget(one)}>${t("Keep their count")}</button>`,
    );
  return html`<div role="status">
    ${
      queue.away && waits.length
        ? html`<section class="panel" id="waits">
            <h2 class="pad">${t("Waiting to be sent: {n}", { n: number(waits.length) })}</h2>
            <p class="pad muted">
              ${t("Store server offline. Counts stay on this device and are sent automatically. Keep counting")}
            </p>
            <dl class="facts pad">
              ${waits.map(
                (one) =>
                  html`<div>
                    <dt><bdi>${one.name}</bdi>, ${t(one.zone)}</dt>
                    <dd>${figure(one.qty)}</dd>
                  </div>`,
              )}
            </dl>
          </section>`
        : nothing
    }
    ${refused.map((one) =>
      one.error.code === "already_counted" && one.qty !== null
        ? asked(one)
        : notice(
            "bad",
            "triangle-alert",
            html`<b>${t("{name}, {n}: not saved", { name: one.name, n: figure(one.qty) })}</b> ${words(one.error)}
              <button class="btn small" @click=${() => again(one)}>${t("Recount")}</button>
              <button class="btn small" @click=${() => queue.forget(one)}>${t("Close")}</button>`,
          ),
    )}
  </div>`;
};
