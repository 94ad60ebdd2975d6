// One member: identity, points and their movements; block, correct by hand.
import { html, nothing } from "../vendor/lit.js";
import { path } from "../kit/api.js";
import { field, icon } from "../kit/controls.js";
import { date, day, number, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";
import { ask } from "../kit/form.js";
import { address, WALK } from "../kit/menu.js";
import { Page } from "../kit/page.js";
import { title } from "../kit/list.js";
/** @import { Field } from "../kit/form.js" */

class PageMember extends Page {
  member;
  points;

  connectedCallback() {
    super.connectedCallback();
    Promise.resolve().then(() => this.load());
  }

  load() {
    const { id } = this.app.params;
    return this.readBy(
      async () => {
        const [member, points] = await Promise.all([
          this.app.get("/api/members/:id", { id }),
          this.app.get("/api/members/:id/points", { id }, { limit: 100 }),
        ]);
        return { member, points };
      },
      () => this.member,
    );
  }

  keys() {
    return {
      ...WALK,
      Escape: () => this.app.go("members"),
      E: () => void (["active", "blocked"].includes(this.member?.state) && this.change()),
    };
  }

  /** Fields asked for when a member joins, and those that can be set later. */
  get fields() {
    const { member } = this;
    const one = (name, label, /** @type {Partial<Field>} */ more = {}) => ({
      name,
      label,
      value: member[name] ?? "",
      ...more,
    });
    return [
      one("name", t("Name"), { required: true, focus: true }),
      one("phone", t("Phone")),
      one("email", t("E-mail")),
      one("code", t("Card")),
      one("birth_date", t("Date of birth"), { kind: "date", clears: true }),
      one("tier", t("Tier")),
    ];
  }

  /** Sends only changed fields, because head office keeps the later change of each field. */
  async change() {
    const { member, app, fields } = this;
    const changed = (given) =>
      Object.fromEntries(
        fields
          .map(({ name, kind }) => [name, given[name] === undefined && !kind ? "" : given[name]])
          .filter(([name, value]) => value !== undefined && (value ?? "") !== (member[name] ?? "")),
      );
    const done = await ask(app, {
      title: t("Change {name}", { name: member.name }),
      text: t("Applies in all stores"),
      yes: t("Save"),
      list: fields,
      act: async (given) => {
        const body = changed(given);
        return Object.keys(body).length
          ? app.command({
              method: "PATCH",
              url: path("/api/members/:id", { id: member.member_id }),
              body,
              label: "Change member",
            })
          : true;
      },
    });
    if (!done) return;
    await this.load();
    app.say("ok", t("Saved"));
  }

  block() {
    const { member, app } = this;
    const state = member.state === "active" ? "blocked" : "active";
    return this.once(async () => {
      await app.command({
        method: "PATCH",
        url: path("/api/members/:id", { id: member.member_id }),
        body: { state },
        label: "Change member",
      });
      await this.load();
    });
  }

  async erase() {
    const { member, app } = this;
    const agreed = await app.dialog.ask({
      title: t("Delete data of {name}?", { name: member.name }),
      yes: t("Delete permanently"),
      no: t("Keep"),
      danger: true,
      text: t(
        "Name, phone, e-mail, card and date of birth are deleted here and at head office, and {n} points are lost. Sales are kept without a name. This can't be undone",
        { n: number(this.points.balance) },
      ),
    });
    if (!agreed) return;
    await this.once(async () => {
      await app.command({ url: path("/api/members/:id/erase", { id: member.member_id }), label: "Erase member" });
      await this.load();
      app.say("ok", t("Data deleted"));
    });
  }

  async adjust() {
    const { member, app } = this;
    const given = await app.dialog.ask({
      title: t("Correct points"),
      yes: t("Save"),
      body: html`${field(
        t("Points to add, or a negative number to remove"),
        html`<input class="input num" id="adjust" name="points" inputmode="numeric" autocomplete="off" data-focus />`,
        "adjust",
      )}${field(
        t("Reason"),
        html`<input class="input" id="adjust-reason" name="reason" maxlength="200" autocomplete="off" />`,
        "adjust-reason",
      )}`,
      act: ({ points, reason }) => {
        if (!/^-?\d{1,9}$/.test(points) || Number(points) === 0) throw new Error(t("Enter a number"));
        if (!reason.trim()) throw new Error(t("Enter a reason"));
        return { points: Number(points), reason: reason.trim() };
      },
    });
    if (!given) return;
    await this.once(async () => {
      await app.command({
        url: path("/api/members/:id/points/adjust", { id: member.member_id }),
        body: given,
        label: "Correct points",
      });
      await this.load();
    });
  }

  render() {
    const { member, points } = this;
    if (!member) return this.awaited();
    const box = (label, value, kind = "") =>
      html`<div>
        <dt>${label}</dt>
        <dd class=${kind}>${value}</dd>
      </div>`;
    const living = ["active", "blocked"].includes(member.state);
    const acts = living
      ? html`<button class="btn" ?disabled=${this.busy} @click=${() => this.change()}>${t("Change")}</button
          ><button class="btn" ?disabled=${this.busy} @click=${() => this.adjust()}>${t("Correct points")}</button
          ><button class="btn" ?disabled=${this.busy} @click=${() => this.block()}>
            ${icon("lock")}${member.state === "active" ? t("Block") : t("Unblock")}
          </button>
          <button class="btn" ?disabled=${this.busy} @click=${() => this.erase()}>
            ${icon("trash-2")}${t("Delete data")}
          </button>`
      : nothing;
    return html`${title(
        html`<a class="back" href="#/members">${icon("arrow-left")}<span class="vh">${t("Members")}</span></a
          ><bdi>${member.state === "erased" ? t("erased") : member.name}</bdi>`,
        html`<span class="badge ${member.state === "active" ? "ok" : "bad"}">${t(member.state)}</span>`,
        acts,
      )}
      <dl class="figures panel">
        ${box(t("Points"), number(points.balance))}${box(t("Total earned"), number(points.lifetime_earned))}${box(
          t("Total redeemed"),
          number(points.lifetime_redeemed),
        )}${box(t("Phone"), member.phone ?? "\u2013", "long")}${box(t("Card"), member.code ?? "\u2013", "long")}${box(
          t("E-mail"),
          member.email ?? "\u2013",
          "long",
        )}${member.birth_date ? box(t("Date of birth"), day(member.birth_date), "long") : nothing}${
          member.tier ? box(t("Tier"), member.tier, "long") : nothing
        }${box(t("Since"), date(member.joined_at), "long")}${box(
          t("Sales"),
          html`<a href=${address(["sales"], { member_id: member.member_id })}>${t("View")}</a>`,
          "long",
        )}
      </dl>
      <h2 class="section">${t("Points")}</h2>
      ${
        points.entries.length
          ? html`<div class="panel scroll">
              <table class="grid fold">
                <thead>
                  <tr>
                    <th>${t("Time")}</th>
                    <th>${t("Type")}</th>
                    <th class="num">${t("Points")}</th>
                    <th class="num">${t("Balance")}</th>
                  </tr>
                </thead>
                <tbody>
                  ${points.entries.map(
                    (one) =>
                      html`<tr>
                        <td>${date(one.at)} ${time(one.at)}</td>
                        <td>${t(one.reason)}</td>
                        <td class="num">${number(one.points)}</td>
                        <td class="num">${one.balance_after === null ? nothing : number(one.balance_after)}</td>
                      </tr>`,
                  )}
                </tbody>
              </table>
            </div>`
          : html`<p class="empty panel">${t("No points yet")}</p>`
      }`;
  }
}
customElements.define("page-member", PageMember);
