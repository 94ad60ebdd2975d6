// The store's tills: their names, which may sell, and whose shift is open where.
import { html } from "../vendor/lit.js";
import { col, link, moment, person } from "../records/cells.js";
import { path } from "../kit/api.js";
import { ask } from "../kit/form.js";
import { t } from "../kit/i18n.js";
import "../goods/texts.js";

const NAME_MAX = 64;
let open = new Map();

/** The till's own settings contain its name too. */
const changed = async (page, answer, message) => {
  if (!answer) return;
  page.app.settings = await page.app.get("/api/pos/settings");
  await page.load();
  page.app.say("ok", message);
};
const patch = (page, one, body) => page.app.change("PATCH", path("/api/registers/:id", { id: one.register_id }), body);

const add = async (page) =>
  changed(
    page,
    await ask(page.app, {
      title: t("New till"),
      yes: t("Add"),
      list: [
        {
          name: "register_id",
          label: t("Till ID, as printed on receipts"),
          required: true,
          focus: true,
          hint: t("for example till-3. It can't be changed later"),
        },
        { name: "name", label: t("Name") },
      ],
      act: (body) => page.app.change("POST", "/api/registers", body),
    }),
    t("Added. Choose it when you open a shift"),
  );

const rename = async (page, one) =>
  changed(
    page,
    await ask(page.app, {
      title: t("Rename {name}", { name: one.name ?? one.register_id }),
      yes: t("Save"),
      list: [{ name: "name", label: t("Name"), value: one.name ?? "", required: true, focus: true }],
      act: ({ name }) => patch(page, one, { name: name.slice(0, NAME_MAX) }),
    }),
    t("Saved"),
  );

const toggle = async (page, one) => {
  const off = one.state === "active";
  await changed(
    page,
    await ask(page.app, {
      title: off
        ? t("Deactivate {name}?", { name: one.name ?? one.register_id })
        : t("Activate {name}?", { name: one.name ?? one.register_id }),
      yes: off ? t("Deactivate") : t("Activate"),
      danger: off,
      text: off
        ? open.has(one.register_id)
          ? t("An open shift can still be closed, but no new sales are possible")
          : t("No sales are possible there until it is activated again")
        : undefined,
      act: () => patch(page, one, { state: off ? "disabled" : "active" }),
    }),
    t("Saved"),
  );
};

const tills = {
  path: "/api/registers",
  needs: ["people"],
  live: ["shift", "register"],
  loaded: async (app) => {
    open = new Map(
      (await app.get("/api/shifts", {}, { state: "open", limit: 200 })).items.flatMap((one) =>
        one.register_ids.map((id) => [id, one]),
      ),
    );
  },
  list: (page) => ({
    title: t("Tills"),
    create: { label: t("New till"), act: () => add(page) },
    columns: [
      col(t("Name"), (one) => html`<bdi>${one.name ?? one.register_id}</bdi>`),
      col(t("Till ID"), (one) => html`<span class="muted">${one.register_id}</span>`),
      col(t("Status"), (one) =>
        one.state === "active"
          ? html`<span class="badge ok">${t("active")}</span>`
          : html`<span class="badge bad">${t("inactive")}</span>`,
      ),
      col(t("Shift"), (one) => {
        const shift = open.get(one.register_id);
        return shift
          ? html`${link(["shifts", shift.shift_id], t("open"))}, ${person(shift.opened_by)},
              <span class="muted">${moment(shift.opened_at)}</span>`
          : html`<span class="muted">${t("none open")}</span>`;
      }),
    ],
    actions: (one) => [
      { label: t("Quick keys"), act: () => page.app.go("tills", one.register_id, "quick-keys") },
      { label: t("Rename"), act: () => rename(page, one) },
      { label: one.state === "active" ? t("Deactivate") : t("Activate"), act: () => toggle(page, one) },
    ],
    none: t("No tills yet. A till is added when its first shift opens"),
  }),
};

export const pages = { tills };
