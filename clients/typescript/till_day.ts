// A till's day at a store. Arguments: base URL, user name, password.

import assert from "node:assert/strict";
import { connect, events, expect, items } from "./client.js";
import type { paths } from "./generated/store.js";

const [baseUrl = "", username = "", password = ""] = process.argv.slice(2);
const SKU = "8991234567890";
const REGISTER = "till-ts";
const store = await connect<paths>(baseUrl, { username, password }, { registerId: REGISTER });

expect(await store.POST("/api/registers", { body: { register_id: REGISTER, name: "TypeScript till" } }));
const settings = expect(await store.GET("/api/pos/settings"));
assert.equal(settings.currency, "IDR");
const body = { opening_float: 100_000, register_id: REGISTER };
const shift = expect(await store.POST("/api/shifts/open", { body }));

const stream = await store.GET("/api/events", { parseAs: "stream" });
assert(stream.data);
const notices = events(stream.data as unknown as ReadableStream<Uint8Array>);
assert.equal((await notices.next()).value?.event, "ready");

const product = expect(await store.GET("/api/pos/products/{sku}", { params: { path: { sku: SKU } } }));
const basket = { items: [{ sku: SKU, qty: 2 }] };
const key = { "Idempotency-Key": "ts-first-sale" };
const first = await store.POST("/api/pos/transactions", { body: basket, params: { header: key } });
const again = await store.POST("/api/pos/transactions", { body: basket, params: { header: key } });
const sale = expect(first);
assert.deepEqual(expect(again), sale, "a repeated request is one sale");
assert.equal(again.response.headers.get("Idempotency-Replayed"), "true");
assert.equal(sale.items[0]?.price, product.price);

const pay = (id: string, payments: { method: string; amount: number; tendered?: number }[]) =>
  store.POST("/api/pos/transactions/{id}/pay", { body: { payments }, params: { path: { id } } });
const cash = (amount: number) => ({ method: "cash", amount, tendered: amount + 1_000 });
const stamps = { method: "stamps", amount: 1 };
const wrong = await pay(sale.transaction_id, [{ method: "cash", amount: 1, tendered: 1 }, stamps]);
assert.equal(wrong.error?.error.code, "validation_failed");
assert.equal(wrong.error?.error.details["fields"]?.[0]?.path, "payments[1].method");
const paid = expect(await pay(sale.transaction_id, [cash(sale.amount_due)]));
assert.equal(paid.state, "paid");
assert(paid.receipt_no);
const receipt = { params: { path: { receipt_no: paid.receipt_no } } };
const paper = await store.GET("/api/pos/receipts/{receipt_no}", {
  ...receipt,
  headers: { Accept: "text/plain" },
  parseAs: "text",
});
assert.match(String(paper.data), /Green Tea/);

const second = expect(await store.POST("/api/pos/transactions", { body: basket }));
const hold = expect(
  await store.POST("/api/pos/holds", { body: { transaction_id: second.transaction_id, note: "wallet" } }),
);
expect(await store.POST("/api/pos/holds/{id}/recall", { body: {}, params: { path: { id: hold.hold_id } } }));
const card = { method: "card", amount: 10_000 };
expect(await pay(second.transaction_id, [card, cash(second.amount_due - card.amount)]));

const whole = { ...basket, payments: [cash(second.total)] };
const third = expect(await store.POST("/api/pos/transactions", { body: whole }));
assert.equal(third.state, "paid");

const back = { transaction_id: sale.transaction_id, items: [{ sku: SKU, qty: 1, reason: "torn" }] };
const quote = expect(await store.POST("/api/pos/returns/quote", { body: back }));
const returned = expect(await store.POST("/api/pos/returns", { body: back }));
assert.equal(returned.refund_total, quote.refund_total);

const sales = [];
const list = (cursor: string | undefined) => {
  const query = { shift_id: shift.shift_id, limit: 1, ...(cursor === undefined ? {} : { cursor }) };
  return store.GET("/api/pos/transactions", { params: { query } }).then(expect);
};
for await (const item of items(list)) sales.push(item.transaction_id);
assert.deepEqual(new Set(sales), new Set([sale, second, third].map((one) => one.transaction_id)));

const at = { params: { path: { id: shift.shift_id } } };
const summary = expect(await store.GET("/api/shifts/{id}/summary", at));
const counted = { counted_cash: summary.cash?.expected ?? 0 };
const closed = expect(await store.POST("/api/shifts/{id}/close", { ...at, body: counted }));
assert.equal(closed.by_method?.find((one) => one.method === "cash")?.variance, 0);
console.log(`till: ${sales.length} sales, ${returned.refund_total} refunded, closed without a difference`);
process.exit(0);
