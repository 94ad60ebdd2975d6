// The strip above the page with the state of head office, its banners, and the store's events that change an open page.
import { html, nothing } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { number, span, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { renewQuick } from "./side.js";

const MINUTE_MS = 60_000;
/** Time without head office after which a banner is shown. */
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

/** Text of the banner, for the worst problem; null if there is none. */
const troubleOf = ({ as_of: asOf, clock_skew_ms: skew, hub_state: state }) => {
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

const STATUS_MS = 30_000;

export const Meanwhile = (Base) =>
  class extends Base {
    strip() {
      const { settings, shift, unconfirmed } = this;
      const state = unconfirmed
        ? html`<li class="doubt">${icon("wifi-off", "icon-s")}${t("Store server offline")}</li>`
        : linkOf(this.status);
      return html`<header class="strip">
        <button class="ib" aria-label=${t("Menu")} @click=${() => this.menu()}>${icon("menu")}</button>
        <div class="who">
          ${shift ? html`<b>${this.registerName}</b><span class="sep"></span>` : nothing}<span class="wide"
            >${settings?.name}</span
          >
          ${
            this.user
              ? html`<span class="sep wide"></span><span class="person"><bdi>${this.user.name}</bdi></span>`
              : nothing
          }
          ${
            shift?.state === "open"
              ? html`<span class="wide muted">${t("shift open since {time}", { time: time(shift.opened_at) })}</span>`
              : nothing
          }
        </div>
        <ul class="state" aria-label=${t("Store status")}>
          ${state}
          <li class="time">${settings ? time(Date.now()) : nothing}</li>
        </ul>
      </header>`;
    }

    async listen() {
      const { Live } = (await this.part(() => import("../kit/live.js"))) ?? {};
      if (!Live) return;
      this.live ??= new Live((name, data) => this.onEvent(name, data));
      this.live.start();
    }

    onEvent(name, data) {
      if (!this.shift && name !== "shift") return;
      const page = this.current?.firstElementChild;
      if (name === "ready" && data.resumed) return;
      if (["ready", "reload", "hold"].includes(name)) this.countHolds().catch(() => {});
      if (["ready", "reload", "catalogue"].includes(name)) this.basket.priced(data.sku ?? null);
      if (
        ["ready", "reload", "catalogue"].includes(name) ||
        (name === "register" && data.register_id === this.register)
      )
        renewQuick(this, data.sku ?? null);
      if (name === "stock") this.basket.stocked(data.sku, data.on_hand);
      if (name === "shift") this.shiftMoved(data);
      if (["ready", "reload", "sync"].includes(name)) this.askStatus(true);
      page?.onEvent?.(name, data);
      this.requestUpdate();
    }

    /** The shift of this till was moved, ended, closed or opened elsewhere. The page ignores its own changes. */
    async shiftMoved({ shift_id: id, state, opened_by: by, register_ids: tills }) {
      const page = this.current?.firstElementChild;
      if (page?.busy || page?.closed || this.unconfirmed) return;
      const own = this.shift?.shift_id === id;
      const isHere = tills.includes(this.register);
      if (own && state === this.shift.state) {
        const left = !isHere && this.shift.register_ids.includes(this.register);
        this.shift = { ...this.shift, register_ids: tills };
        page?.requestUpdate();
        if (left) await this.load();
      } else if (own && state !== "open") {
        await this.load();
        this.say("warn", t("This shift was closed elsewhere"));
      } else if (
        !this.shift &&
        (by === this.user?.id || (isHere && tills.length > 1)) &&
        state === "open" &&
        this.page === "open"
      )
        await this.load();
    }

    /** Reads the state from time to time. A failed read is repeated later. */
    async askStatus(now = false) {
      if (!this.user || this.locked || !this.settings || (!now && Date.now() - this.statusAt < STATUS_MS)) return;
      this.statusAt = Date.now();
      try {
        this.status = await this.get("/api/pos/status");
        this.requestUpdate();
      } catch {
        // If the store does not answer, the next command shows it.
      }
    }

    /** The banner of problems that concern every sale, such as old prices or a wrong clock. */
    renewal() {
      const trouble = this.status && this.page !== "pay" ? troubleOf(this.status) : null;
      if (!trouble || (this.newer && this.isCalm())) return super.renewal();
      return html`<div class="banner warn" id="banner" role="status">
        ${icon("triangle-alert")}<span>${trouble}</span>
      </div>`;
    }
  };
