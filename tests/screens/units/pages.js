// Pages whose files arrive in another order than requested, lists that reload automatically, shortcuts that are off.
const { App } = await of("kit/app");
const { LitElement } = await of("vendor/lit");
customElements.define(
  "asked-app",
  class extends App {
    connectedCallback() {
      LitElement.prototype.connectedCallback.call(this);
    }
  },
);
const app = document.createElement("asked-app");
document.body.append(app);
let come;
app.later = {
  stock: () =>
    new Promise((done) => {
      come = done;
    }),
  receive: () => Promise.resolve(true),
};
const first = app.show("stock");
await app.show("receive", { id: "new" });
come(true);
await first;
is("the page that was asked for last", [app.page, app.params], ["receive", { id: "new" }]);

const busy = (id) =>
  Object.assign(new Error("busy"), { code: "unavailable", status: 503, details: {}, requestId: id, retryAfter: 60 });
const once = () => {};
app.fail(busy("1"), once);
const { text } = app.message;
app.fail(busy("2"), once);
is("the same refusal is not said anew", [app.message.text, app.message.error.requestId], [text, "2"]);
app.remove();

const { html } = await of("vendor/lit");
const { ListPage } = await of("kit/list");
customElements.define(
  "asked-list",
  class extends ListPage {
    place = (one) => `#/${one}`;
    render() {
      return this.table(
        [["Name"]],
        (one) =>
          html`<tr>
            <td><a href=${this.place(one)}>${one}</a></td>
          </tr>`,
        "",
      );
    }
  },
);
const list = document.createElement("asked-list");
const asked = [];
let [refuses, again] = [false, null];
list.app = {
  get: async (pattern, params, { cursor }) => {
    asked.push(cursor ?? "first");
    if (refuses) throw busy("3");
    return { items: [cursor ?? "first"], next_cursor: "second" };
  },
  fail: (error, act) => {
    again = act;
  },
};
await list.load();
document.body.append(list);
await list.load();
refuses = true;
await list.load(true);
refuses = false;
await again();
is(
  "more of a list is asked for again as more",
  [list.items, asked.slice(-2)],
  [
    ["first", "second"],
    ["second", "second"],
  ],
);
const { WALK } = await of("kit/menu");
history.replaceState(null, "", "#/first");
const walked = ["]", "]", "["].map((key) => [WALK[key]({ target: document.body }), location.hash]);
is("the documents of a list are walked", walked, [
  [undefined, "#/second"],
  [false, "#/second"],
  [undefined, "#/first"],
]);
history.replaceState(null, "", "#");
await list.updateComplete;
list.querySelector("[href='#/second']").focus();
list.items = ["new", "first", "second", "second"];
list.requestUpdate();
await list.updateComplete;
is(
  "the focus stays with its document",
  [document.activeElement.hash, list.querySelectorAll("a").length],
  ["#/second", 4],
);
list.remove();

const { FormPage } = await of("records/form_page");
customElements.define(
  "asked-form",
  class extends FormPage {
    back = ["tills", ""];
    name = "";
    draft = "draft.asked";
    sent = 0;
    lines = [];
    async load() {
      await (refuses
        ? Promise.reject(busy("4"))
        : new Promise((done) => {
            come = done;
          }));
      this.recall();
    }
    body() {
      return {};
    }
    async save() {
      this.sent += 1;
    }
    render() {
      return this.frame("Save", "read");
    }
  },
);
const form = document.createElement("asked-form");
form.app = { fail() {}, focusPage() {} };
const soon = () =>
  new Promise((done) => {
    setTimeout(done);
  });
const submit = async () => {
  form.keys()["Ctrl+Enter"]();
  form.line(0, {});
  await soon();
};
localStorage.setItem("draft.asked", JSON.stringify({ lines: [1, 2] }));
refuses = true;
document.body.append(form);
await soon();
await submit();
is("a form that could not be read sends nothing", form.sent, 0);
refuses = false;
form.querySelector("[role=alert] button").click();
await soon();
await submit();
is("a form that is not read sends nothing", [form.sent, form.textContent.includes("read")], [0, false]);
come();
await soon();
is("what was begun is there", form.lines, [1, 2]);
await submit();
is("a form that is read sends", [form.sent, form.textContent.includes("read")], [1, true]);
form.remove();
localStorage.removeItem("draft.asked");

await of("buying/suggestions");
const suggested = document.createElement("page-suggestions");
const answers = {};
const made = [];
const wanted = (supplier) => ({
  sku: supplier,
  supplier_id: supplier,
  qty: 1,
  unit_cost: null,
  problem: null,
  lead_days: 1,
});
suggested.app = {
  params: { query: { store_id: "A" } },
  may: () => false,
  find() {},
  tabs() {},
  say() {},
  fail() {},
  go(page) {
    made.push(page);
  },
  get: (pattern, params, { store_id: id }) =>
    new Promise((done) => {
      answers[id] = () => done({ items: [wanted("s1"), wanted("s2")], completeness: { missing: [] } });
    }),
  command: async ({ body }) => {
    made.push(`${body.store_id} ${body.supplier_id}`);
    if (body.supplier_id === "s2" && refuses) throw busy("5");
    return { po_id: "1" };
  },
};
const order = () => {
  suggested.keys()["Ctrl+Enter"]();
  return soon();
};
document.body.append(suggested);
await soon();
answers.A();
await soon();
suggested.set("store_id", "B");
await order();
suggested.set("store_id", "C");
await soon();
answers.C();
await soon();
answers.B();
refuses = true;
await order();
refuses = false;
await order();
is("what is suggested is ordered once, for the store that it is shown of", made, ["C s1", "C s2", "C s2", "orders"]);
suggested.remove();

