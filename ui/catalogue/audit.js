// Actions at head office, in words: the code of an action consists of its object and its verb.
import { html, nothing } from "../vendor/lit.js";
import { single } from "../kit/controls.js";
import { decimal, number } from "../kit/format.js";
import { known, t } from "../kit/i18n.js";
import { col, isMoney, moment, person, store } from "../records/cells.js";
import { nameOf, needProducts, productName } from "../records/names.js";
import { ofDays, ofStore } from "../records/records.js";
import "./texts.js";

/** `finance.invoice_approved` is "Supplier invoice: approved"; an action without a text is shown as its code. */
export const actionWords = (action) => {
  if (known(`audit.${action}`)) return t(`audit.${action}`);
  const [family, rest] = action.split(/\.(.*)/s);
  const words = (of, did) =>
    known(`audit.of.${of}`) && known(`audit.did.${did}`) ? `${t(`audit.of.${of}`)}: ${t(`audit.did.${did}`)}` : null;
  const parts = rest.split("_");
  for (let at = parts.length - 1; at > 0; at -= 1) {
    const found = words(parts.slice(0, at).join("_"), parts.slice(at).join("_"));
    if (found) return found;
  }
  return words(family, rest) ?? action;
};

/** IDs of objects that only programs use. */
const INTERNAL = /^(session_id|family_id|token_id|request_id)$/;
const value = (name, one) => {
  if (one === null || one === undefined || one === "") return html`<span class="muted">${t("(none)")}</span>`;
  if (typeof one === "boolean") return one ? t("yes") : t("no");
  if (typeof one === "number") return isMoney(name) ? decimal(one) : number(one);
  if (Array.isArray(one)) return one.every((part) => typeof part !== "object") ? one.join(", ") : number(one.length);
  if (typeof one === "object") return pairs(one);
  if (/(user_id|_by)$/.test(name)) return person(one);
  if (name === "store_id") return store(one);
  if (name === "supplier_id") return nameOf("suppliers", one);
  if (name === "account") return `${one} ${nameOf("accounts", one)}`;
  return name === "sku" ? `${one} ${productName(one) === one ? "" : productName(one)}` : one;
};
const pairs = (values) =>
  single(
    html`<dl class="pairs">
      ${Object.entries(values)
        .filter(([name]) => !INTERNAL.test(name))
        .map(
          ([name, one]) =>
            html`<div>
              <dt>${t(name)}</dt>
              <dd>${value(name, one)}</dd>
            </div>`,
        )}
    </dl>`,
  );

const audit = {
  path: "/api/audit",
  needs: ["people", "suppliers", "accounts"],
  loaded: (app, items) =>
    needProducts(
      app,
      items.map(({ details }) => details?.sku),
    ),
  list: (page) => ({
    title: t("Audit log"),
    filters: [
      {
        name: "action",
        label: t("Action"),
        kind: "choice",
        choices: [...new Set([...(page.items ?? []).map(({ action }) => action), page.filters.action])]
          .filter(Boolean)
          .map((action) => [action, actionWords(action)])
          .sort((a, b) => a[1].localeCompare(b[1])),
      },
      { name: "user_id", label: t("Person"), kind: "pick", of: "person" },
      ofStore(),
      ...ofDays(),
    ],
    columns: [
      col(t("When"), (one) => moment(one.at)),
      col(t("Action"), (one) => single(html`<span title=${one.action}>${actionWords(one.action)}</span>`), "wide-cell"),
      col(t("Person"), (one) =>
        one.approved_by
          ? html`${person(one.user_id)}, ${t("approved by")} ${person(one.approved_by)}`
          : person(one.user_id),
      ),
      col(t("Store"), (one) => store(one.store_id)),
      col(t("Details"), (one) =>
        Object.keys(one.details ?? {}).some((name) => !INTERNAL.test(name))
          ? single(
              html`<details class="raw">
                <summary>${t("Show")}</summary>
                ${pairs(one.details)}
              </details>`,
            )
          : nothing,
      ),
    ],
    none: t("No actions yet"),
  }),
};

export const pages = { audit };
