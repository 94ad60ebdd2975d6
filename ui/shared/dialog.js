// Questions over the page: one at a time, Esc is no, the focus goes back.
import { html, LitElement, nothing } from "../vendor/lit.js";
import { problem } from "./controls.js";
import { t } from "./i18n.js";

export class XDialog extends LitElement {
  static properties = { question: { state: true }, error: { state: true }, busy: { state: true } };

  createRenderRoot() {
    return this;
  }

  /**
   * Asks; `fields` is a template whose named inputs become the answer. Nobody answered: null. While the till is locked (`locks`) a
   * question waits, and is over where its person logs out.
   */
  ask(question) {
    if (this.question?.locks) return this.answered.then((answer) => (answer === null ? null : this.ask(question)));
    this.question = question;
    this.error = null;
    this.busy = false;
    this.answered = new Promise((resolve) => {
      this.settle = resolve;
      this.updateComplete.then(() => {
        const dialog = this.querySelector("dialog");
        dialog.showModal();
        (dialog.querySelector("[data-focus]") ?? dialog.querySelector("input, select, button"))?.focus();
      });
    });
    return this.answered;
  }

  get isOpen() {
    return Boolean(this.question);
  }

  close(answer) {
    if (this.busy) return;
    this.querySelector("dialog")?.close();
    // The browser gives the focus back without the caret, and what is typed next would go nowhere.
    const field = document.activeElement;
    if (field?.matches("input, textarea")) {
      field.blur();
      field.focus({ preventScroll: true });
    }
    this.question = null;
    this.settle(answer);
    this.dispatchEvent(new CustomEvent("closed", { bubbles: true }));
  }

  async submit(event) {
    event.preventDefault();
    if (this.busy) return;
    const answer = Object.fromEntries(new FormData(event.target, event.submitter));
    const { act } = this.question;
    if (!act) {
      this.close(answer);
      return;
    }
    this.busy = true;
    this.error = null;
    try {
      const done = await act(answer);
      this.busy = false;
      this.close(done ?? true);
    } catch (error) {
      this.busy = false;
      this.error = error.words ?? error.message;
    }
  }

  render() {
    const asked = this.question;
    if (!asked) return nothing;
    const body = typeof asked.body === "function" ? asked.body(() => this.requestUpdate()) : asked.body;
    return html`<dialog aria-labelledby="dialog-title" @cancel=${(event) => {
      event.preventDefault();
      this.close(null);
    }}><form novalidate @submit=${this.submit} @input=${() => { this.error = null; }} aria-busy=${this.busy}>
      <h2 id="dialog-title">${asked.title}</h2>
      ${asked.text ? html`<p class="muted">${asked.text}</p>` : nothing}${body ?? nothing}${problem(this.error)}
      <footer><button type="button" class="btn big" ?data-focus=${asked.danger} @click=${() => this.close(null)}>${asked.no ?? t("Cancel")}</button>
      ${asked.yes === null ? nothing : html`<button class="btn big ${asked.danger ? "danger" : "primary"}" ?disabled=${this.busy}>${this.busy ? t("Saving\u2026") : asked.yes}</button>`}${asked.more ?? nothing}</footer>
    </form></dialog>`;
  }
}
customElements.define("x-dialog", XDialog);
