// What every page of the till is: an element that is drawn anew whenever the app is.
import { LitElement } from "../vendor/lit.js";

export class Page extends LitElement {
  static properties = { app: { attribute: false, hasChanged: () => true }, busy: { state: true } };

  createRenderRoot() {
    return this;
  }

  /** On a phone a table folds to items: each figure then carries the head of its column. */
  updated() {
    for (const table of this.querySelectorAll("table.fold")) {
      const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent);
      for (const row of [...table.tBodies[0].rows, ...(table.tFoot?.rows ?? [])]) [...row.cells].forEach((cell, index) => { cell.dataset.label = heads[index] ?? ""; });
    }
  }

  /** One command of a page at a time; a refusal is said. */
  async once(act) {
    if (this.busy) return undefined;
    this.busy = true;
    this.app.say(null);
    try {
      return await act();
    } catch (error) {
      this.app.fail(error);
      return undefined;
    } finally {
      this.busy = false;
    }
  }
}
