// Amounts that a customer is likely to hand over: round sums of the shop's notes, all of them above the price.
const { offers } = await of("pos/tender");
const notes = [100_000, 50_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500, 200, 100];
for (const [due, sums] of [
  [188_900, [190_000, 200_000]],
  [27_750, [28_000, 30_000]],
  [100_300, [105_000, 200_000]],
  [100_000, []],
  [50, [100, 200]],
]) {
  const offered = offers(due, notes);
  is(
    `all of ${due} are more than it`,
    offered.every((sum) => sum > due),
    true,
  );
  is(`at most four of ${due}`, offered.length <= 4, true);
  for (const sum of sums) is(`${sum} for ${due}`, offered.includes(sum), true);
}
