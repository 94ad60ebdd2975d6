// People who log in: found, changed, disabled.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { date } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { address } from "../kit/menu.js";
import { ask } from "../kit/form.js";
import "./texts.js";
import { badge, col, link, since, store } from "../records/cells.js";
import { need } from "../records/names.js";
import { pickField } from "../records/picks.js";
import { figures, section, table } from "../records/record.js";
import { ofStore, ofText } from "../records/records.js";

const ROLES = ["admin", "ho_finance", "ho_purchasing", "store_manager", "cashier", "warehouse_staff"];

const people = {
  path: "/api/users",
  list: (page) => ({
    title: t("People"),
    filters: [
      ofText(t("Name or login name")),
      { name: "role", label: t("Role"), kind: "choice", choices: ROLES.map((role) => [role, t(role)]) },
      ofStore(),
      {
        name: "disabled",
        label: t("Status"),
        kind: "choice",
        choices: [
          ["false", t("active")],
          ["true", t("disabled")],
        ],
      },
    ],
    open: (one) => address(["people", one.id]),
    create: {
      label: t("New user"),
      act: async () => {
        const made = await ask(page.app, {
          title: t("New user"),
          yes: t("Add"),
          list: [
            { name: "name", label: t("Name"), required: true, focus: true },
            { name: "username", label: t("Login name"), required: true },
            { name: "role", label: t("Role"), kind: "choice", choices: ROLES.map((role) => [role, t(role)]) },
            pickField(page.app, "store", {
              name: "store_id",
              label: t("Store"),
              hint: t("Leave blank for head office"),
            }),
            { name: "password", label: t("First password"), kind: "password" },
          ],
          act: (body) => page.app.change("POST", "/api/users", body),
        });
        if (!made) return;
        await need(page.app, "people", true);
        page.app.go("people", made.id);
      },
    },
    columns: [
      col(t("Name"), (one) => html`<bdi>${one.name}</bdi>`),
      col(t("Login name"), (one) => one.username, "wide-cell"),
      col(t("Role"), (one) => t(one.role)),
      col(t("Store"), (one) => store(one.store_id)),
      col(t("Since"), (one) => date(one.created_at), "d2"),
      col(t("Status"), (one) => (one.disabled ? badge("disabled") : nothing)),
    ],
    none: t("No people yet"),
  }),
};
const person = {
  back: () => ["people", t("People")],
  load: async (app, { id }) => {
    // Devices of a store's own users are known only at the store.
    const ofHere = (error) => (error.status === 404 ? { items: null } : Promise.reject(error));
    const [devices] = await Promise.all([
      app.get("/api/users/:id/devices", { id }, { limit: 100 }).catch(ofHere),
      need(app, "users", true),
    ]);
    const one = (await need(app, "users")).get(id);
    if (!one) throw Object.assign(new Error("unknown"), { status: 404, code: "not_found", details: {} });
    return { ...one, devices: devices.items };
  },
  view: (one, page) => {
    const { id, name } = one;
    const change = { method: "PATCH", money: false, url: path("/api/users/:id", { id }), message: t("Saved") };
    return {
      name,
      badges: one.disabled ? badge("disabled") : nothing,
      actions: [
        {
          label: t("Log out everywhere"),
          image: "log-out",
          act: page.step({
            label: t("Log out everywhere"),
            money: false,
            url: path("/api/users/:id/revoke-tokens", { id }),
            message: t("All sessions ended"),
            question: { title: t("End all sessions of {name}? All passkeys are removed", { name }), danger: true },
          }),
        },
        {
          label: one.disabled ? t("Enable") : t("Disable"),
          image: "lock",
          act: page.step({
            ...change,
            label: one.disabled ? t("Enable") : t("Disable"),
            body: { disabled: !one.disabled },
            question: {
              title: one.disabled
                ? t("Let {name} log in again?", { name })
                : t("Disable {name}? All sessions end and all passkeys are removed", { name }),
              danger: !one.disabled,
            },
          }),
        },
        {
          label: t("Edit"),
          kind: "primary",
          act: page.step({
            ...change,
            label: t("Save"),
            question: {
              title: t("Change person"),
              list: [
                { name: "name", label: t("Name"), value: name, required: true, focus: true },
                { name: "username", label: t("Login name"), value: one.username, required: true },
                {
                  name: "role",
                  label: t("Role"),
                  kind: "choice",
                  value: one.role,
                  choices: ROLES.map((role) => [role, t(role)]),
                },
                { name: "password", label: t("New password"), kind: "password" },
              ],
            },
          }),
        },
      ],
      parts: [
        figures([
          [t("Login name"), html`<bdi>${one.username}</bdi>`],
          [t("Role"), t(one.role)],
          [t("Store"), store(one.store_id)],
          [t("Since"), date(one.created_at)],
        ]),
        !one.devices
          ? section(t("Devices"), html`<p class="pad">${t("Passkeys of store users are managed at their store")}</p>`)
          : table(
              t("Devices"),
              [
                col(t("Name"), (row) => html`<bdi>${row.name}</bdi>`),
                col(t("Since"), (row) => date(row.created_at)),
                col(t("Last used"), (row) => since(row.last_used_at)),
                col(
                  "",
                  (row) =>
                    html`<button
                      class="btn small"
                      @click=${page.step({
                        label: t("Remove"),
                        method: "DELETE",
                        money: false,
                        message: t("Removed"),
                        url: path("/api/users/:id/devices/:credential_id", { id, credential_id: row.credential_id }),
                        question: { title: t("Remove {name}?", { name: row.name }), danger: true },
                      })}
                    >
                      ${t("Remove")}
                    </button>`,
                  "acts",
                ),
              ],
              one.devices,
              t("No passkeys registered. Log in with your password"),
            ),
        section(t("Actions"), html`<p class="pad">${link(["audit"], t("Audit log"), { user_id: id })}</p>`),
      ],
    };
  },
};

export const pages = { people, person };
