// API keys of programs: created, rotated, revoked. A secret is shown once.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { date } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { ask } from "../kit/form.js";
import { showSecret } from "./secret.js";
import "./texts.js";
import { badge, col, since, store } from "../records/cells.js";
import { pickField } from "../records/picks.js";

const ROLES = ["read_only", "ho_finance", "ho_purchasing", "admin"];
/** Hours for which the former secret works after a rotation. */
const OVERLAPS = ["0", "1", "24", "168"];

/** Returns a scope such as `finance:read` in words. */
const scopeWords = (scope) => {
  const [area, access] = scope.split(":");
  return t(`scope.${access}`, { area: t(`area.${area}`) });
};
/** The permissions of a key, for the field with several values. */
const scopes = (app) => {
  let all;
  const ready = async () => (all ??= (await app.get("/api/api-keys/scopes")).items.map(({ scope }) => scope));
  return {
    ready,
    text: scopeWords,
    find: async (asked) => {
      const typed = asked.toLowerCase();
      return (await ready())
        .map((id) => ({ id, text: scopeWords(id), note: id }))
        .filter(({ id, text }) => id.includes(typed) || text.toLowerCase().includes(typed));
    },
  };
};

const create = async (page) => {
  const made = await ask(page.app, {
    title: t("New API key"),
    yes: t("Add"),
    list: [
      { name: "name", label: t("Name"), required: true, focus: true, hint: t("The program that uses it") },
      { name: "role", label: t("Role"), kind: "choice", choices: ROLES.map((role) => [role, t(role)]) },
      {
        name: "scopes",
        label: t("Areas"),
        kind: "pick",
        several: true,
        required: true,
        source: scopes(page.app),
        hint: t("The key can do nothing else"),
      },
      pickField(page.app, "store", {
        name: "store_ids",
        label: t("Stores"),
        several: true,
        hint: t("Leave blank for all stores"),
      }),
      { name: "expires", label: t("Last day"), kind: "date", hint: t("Leave blank for a key that does not expire") },
    ],
    act: ({ expires, ...body }) =>
      page.app.change("POST", "/api/api-keys", {
        ...body,
        expires_at: expires ? new Date(`${expires}T23:59:59.999`).toISOString() : null,
      }),
  });
  if (!made) return;
  await page.load();
  await showSecret(page.app, made);
};

const rotate = async (page, { key_id, name }) => {
  const done = await ask(page.app, {
    title: t("New secret for {name}?", { name }),
    yes: t("Rotate"),
    list: [
      {
        name: "overlap_hours",
        label: t("The previous secret works for"),
        kind: "choice",
        value: "24",
        choices: OVERLAPS.map((hours) => [hours, t("{n} hours", { n: Number(hours) })]),
      },
    ],
    act: ({ overlap_hours }) =>
      page.app.change("POST", path("/api/api-keys/:key_id/rotate", { key_id }), {
        overlap_hours: Number(overlap_hours),
      }),
  });
  if (!done) return;
  await page.load();
  await showSecret(page.app, done);
};

const revoke = async (page, { key_id, name }) => {
  const done = await ask(page.app, {
    title: t("Revoke {name}?", { name }),
    yes: t("Revoke"),
    danger: true,
    text: t("Requests with this key are refused at once"),
    act: () => page.app.change("POST", path("/api/api-keys/:key_id/revoke", { key_id }), {}),
  });
  if (!done) return;
  await page.load();
  page.app.say("ok", t("Revoked"));
};

const state = ({ revoked_at, expires_at }) => {
  if (revoked_at) return badge("revoked");
  return expires_at && Date.parse(expires_at) <= Date.now() ? badge("expired") : nothing;
};
const apiKeys = {
  path: "/api/api-keys",
  list: (page) => ({
    title: t("API keys"),
    create: { label: t("New API key"), act: () => create(page) },
    actions: (one) =>
      one.revoked_at
        ? []
        : [
            { label: t("Rotate"), act: () => rotate(page, one) },
            { label: t("Revoke"), act: () => revoke(page, one) },
          ],
    columns: [
      col(t("Name"), (one) => html`<bdi>${one.name}</bdi>`),
      col(t("Secret"), (one) => `srk_\u2026${one.hint}`, "d2"),
      col(t("Role"), (one) => t(one.role)),
      col(t("Areas"), (one) => one.scopes.map(scopeWords).join(", "), "wide-cell"),
      col(t("Stores"), (one) => (one.store_ids.length ? one.store_ids.map(store) : t("All")), "d2"),
      col(t("Last used"), (one) => since(one.last_used_at)),
      col(t("Expires"), (one) => (one.expires_at ? date(one.expires_at) : nothing)),
      col(t("Status"), state),
    ],
    none: t("No API keys yet. A program that reads figures or books needs one"),
  }),
};

export const pages = { "api-keys": apiKeys };
