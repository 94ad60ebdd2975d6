// A document that is described as data: its head, its state, facts, lines, actions, and the way back.
import { html, nothing } from "../vendor/lit.js";
import { icon } from "../kit/controls.js";
import { t } from "../kit/i18n.js";
import { backTo, WALK } from "../kit/menu.js";
import { Page } from "../kit/page.js";
import { ask } from "../kit/form.js";
import { earlier } from "../kit/api.js";
import { grid } from "./cells.js";
import { need } from "./names.js";

/** Values with their names. Absent ones are left out. */
export const facts = (list) =>
  html`<dl class="facts-grid">
    ${list
      .filter((one) => one && one[1] !== null && one[1] !== undefined && one[1] !== nothing && one[1] !== "")
      .map(
        ([label, value]) =>
          html`<div>
            <dt>${label}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
  </dl>`;
const NONE = [null, undefined, nothing, ""];
export const figures = (list) =>
  html`<dl class="figures panel">
    ${list.filter(Boolean).map(
      ([label, value, note]) =>
        html`<div>
          <dt>${label}</dt>
          <dd>${NONE.includes(value) ? "\u2013" : value}</dd>
          ${note ? html`<dd class="muted">${note}</dd>` : nothing}
        </div>`,
    )}
  </dl>`;
export const section = (heading, content, ...right) =>
  html`<section class="panel part">
    <header class="part-head">
      <h2>${heading}</h2>
      <div class="rowx end">${right}</div>
    </header>
    ${content}
  </section>`;
export const table = (heading, columns, rows, none, ...right) => section(heading, grid(columns, rows, none), ...right);

/** A head with the way back to its list. */
export const head = (/** @type {string[]} */ [place, label], name, ...right) =>
  html`<header class="title">
    <h1>
      <a class="back" href=${backTo(place)}>${icon("arrow-left")}<span class="vh">${label}</span></a
      ><bdi>${name}</bdi>
    </h1>
    <div class="rowx end">${right}</div>
  </header>`;

class PageRecord extends Page {
  spec;
  data;

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  load() {
    return this.readBy(
      async () => {
        await Promise.all(
          ["stores", "people", ...(this.spec.needs ?? [])].map((kind) => need(this.app, kind).catch(() => {})),
        );
        return { data: await this.spec.load(this.app, this.app.params) };
      },
      () => this.data,
    );
  }

  keys() {
    const typing = (event) => event.target.closest?.("input, select, textarea");
    const main = this.data && this.shown?.actions?.find((one) => one?.kind === "primary");
    return {
      ...WALK,
      Escape: () => {
        location.hash = backTo(this.app.section);
      },
      "Ctrl+Enter": (event) =>
        main && !main.why && !this.busy && !event.repeat && !typing(event) ? void main.act() : false,
    };
  }

  /**
   * One step of the document. `question` has `title`, `text`, `list` of fields; without one the step is done at once.
   * `money`: it is kept over a reload until it is answered. `message` is shown afterwards, or is a function of the
   * answer that returns its text and kind: a step that left something open is not shown as a success.
   */
  step({ label, url, method = "POST", body = {}, question, money = true, amount = null, message, after }) {
    const send = async (given = {}) => {
      const asked = { ...body, ...given };
      try {
        return await (money
          ? this.app.command({ method, url, body: asked, label, amount })
          : this.app.change(method, url, asked));
      } catch (error) {
        // Another user took a step in the meantime: the new state is shown.
        if (error.code === "invalid_state") await this.load();
        throw error;
      }
    };
    const done = async (answer) => {
      await this.load();
      this.app.count();
      // The result of an earlier attempt was shown already.
      const [text, kind = "ok"] = typeof message === "function" ? message(answer) : [message];
      if (!earlier.has(answer)) this.app.say(kind, text ?? t("{what}: done", { what: label }));
      await after?.(answer);
    };
    return () =>
      question
        ? ask(this.app, {
            yes: label,
            ...question,
            act: (given) => send(question.body ? question.body(given) : given),
          }).then((answer) => answer && done(answer))
        : this.once(async () => done(await send()));
  }

  render() {
    const { data, spec } = this;
    if (!data) return html`${head(spec.back(), this.error ? spec.back()[1] : "\u2026")}${this.awaited()}`;
    this.shown = spec.view(data, this);
    const { name, badges, actions = [], parts } = this.shown;
    const last = (one) => Number(one.kind === "primary");
    const buttons = actions
      .filter(Boolean)
      .sort((a, b) => last(a) - last(b))
      .map(
        ({ label, image, kind = "", act, why }) =>
          html`<button class="btn ${kind}" ?disabled=${this.busy || Boolean(why)} title=${why ?? nothing} @click=${act}>
            ${image ? icon(image) : nothing}${label}
          </button>`,
      );
    const reasons = actions
      .filter((one) => one?.why)
      .map(({ label, why }) => html`<p class="muted because">${icon("info", "icon-s")}${label}: ${why}</p>`);
    return html`${head(spec.back(), name, badges ?? nothing, buttons)}${reasons}
      <div class="stack">${parts}</div>`;
  }
}
customElements.define("page-record", PageRecord);
