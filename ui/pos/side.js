// Around the basket: the member, the last sale, the total, other actions, search results, and quick keys.
import { html, nothing } from "../vendor/lit.js";
import { fits, icon, key } from "../kit/controls.js";
import { decimal, number, rate, shortReceipt, symbol, time } from "../kit/format.js";
import { t } from "../kit/i18n.js";

export const memberButton = (app, choose) => {
  const { member } = app.basket;
  return html`<button class="member" @click=${choose}>
    ${icon("user-round")}${
      member
        ? html`<span class="mt"
              ><b><bdi>${member.name}</bdi></b
              ><span>${member.phone ?? member.code}</span></span
            ><span class="pts"><b>${number(member.points_balance)}</b> <span>${t("points")}</span></span>`
        : html`<span class="mt"><span>${t("Member")}</span></span>`
    }${key("F2")}
  </button>`;
};

export const lastSale = (app) => {
  const { last } = app;
  if (!last) return nothing;
  const paid = last.payments
    .filter(({ state }) => state === "accepted")
    .map(({ method, tendered }) => `${t(method)} ${decimal(tendered)}`);
  return html`<div class="last wide">
    <span class="muted"
      >${t("Last sale {time}, receipt {no}", { time: time(last.paid_at), no: shortReceipt(last.receipt_no) })}</span
    >
    <span>${paid.join(", ")}</span><span>${t("Change")} <b>${decimal(last.change)}</b></span>
    <button class="link" @click=${() => app.reprint()}>${t("Print again")} ${key("Ctrl P")}</button>
  </div>`;
};

export const display = (app) => {
  const { basket, settings } = app;
  const { sale } = basket;
  const pieces = basket.lines.reduce((all, { qty }) => all + qty, 0);
  const manual = sale ? sale.discount - basket.promotions : 0;
  const total = decimal(sale?.total ?? 0);
  const tax = settings.tax.prices_include_tax ? t("Includes tax") : t("Tax");
  return html`<div class="display" aria-busy=${basket.isBehind}>
    <dl>
      <div>
        <dt>${t("{n} lines, {p} pieces", { n: number(basket.lines.length), p: number(pieces) })}</dt>
        <dd>${decimal(sale?.subtotal ?? 0)}</dd>
      </div>
      ${
        basket.promotions
          ? html`<div>
              <dt>${t("Promotions")}</dt>
              <dd>${decimal(-basket.promotions)}</dd>
            </div>`
          : nothing
      }
      ${
        manual
          ? html`<div>
              <dt>${t("Discount")}</dt>
              <dd>${decimal(-manual)}</dd>
            </div>`
          : nothing
      }
      <div class="wide">
        <dt>${tax}${settings.tax.default_rate_bp ? ` ${rate(settings.tax.default_rate_bp)}` : ""}</dt>
        <dd>${decimal(sale?.tax ?? 0)}</dd>
      </div>
    </dl>
    <p class="total" aria-live="polite">
      <span class="cur">${symbol()}</span
      ><span id="total" class="figure ${basket.isBehind ? "unsure" : ""}" ${fits(total)}>${total}</span>
    </p>
    ${
      sale?.points_earned
        ? html`<p class="earn wide">${t("earns {n} points", { n: number(sale.points_earned) })}</p>`
        : nothing
    }
  </div>`;
};

/** Other actions with their keys. */
export const acts = (page, off) => {
  const { app } = page;
  const entry = (name, label, keys, act, count) =>
    html`<button @click=${act}>
      ${icon(name)}<span>${label}</span>${count ? html`<em>${number(count)}</em>` : nothing}${key(keys)}
    </button>`;
  return html`<div class="acts wide">
    ${entry("pause", t("Hold"), "F6", () => page.hold())}${entry(
      "list-restart",
      t("Recall"),
      "F7",
      () => app.show("holds"),
      app.holds,
    )}
    ${entry("percent", t("Discount"), "F3", off)}${entry("undo-2", t("Return"), "F8", () => app.show("return"))}
    ${entry("clock", t("Shift, cash"), "F10", () =>
      app.show("cash"),
    )}${entry("ellipsis", t("All actions"), "/", () => page.actions())}
  </div>`;
};

