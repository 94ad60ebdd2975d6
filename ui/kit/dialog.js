// Questions over the page, the newest on top. Esc means no, except while an answer is checked. The focus returns
// afterwards.
import { html, keyed, LitElement, nothing } from "../vendor/lit.js";
import { problem } from "./controls.js";
import { t } from "./i18n.js";

export class XDialog extends LitElement {
  // `away`: questions are hidden, as behind a lock, and shown again afterwards. `pad`: returns buttons for figures if
  // there is no keyboard.
  static properties = {
    question: { state: true },
    error: { state: true },
    busy: { state: true },
    away: { attribute: false },
    pad: { attribute: false },
  };

  constructor() {
    super();
    this.below = [];
    document.addEventListener("keydown", (event) => this.onEscape(event));
  }

  createRenderRoot() {
    return this;
  }

  /**
   * Asks a question. The named inputs of the template `fields` become the answer; null if there is none. A question
   * that results from an open one, such as an approval, is shown above it. Others wait.
   */
  ask(question) {
    if (this.question && !this.busy) return this.answered.then(() => this.ask(question));
    if (this.question) {
      const { question: waiting, answered, settle } = this;
      this.below.push({ question: waiting, answered, settle });
    }
    this.begin({ question });
    this.answered = new Promise((resolve) => {
      this.settle = resolve;
    });
    return this.answered;
  }

  /** Draws a question without the former one's input. */
  begin(state, busy = false) {
    Object.assign(this, state, { error: null, busy });
    this.updateComplete.then(() => this.shown());
  }

  shown() {
    const dialog = this.querySelector("dialog");
    if (!dialog || this.away) return;
    if (!dialog.open) dialog.showModal();
    (dialog.querySelector("[data-focus]") ?? dialog.querySelector("input, select, button"))?.focus();
  }

  updated(changed) {
    if (changed.has("away") && this.question) this.shown();
  }

  get isOpen() {
    return Boolean(this.question);
  }

  close(answer) {
    if (this.busy) return;
    const { settle } = this;
    const under = this.below.pop();
    if (under) this.begin(under, true);
    else {
      this.querySelector("dialog")?.close();
      // The browser returns the focus without the caret, so that typed text would be lost.
      /** @type {any} */
      const field = document.activeElement;
      if (field?.matches("input, textarea")) {
        field.blur();
        field.focus({ preventScroll: true });
      }
      this.question = null;
    }
    settle(answer);
    this.dispatchEvent(new CustomEvent("closed", { bubbles: true }));
  }

  /**
   * Ends all questions without an answer, since the user is gone. Running commands are looked up when the user is back.
   */
  abandon() {
    this.below = [];
    Object.assign(this, { question: null, busy: false });
  }

  onEscape(event) {
    if (event.key !== "Escape" || event.isComposing || !this.question || this.away) return;
    event.preventDefault();
    this.close(null);
  }

  /** A browser closes a dialog at the second Esc: an open question is shown again. */
  onClose({ target }) {
    if (this.question && !this.away && target.isConnected && !target.open) this.shown();
  }

  async submit(event) {
    event.preventDefault();
    if (this.busy) return;
    const answer = Object.fromEntries(new FormData(event.target, event.submitter));
    const { question } = this;
    if (!question.act) {
      this.close(answer);
      return;
    }
    this.busy = true;
    this.error = null;
    let done;
    let refused = null;
    try {
      done = await question.act(answer);
    } catch (error) {
      refused = error;
    }
    if (this.question !== question) return;
    this.busy = false;
    if (refused) this.error = refused.words ?? refused.message;
    else this.close(done ?? true);
  }

  render() {
    const asked = this.question;
    if (!asked || this.away) return nothing;
    const body = typeof asked.body === "function" ? asked.body(() => this.requestUpdate()) : asked.body;
    // A question must not show the former one's input.
    return html`${keyed(
      asked,
      html`<dialog
        aria-labelledby="dialog-title"
        closedby="none"
        @cancel=${(event) => {
          event.preventDefault();
          this.close(null);
        }}
        @close=${(event) => this.onClose(event)}
      >
        <form
          novalidate
          @submit=${this.submit}
          @input=${() => {
            this.error = null;
          }}
          aria-busy=${this.busy}
        >
          <h2 id="dialog-title">${asked.title}</h2>
          ${asked.text ? html`<p class="muted">${asked.text}</p>` : nothing}${body ?? nothing}${problem(this.error)}
          <footer>
            ${this.pad?.("dialog") ?? nothing}<button
              type="button"
              class="btn big"
              ?data-focus=${asked.danger || asked.doubtful}
              @click=${() => this.close(null)}
            >
              ${asked.no ?? t("Cancel")}
            </button>
            ${
              asked.yes === null
                ? nothing
                : html`<button class="btn big ${asked.danger ? "danger" : "primary"}" ?disabled=${this.busy}>
                    ${this.busy ? t("Saving\u2026") : asked.yes}
                  </button>`
            }${asked.more ?? nothing}
          </footer>
        </form>
      </dialog>`,
    )}`;
  }
}
customElements.define("x-dialog", XDialog);
