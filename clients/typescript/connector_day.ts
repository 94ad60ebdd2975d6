// An accounting connector's day at head office. Arguments: base URL, user name, password.

import assert from "node:assert/strict";
import { connect, expect, items } from "./client.js";
import type { paths } from "./generated/hub.js";

const [baseUrl = "", username = "", password = ""] = process.argv.slice(2);
const hub = await connect<paths>(baseUrl, { username, password });
const SKU = "TS-1";

const product = expect(
  await hub.POST("/api/products", { body: { sku: SKU, name: "Jasmine tea", price: 12_000 } }),
);
const today = new Date().toISOString().slice(0, 10);
const day = { from: today, to: today };
const supplier = expect(await hub.POST("/api/suppliers", { body: { code: "TS", name: "Tea Ltd" } }));
const offer = { body: { sku: SKU, unit_cost: 9_000 }, params: { path: { id: supplier.supplier_id } } };
expect(await hub.POST("/api/suppliers/{id}/products", offer));
const order = expect(
  await hub.POST("/api/purchase-orders", {
    body: { supplier_id: supplier.supplier_id, store_id: "S001", lines: [{ sku: SKU, qty: 24 }] },
  }),
);
const submitted = await hub.POST("/api/purchase-orders/{id}/submit", {
  body: {},
  params: { path: { id: order.po_id } },
});
assert(expect(submitted).submitted_at);

const accounts = expect(await hub.GET("/api/finance/accounts")).items;
const cost = accounts.find((one) => one.type === "expense");
const equity = accounts.find((one) => one.type === "equity");
assert(cost && equity);
const amount = 5_000_000;
const lines = [
  { account: cost.account, debit: amount },
  { account: equity.account, credit: amount },
];
const entry = { date: today, memo: "Rent", lines };
const posted = expect(await hub.POST("/api/finance/journal", { body: entry }));

// A program reads with a key of its own, not with a person's password.
const key = expect(
  await hub.POST("/api/api-keys", {
    body: { name: "Connector", role: "read_only", scopes: ["finance:read"] },
  }),
);
const reader = await connect<paths>(baseUrl, { apiKey: key.secret });

const journal = [];
const load = (cursor: string | undefined) => {
  const query = { ...day, limit: 1, ...(cursor === undefined ? {} : { cursor }) };
  return reader.GET("/api/finance/journal", { params: { query } }).then(expect);
};
for await (const one of items(load)) journal.push(one.entry_id);
assert(journal.includes(posted.entry_id));
const balance = expect(await reader.GET("/api/finance/trial-balance", { params: { query: { date: today } } }));
assert.equal(balance.items.find((one) => one.account === cost.account)?.debit, amount);
console.log(`connector: ${product.sku} ordered, ${journal.length} journal entries read`);
