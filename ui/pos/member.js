// The member of a basket: found by phone, name or code, or registered in three fields.
import { html, nothing } from "../vendor/lit.js";
import { words } from "../kit/codes.js";
import { field, icon } from "../kit/controls.js";
import { brief, number, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";

const worded = async (act) => {
  try {
    return await act();
  } catch (error) {
    // An error without a text only redraws the results.
    if (error.words === undefined) error.words = words(error);
    throw error;
  }
};

const register = async (app) => {
  const given = await app.dialog.ask({
    title: t("Register a member"),
    yes: t("Register"),
    body: html`${field(
      t("Name"),
      html`<input class="input" id="member-name" name="name" autocomplete="off" data-focus />`,
      "member-name",
    )}
    ${field(
      t("Phone"),
      html`<input class="input" id="member-phone" name="phone" inputmode="tel" autocomplete="off" />`,
      "member-phone",
    )}
    ${field(t("Card"), html`<input class="input" id="member-code" name="code" autocomplete="off" />`, "member-code")}`,
    act: ({ name, phone, code }) =>
      worded(() =>
        app.command({
          url: "/api/members",
          label: "Register a member",
          body: { name, ...(phone ? { phone } : {}), ...(code ? { code } : {}) },
        }),
      ),
  });
  if (given) take(app, given);
};

const take = (app, member) => {
  app.basket.member = member;
  app.basket.changed({ member_id: member.member_id });
};

/** Searches for the typed text: digits are a phone number, a card or a part of them; letters are a name. */
const search = async (app, text) => {
  const by = async (query) => (await app.get("/api/members/search", {}, query)).items;
  if (!/^[+\d][\d\s-]{4,}$/.test(text)) return by({ q: text });
  // Digits that are too few or too many for a phone number may be a card.
  const called = await by({ phone: text }).catch((error) => {
    if (error.code !== "invalid_query") throw error;
    return [];
  });
  const known = called.length ? called : await by({ code: text });
  return known.length ? known : by({ q: text });
};

const points = (n) => t("{n} points", { n: number(n) });
/** Movements of points that are shown at the till. */
const ENTRIES = 5;

/**
 * Loads the latest points movements of the basket's member when they are first drawn. The till also sells without them.
 */
const entriesOf = (app) => {
  const { member } = app.basket;
  let [asked, found] = [false, null];
  return (again) => {
    if (!member) return nothing;
    if (!asked) {
      asked = true;
      app.get("/api/members/:id/points", { id: member.member_id }, { limit: ENTRIES }).then(
        (points) => {
          found = points;
          again();
        },
        () => {},
      );
    }
    const rows = found?.entries.map(
      (one) =>
        html`<tr>
          <td>${brief(one.at)}, ${time(one.at)}</td>
          <td>${t(one.reason)}</td>
          <td class="num">${one.points > 0 ? "+" : ""}${number(one.points)}</td>
        </tr>`,
    );
    const table = rows?.length
      ? html`<table class="grid">
          <caption class="vh">
            ${t("Points")}
          </caption>
          <tbody>
            ${rows}
          </tbody>
        </table>`
      : html`<p class="muted">${t("No points yet")}</p>`;
    return html`<section id="member-points">
      <p class="rowx">
        <b class="grow"><bdi>${member.name}</bdi></b
        ><span>${points(found?.balance ?? member.points_balance)}</span>
      </p>
      ${found ? table : nothing}
    </section>`;
  };
};

export const chooseMember = async (app) => {
  const entries = entriesOf(app);
  let found = null;
  let picked = 0;
  // This is outside of the form, since Enter in its field presses the form's first button.
  const leave = (what) => () => app.dialog.close({ do: what });
  const row = (member, index) =>
    html`<button class="btn big" name="member" value=${index} aria-pressed=${index === picked}>
      ${icon("user-round")}<span><bdi>${member.name}</bdi></span>
      <span class="muted">${member.phone ?? member.code ?? ""}</span><b class="end">${points(member.points_balance)}</b>
    </button>`;
  const chosen = await app.dialog.ask({
    title: t("Member"),
    yes: t("Search"),
    body: (again) =>
      html`${entries(again)}${field(
          t("Phone, name or card"),
          html`<input
            class="input"
            id="member-search"
            name="q"
            autocomplete="off"
            data-focus
            @input=${() => {
              found = null;
              again();
            }}
          />`,
          "member-search",
        )}
        ${
          found === null
            ? nothing
            : html`<div class="stack s menu">
                ${found.length ? found.slice(0, 6).map(row) : html`<p class="muted">${t("No member found")}</p>`}
              </div>`
        }
        <div class="rowx">
          <button type="button" class="btn" @click=${leave("new")}>${icon("plus")}${t("Register a member")}</button>
          ${
            app.basket.member
              ? html`<button type="button" class="btn" @click=${leave("none")}>${icon("x")}${t("No member")}</button>`
              : nothing
          }
        </div>`,
    act: (answer) =>
      worded(async () => {
        if (answer.member) return found[Number(answer.member)];
        if (found?.length) return found[picked];
        found = await search(app, answer.q.trim());
        picked = 0;
        throw Object.assign(new Error(), { words: null });
      }),
  });
  if (!chosen) return;
  if (chosen.do === "new") register(app);
  else if (chosen.do === "none") {
    app.basket.member = null;
    app.basket.changed({ member_id: "" });
  } else take(app, chosen);
};