await of("admin/receive");
const receive = document.createElement("page-receive");
const taken = [];
const draft = JSON.stringify({
  lines: [{ sku: "1", name: "", qty: 3, rejected: null, cost: 5 }],
  note: "",
  supplier: "",
});
localStorage.setItem("draft.receiving.po", draft);
receive.app = {
  params: { id: "po" },
  focusPage() {},
  say() {},
  fail() {},
  go() {},
  get: async (pattern) => {
    if (refuses && pattern.includes("orders")) throw busy("6");
    return pattern.includes("orders") ? { po_id: "po", supplier_id: "s1", lines: [] } : { items: [] };
  },
  command: async ({ body }) => {
    taken.push(body.po_id);
    return { receiving_id: "1", lines: [], total_cost: 0 };
  },
};
refuses = true;
document.body.append(receive);
await soon();
receive.keys().F9();
await soon();
is("without its order a delivery is not posted", [taken, localStorage.getItem("draft.receiving.po")], [[], draft]);
refuses = false;
receive.querySelector("[role=alert] button").click();
await soon();
receive.keys().F9();
await soon();
is("a delivery is posted with its order", taken, ["po"]);
receive.remove();

await of("admin/today");
const today = document.createElement("page-today");
const days = [];
today.app = {
  settings: { business_date: "2026-02-01" },
  may: () => true,
  find() {},
  fail() {},
  async readSettings() {
    this.settings = { business_date: "2026-02-02" };
  },
  get: async (pattern, params, { date } = {}) => {
    if (date) days.push(date);
    return { items: [] };
  },
};
await today.load();
is("today is the store's day of now", days, ["2026-02-02", "2026-01-26"]);

const { Keyboard } = await of("kit/keyboard");
let pressed = 0;
const page = {
  keys: () => ({
    N: () => {
      pressed += 1;
    },
    "Ctrl+Enter": () => {
      pressed += 10;
    },
  }),
  querySelector: () => null,
};
const lettered = { letters: false, current: { firstElementChild: page }, onKey() {} };
const keyboard = new Keyboard(lettered);
const press = (key, ctrlKey = false) =>
  keyboard.onKey({ key, ctrlKey, timeStamp: performance.now(), target: document.body, preventDefault() {} });
press("n");
press("Enter", true);
is("letters that are off", pressed, 10);
lettered.letters = true;
press("n");
is("letters that are on", pressed, 11);

// A day with more payments than one page shows: unmatched payments come first, each payment once.
const { pages } = await of("books/settlement");
const paid = Array.from({ length: 120 }, (_, at) => ({
  item_id: at,
  state: [99, 119].includes(at) ? "open" : "matched",
}));
const books = {
  get: async (pattern, params, { state, limit, cursor = 0 } = {}) => {
    if (pattern === "/api/settlements/:id") return { store_id: "S001", business_date: "2026-11-29" };
    if (pattern !== "/api/settlement-items") return { items: [], next_cursor: null };
    const rows = paid.filter((one) => !state || one.state === state);
    const next = cursor + limit;
    return { items: rows.slice(cursor, next), next_cursor: next < rows.length ? next : null };
  },
};
const settled = await pages.settlement.load(books, { id: "stl_1" });
is(
  "what is not matched comes first",
  settled.items.slice(0, 3).map(({ item_id: id }) => id),
  [99, 119, 0],
);
is("the others follow on demand", [settled.items.length, Boolean(settled.next)], [52, true]);

// Column headers of product lists that other tills export.
const { guessed, problemOf } = await of("importing/meanings");
is(
  "columns of Loyverse",
  guessed("products", ["Handle", "SKU", "Name", "Description", "Cost", "Barcode", "Price [Main Store]"]),
  ["", "sku", "name", "", "cost", "barcode", "price"],
);
is(
  "columns of Shopify",
  guessed("products", ["Handle", "Title", "Type", "Variant SKU", "Variant Price", "Variant Barcode", "Cost per item"]),
  ["", "name", "category", "sku", "price", "barcode", "cost"],
);
is("no column twice", guessed("products", ["Harga", "Harga Jual", "Kode"]), ["price", "", "sku"]);
is("a problem with its column's name", problemOf("products", "sku is empty"), "Product code is empty");
is("a problem that is not known", problemOf("products", 'price "1,5" may be 1 or 15'), 'Price "1,5" may be 1 or 15');
is("a problem of no column", problemOf("stock", "has more than 256 columns"), "has more than 256 columns");
