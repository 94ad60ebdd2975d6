// What is typed into fields of figures: discounts as an amount or per cent, and the caret in an amount that is grouped.
const { discountOf } = await of("selling/discount");
for (const [text, off] of [
  ["", 0],
  ["2500", 2_500],
  ["10%", 4_000],
  ["7.5%", 3_000],
  ["7,25 %", 2_900],
  ["100%", 40_000],
  ["101%", null],
  ["7.125%", null],
  ["7.5", null],
  ["%", null],
])
  is(`${JSON.stringify(text)} off 40,000`, discountOf(text, 40_000), off);

const { LitElement } = await of("vendor/lit");
const { fields } = await of("kit/form");
const { decimal } = await of("kit/format");
customElements.define(
  "typed-form",
  class extends LitElement {
    createRenderRoot() {
      return this;
    }
    render() {
      return fields([{ name: "sum", label: "Sum", kind: "money", value: 1_234_567 }]);
    }
  },
);
/** @type {any} */
const form = document.createElement("typed-form");
document.body.append(form);
await form.updateComplete;
const input = form.querySelector("#f-sum");
input.focus();
const behind = () => input.value.slice(input.selectionEnd).replace(/\D/g, "");
input.value = decimal(1_234_567).replace(/^1./, "$&9");
input.setSelectionRange(3, 3);
input.dispatchEvent(new Event("input", { bubbles: true }));
is("a digit between others keeps the caret behind it", [input.value, behind()], [decimal(19_234_567), "234567"]);
form.remove();
