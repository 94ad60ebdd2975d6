// How far head office is, in the strip: selling goes on without it, and what is not as it should be is said.
import { html, nothing } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { number, span, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";

const MINUTE_MS = 60_000;
/** From when on somebody should look at it. */
const AWAY_MS = 15 * MINUTE_MS;
const OLD_MS = 60 * MINUTE_MS;
const TOO_OLD_MS = 24 * OLD_MS;
const SKEW_MS = 2 * MINUTE_MS;

const since = (moment) => Math.max(MINUTE_MS, Date.now() - new Date(moment).getTime());

export const linkOf = (status) => {
  if (!status || status.hub_state === "not_configured")
    return html`<li class="muted" id="office">
      ${icon("cloud", "icon-s")}<span class="wide">${t("Store online")}</span
      ><span class="vh">${t("Store online")}</span>
    </li>`;
  const { pending, as_of: asOf, hub_seen_at: seen } = status;
  const away = status.hub_state !== "online";
  const gone = seen ?? status.oldest_pending_at;
  const text = !away
    ? t("Store online")
    : gone
      ? t("Head office offline {span}, {n} to send", { span: span(since(gone)), n: number(pending) })
      : t("Head office offline, {n} to send", { n: number(pending) });
  const late = away && gone && since(gone) > AWAY_MS;
  const old = asOf && since(asOf) > OLD_MS;
  return html`<li class=${late ? "late" : "muted"} id="office">
      ${icon(late ? "triangle-alert" : away ? "cloud-off" : "cloud", "icon-s")}<span class="wide">${text}</span
      ><span class="vh">${text}</span>
    </li>
    ${away ? nothing : html`<li class="muted wide" id="waiting">${t("{n} to send", { n: number(pending) })}</li>`}
    ${
      asOf
        ? html`<li class="wide ${old ? "late" : "muted"}" id="prices">
            ${old ? icon("triangle-alert", "icon-s") : nothing}${t("Prices updated {span} ago", {
              span: span(since(asOf)),
            })}
          </li>`
        : nothing
    }`;
};

/** What a banner says: worst first; none: null. */
export const troubleOf = ({ as_of: asOf, clock_skew_ms: skew, hub_state: state }) => {
  if (state === "not_configured") return null;
  if (Math.abs(skew ?? 0) > SKEW_MS)
    return t("Clock difference: store {own}, head office {other}. Set the clock of the store server", {
      own: time(Date.now()),
      other: time(Date.now() - skew),
    });
  if (asOf && since(asOf) > TOO_OLD_MS)
    return t("Prices were last updated {span} ago. Ask head office what changed", { span: span(since(asOf)) });
  return null;
};
