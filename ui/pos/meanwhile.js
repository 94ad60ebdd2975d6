// What other tills and head office do meanwhile: events of the store, and how far it is with head office.
import { html } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { t } from "../kit/i18n.js";
import { troubleOf } from "./link.js";
import { renewQuick } from "./quick.js";

const STATUS_MS = 30_000;

export const Meanwhile = (Base) =>
  class extends Base {
    async listen() {
      const { Live } = (await this.part(() => import("../kit/live.js"))) ?? {};
      if (!Live) return;
      this.live ??= new Live((name, data) => this.told(name, data));
      this.live.start();
    }

    told(name, data) {
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
      page?.told?.(name, data);
      this.requestUpdate();
    }

    /** The shift of this till was ended or closed elsewhere, or one was opened; what this page does itself it knows. */
    async shiftMoved({ shift_id: id, state, opened_by: by }) {
      const page = this.current?.firstElementChild;
      if (page?.busy || page?.closed || this.unconfirmed) return;
      const own = this.shift?.shift_id === id;
      if (own && state !== "open" && state !== this.shift.state) {
        await this.load();
        this.say("warn", t("This shift was closed elsewhere"));
      } else if (!this.shift && by === this.user?.id && state === "open" && this.page === "open") await this.load();
    }

    /** Asked for now and then; what can't be heard now is heard later. */
    async askStatus(now = false) {
      if (!this.user || this.locked || !this.settings || (!now && Date.now() - this.statusAt < STATUS_MS)) return;
      this.statusAt = Date.now();
      try {
        this.status = await this.get("/api/pos/status");
        this.requestUpdate();
      } catch {
        // The store's box itself is away: the next command says so.
      }
    }

    /** What everybody has to know before selling on: prices of yesterday, a clock that is off. */
    renewal() {
      const trouble = this.status && this.page !== "pay" ? troubleOf(this.status) : null;
      if (!trouble || (this.newer && this.isCalm())) return super.renewal();
      return html`<div class="banner warn" id="banner" role="status">
        ${icon("triangle-alert")}<span>${trouble}</span>
      </div>`;
    }
  };
