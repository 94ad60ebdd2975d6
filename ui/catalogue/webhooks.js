// Webhooks: programs that receive events, their pending events, and delivered ones.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { ask } from "../kit/form.js";
import { showSecret } from "./secret.js";
import "./texts.js";
import { badge, breaking, col, figure, moment, person, since, store } from "../records/cells.js";
import { pickField } from "../records/picks.js";
import { figures, table } from "../records/record.js";

/** Deliveries that the page of a webhook shows. */
const DELIVERIES = 50;

const texts = (typed) => typed.split(/[\s,]+/).filter(Boolean);

/** Fields of a webhook; those of one that exists have its values. */
const fields = (app, one = { name: "", url: "", event_types: [], store_ids: [] }) => [
  {
    name: "name",
    label: t("Name"),
    value: one.name,
    required: true,
    focus: true,
    hint: t("The program that receives"),
  },
  { name: "url", label: t("Address"), value: one.url, required: true, hint: "https://accounting.example/hooks" },
  {
    name: "event_types",
    label: t("Types of events"),
    value: one.event_types.join(", "),
    hint: t("Leave blank for all types. finance.* stands for all types of an area"),
  },
  pickField(app, "store", {
    name: "store_ids",
    label: t("Stores"),
    several: true,
    value: one.store_ids.filter(Boolean),
    hint: t("Leave blank for all stores"),
  }),
  {
    name: "office",
    kind: "check",
    label: t("If you choose stores: also events without a store"),
    value: one.store_ids.includes(""),
  },
];
/** The request body. Without stores, the webhook gets the events of all, and those without a store. */
const body = ({ event_types, store_ids, office, ...rest }) => ({
  ...rest,
  event_types: texts(event_types ?? ""),
  store_ids: office && store_ids.length ? ["", ...store_ids] : store_ids,
});

const create = async (page) => {
  const made = await ask(page.app, {
    title: t("New webhook"),
    yes: t("Add"),
    list: fields(page.app),
    act: (given) => page.app.change("POST", "/api/webhooks", body(given)),
  });
  if (!made) return;
  await page.load();
  await showSecret(page.app, made);
};

const webhooks = {
  path: "/api/webhooks",
  list: (page) => ({
    title: t("Webhooks"),
    open: (one) => address(["webhooks", one.webhook_id]),
    create: { label: t("New webhook"), act: () => create(page) },
    columns: [
      col(t("Name"), (one) => html`<bdi>${one.name}</bdi>`),
      col(t("Address"), (one) => breaking(new URL(one.url).host), "wide-cell"),
      col(t("Waiting"), (one) => figure(one.waiting), "num"),
      col(t("Status"), (one) => badge(one.state)),
    ],
    none: t("No webhooks yet. A program that receives events needs one"),
  }),
};

/** Sends an event now and shows the result. */
const test = async (page, url) => {
  const done = await page.app.change("POST", `${url}/test`, {});
  if (done.delivered) page.app.say("ok", t("The test event was accepted"));
  else page.app.say("bad", t("The test event was not accepted: {error}", { error: done.error }));
};
const remove = async (page, url, name) => {
  const done = await ask(page.app, {
    title: t("Delete {name}?", { name }),
    text: t("Events that wait are not sent any more"),
    yes: t("Delete"),
    danger: true,
    act: () => page.app.change("DELETE", url, {}),
  });
  if (done) page.app.go("webhooks");
};

const webhook = {
  back: () => ["webhooks", t("Webhooks")],
  load: async (app, { id }) => {
    const [one, deliveries] = await Promise.all([
      app.get("/api/webhooks/:webhook_id", { webhook_id: id }),
      app.get("/api/webhooks/:webhook_id/deliveries", { webhook_id: id }, { limit: DELIVERIES }),
    ]);
    return { ...one, deliveries: deliveries.items };
  },
  view: (one, page) => {
    const { webhook_id, name } = one;
    const url = path("/api/webhooks/:webhook_id", { webhook_id });
    const step = (label, to, more) => page.step({ label, url: `${url}/${to}`, money: false, ...more });
    return {
      name,
      badges: badge(one.state),
      actions: [
        { label: t("Delete"), act: () => remove(page, url, name) },
        {
          label: t("Send again"),
          act: step(t("Send again"), "replay", {
            message: t("Events are sent again"),
            question: {
              title: t("Send events again"),
              list: [
                {
                  name: "after_no",
                  label: t("After the event number"),
                  kind: "count",
                  value: one.after_no,
                  required: true,
                  focus: true,
                },
              ],
            },
          }),
        },
        {
          label: t("New secret"),
          act: step(t("New secret"), "rotate-secret", {
            message: t("For 24 hours, messages also have the signature of the previous secret"),
            body: { overlap_hours: 24 },
            question: { title: t("New secret for {name}?", { name }) },
            after: (done) => showSecret(page.app, done),
          }),
        },
        { label: t("Test"), act: () => page.once(() => test(page, url)) },
        one.state === "active" && { label: t("Pause"), act: step(t("Pause"), "pause", { message: t("Paused") }) },
        // Both end the pause between attempts: waiting events are sent at once.
        one.state === "active"
          ? one.waiting > 0 && {
              label: t("Send now"),
              act: step(t("Send now"), "resume", { message: t("Events that wait are sent now") }),
            }
          : { label: t("Resume"), act: step(t("Resume"), "resume", { message: t("Events that wait are sent now") }) },
        {
          label: t("Edit"),
          kind: "primary",
          act: page.step({
            label: t("Save"),
            method: "PATCH",
            money: false,
            url,
            message: t("Saved"),
            question: {
              title: t("Change webhook"),
              list: fields(page.app, one),
              body: body,
            },
          }),
        },
      ],
      parts: [
        figures([
          [t("Address"), html`<bdi>${one.url}</bdi>`],
          [t("Types of events"), one.event_types.length ? one.event_types.join(", ") : t("All")],
          [t("Stores"), one.store_ids.length ? one.store_ids.map(store) : t("All")],
          [t("Waiting"), figure(one.waiting), one.oldest_waiting_at ? since(one.oldest_waiting_at) : nothing],
          one.last_error && [t("Last failure"), one.last_error],
          one.pause_reason && [t("Paused"), t(`paused.${one.pause_reason}`), moment(one.paused_at)],
          one.missed_until && [t("Events missed up to number"), figure(one.missed_until)],
          [t("Secret"), `whsec_\u2026${one.hint}`],
          [t("Created by"), person(one.created_by)],
        ]),
        table(
          t("Deliveries"),
          [
            col(t("Number"), (row) => figure(row.event_no), "num"),
            col(t("Event"), (row) => breaking(row.type)),
            col(t("Store"), (row) => store(row.store_id), "d2"),
            col(t("Attempts"), (row) => figure(row.attempts), "num"),
            col(t("Last attempt"), (row) => moment(row.last_attempt_at)),
            col(t("Last failure"), (row) => row.last_error ?? nothing, "wide-cell"),
            col(t("Status"), (row) => badge(row.state)),
          ],
          one.deliveries,
          t("No events yet"),
        ),
      ],
    };
  },
};

export const pages = { webhooks, webhook };
