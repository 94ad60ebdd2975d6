// The state of a store, by the worst of its problems.
import { html, nothing, svg } from "../vendor/lit.js";
import { t } from "../kit/i18n.js";

/** States from best to worst. Shape and word of a tile show the state; its colour only repeats it. */
export const STATES = ["ok", "off", "late", "silent", "bad"];
const BAD = [
  "history_diverged",
  "fenced",
  "hole",
  "event_id_reused",
  "epoch_ahead",
  "lineage_too_long",
  "too_many_take_overs",
  "record_out_of_bounds",
  "timezone_changed",
  "currency_differs",
  "too_many_lookups",
  "too_many_reservations",
  "digest_difference",
  "backup_failed",
  "journal_damaged",
  "parked",
  "exceptions",
];
const OFF = ["disabled", "not_enrolled"];

const stateOf = ({ code }) => {
  if (BAD.includes(code)) return "bad";
  if (OFF.includes(code)) return "off";
  return code === "silent" ? "silent" : "late";
};

/** Returns the `state`, and the `problem` that causes it. */
export const judged = (one) => {
  let worst = { state: one.state === "active" ? "ok" : "off", problem: null };
  for (const problem of one.problems) {
    const state = stateOf(problem);
    if (STATES.indexOf(state) > STATES.indexOf(worst.state) || (!worst.problem && state === worst.state))
      worst = { state, problem };
  }
  return { ...one, worst: worst.state, problem: worst.problem };
};

export const stateWord = (state) =>
  ({ ok: t("Online"), late: t("Late"), silent: t("No contact"), bad: t("Action needed"), off: t("Disabled") })[state];
export const stateNote = (state) =>
  ({
    ok: t("online, all data received"),
    late: t("records delayed or clock wrong"),
    silent: t("no contact for 5 minutes"),
    bad: t("decision needed"),
  })[state];

const SHAPES = { late: "M0 14 14 0V14Z", silent: "M4 4l6 6M10 4l-6 6", bad: "M7 3v5M7 10.5v.5" };
export const shape = (state) =>
  html`<svg viewBox="0 0 14 14" aria-hidden="true">
    ${SHAPES[state] ? svg`<path d=${SHAPES[state]}></path>` : nothing}
  </svg>`;
export const mark = (state, text = stateWord(state)) => html`<span class="st ${state}">${shape(state)}${text}</span>`;

/** Shows a token once. */
export const showToken = (app, title, token) =>
  app.dialog.ask({
    title,
    text: t("Enrol the store server with this token. It is shown only once"),
    yes: null,
    no: t("Done"),
    body: html`<p class="token" tabindex="0" data-focus>${token}</p>`,
  });

/** Returns a problem in the page's language; an unknown code is shown with the words of the answer. */
export const problemWords = ({ code, message }) => {
  const word = t(`problem.${code}`);
  return word === `problem.${code}` ? message : word;
};
