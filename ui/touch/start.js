// Additions for touch at the till: a number pad for every figure, and a Back that loses nothing. Loaded after the
// log-in.
import { html } from "../vendor/lit.js";
import { staysOnBack } from "./back.js";
import "./pad.js";
import "./texts.js";

export const begin = (app) => {
  if (app.pad) return;
  /** The pad of a page or a dialog: it is shown while a figure in its `scope` has the focus. */
  app.pad = (scope) => html`<num-pad scope=${scope}></num-pad>`;
  staysOnBack(app);
  app.requestUpdate();
};
