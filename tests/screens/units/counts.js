// Which counts can be withdrawn, and the effect. Nothing is sent here.
const { queueOf } = await of("counting/count_queue");
const sent = [];
const queue = queueOf({});
queue.put = async (id, { sku, name }, qty, zone) => {
  const one = { id, sku, name, qty, zone };
  queue.counted.set(`${sku} ${zone}`, qty);
  sent.push([sku, qty]);
  return one;
};
const line = (sku, qty) => ({ sku, zones: [{ zone: "shelf", qty }] });
const stored = { lines: [line("100", 4), line("300", 6)], next_cursor: "more" };
const last = () => queue.last.map(({ sku, before }) => [sku, before]);
const count = (sku, qty) => queue.count("1", { sku, name: sku }, qty, "shelf", stored);
await count("200", 2);
await count("900", 9);
await count("300", 7);
await count("300", 8);
is("a line behind those that were read can't be taken back", last(), [
  ["300", 7],
  ["300", 6],
  ["200", null],
]);
is("what stood there before", (await queue.undo()).before, 7);
is("it is not sent again, nor taken back twice", [sent.at(-1), last()], [["300", null], [["200", null]]]);
queue.waiting = [{ id: "1" }];
queue.read("1", stored);
is("figures are not the store's while something waits", last(), [["200", null]]);
queue.waiting = [];
queue.read("1", { lines: [line("200", 2)], next_cursor: null });
is("what stands as it was said", last(), [["200", null]]);
queue.read("1", { lines: [line("200", 5)], next_cursor: null });
is("what somebody else has counted since", last(), []);

// A count by another person is added to or replaced after its own person has decided which.
const others = [];
const shared = Object.assign(queueOf({}), {
  refused: [{ id: "1", sku: "100", name: "Tea", qty: 3, zone: "shelf", error: { code: "already_counted" } }],
});
shared.put = async (id, { sku }, qty, zone, mode) => others.push([id, sku, qty, zone, mode]);
await shared.decide(shared.refused[0], "add");
is("a count is added to another person's", [others, shared.refused], [[["1", "100", 3, "shelf", "add"]], []]);
