// Pages whose files come in another order than they were asked for.
const { App } = await of("shared/app");
const { LitElement } = await of("vendor/lit");
customElements.define("asked-app", class extends App {
  connectedCallback() { LitElement.prototype.connectedCallback.call(this); }
});
const app = document.createElement("asked-app");
document.body.append(app);
let come;
app.later = { stock: () => new Promise((done) => { come = done; }), receive: () => Promise.resolve(true) };
const first = app.show("stock");
await app.show("receive", { id: "new" });
come(true);
await first;
is("the page that was asked for last", [app.page, app.params], ["receive", { id: "new" }]);
app.remove();
