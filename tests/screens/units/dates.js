// Days in the formats of both languages: the day comes first, never the month.
const { typedDay } = await of("kit/date");
for (const [typed, day] of [
  ["2026-11-28", "2026-11-28"],
  ["28 Nov 2026", "2026-11-28"],
  ["28 november", "2026-11-28"],
  ["5 Agu 26", "2026-08-05"],
  ["5 Mei", "2026-05-05"],
  ["1 Okt 2025", "2025-10-01"],
  ["3/4/2026", "2026-04-03"],
  ["03.04.26", "2026-04-03"],
  ["3-4", "2026-04-03"],
  ["29/2/2028", "2028-02-29"],
  ["29/2/2026", null],
  ["11/28/2026", null],
  ["31 Nov", null],
  ["28", null],
  ["next week", null],
  ["28 Nox 2026", null],
])
  is(typed, typedDay(typed, "2026-06-01"), day);