/** The products that were found. */
export const results = (page) => {
  if (!page.found) return nothing;
  if (!page.found.length)
    return html`<p class="results panel empty">${t("No product matches “{text}”", { text: page.foundFor })}</p>`;
  return html`<ul class="results panel" id="results" role="listbox" aria-label=${t("Products found")}>
    ${page.found.map(
      (product, index) =>
        html`<li
          role="option"
          id="found-${index}"
          aria-selected=${index === page.picked}
          @pointerdown=${(event) => {
            event.preventDefault();
            page.clearLine();
            page.pick(product);
          }}
        >
          <span class="what"
            ><span class="name"><bdi>${product.name}</bdi></span
            ><span class="sub">${product.sku}</span></span
          ><span class="muted">${t("{n} on hand", { n: number(product.on_hand) })}</span
          ><b>${decimal(product.price)}</b>
        </li>`,
    )}
  </ul>`;
};

/** Notes on a line: promotions by name, a discount, and the stock. */
export const notes = (line) => {
  const note = (kind, name, text) => html`<span class="note ${kind}">${icon(name, "icon-s")}${text}</span> `;
  const promotions = line.item?.discounts.filter(({ source }) => source === "promotion") ?? [];
  const all = promotions.map(({ reason, amount }) =>
    note("ok", "tag", html`<span><bdi>${reason || t("Promotion")}</bdi>, ${decimal(-amount)}</span>`),
  );
  if (line.discount) all.push(note("ok", "percent", html`${t("Discount")}, ${decimal(-line.discount)}`));
  const share = line.item?.discounts.find(({ source }) => source === "basket")?.amount;
  if (share) all.push(note("ok", "percent", html`${t("Discount on the sale")}, ${decimal(-share)}`));
  if (line.item?.price_override)
    all.push(note("warn", "calculator", t("Catalogue price {amount}", { amount: decimal(line.item.list_price) })));
  const known = line.onHand !== undefined && line.onHand !== null;
  if (known && line.onHand < line.qty)
    all.push(note("warn", "triangle-alert", t("Stock on record: {n}", { n: number(line.onHand) })));
  return html`<span class="at">@ ${decimal(line.price)} </span
    >${all.length ? all : html`<span class="sku">${line.sku}</span>`}`;
};

// ---- quick keys: products that are sold without a scan. Those of the store for this till, or else of this device.
const KEPT = "quick";
const MOST = 8;
const own = () => JSON.parse(localStorage.getItem(KEPT) ?? "[]");
/** The products of `.1`, `.2` and so on. */
export const quickKeys = (app) => (app.quick.length ? app.quick : own());
export const isQuick = (sku) => own().some((one) => one.sku === sku);
/** Adds a product to the device's quick keys, or removes it. */
export const toggleQuick = ({ sku, name, price }) => {
  const kept = own();
  const others = kept.filter((one) => one.sku !== sku);
  if (others.length === kept.length && kept.length < MOST) others.push({ sku, name, price });
  localStorage.setItem(KEPT, JSON.stringify(others));
};

/**
 * Reads the names and prices of one product or all from the catalogue. A product that is not sold any more stays.
 */
const renewOwn = async (app, sku) => {
  const now = new Map();
  for (const one of own()) {
    const product =
      sku === null || one.sku === sku
        ? await app.get("/api/pos/products/:sku", { sku: one.sku }).catch(() => null)
        : null;
    if (product) now.set(one.sku, { name: product.name, price: product.price });
  }
  if (!now.size) return;
  localStorage.setItem(KEPT, JSON.stringify(own().map((one) => ({ ...one, ...now.get(one.sku) }))));
  app.requestUpdate();
};

/** Reads the till's keys from the store. For a changed product only if a key sells it. */
export const renewQuick = async (app, sku = null) => {
  if (sku !== null && app.quick.length && !app.quick.some((one) => one.sku === sku)) return;
  try {
    app.quick = (await app.get("/api/pos/quick-keys", {}, { register_id: app.register })).items;
    app.requestUpdate();
  } catch {
    // The present keys stay. If the store does not answer, the next command shows it.
  }
  if (!app.quick.length) renewOwn(app, sku);
};
