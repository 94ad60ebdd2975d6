// Which keys were typed by a machine, and what a code is without what scanners put around it.
const { clean, isBurst } = await of("shared/scan");
const every = (gap, many) => Array.from({ length: many }, (_, index) => index * gap);
for (const gap of [0, 2, 5, 10, 20, 30]) is(`${gap} ms apart`, isBurst(every(gap, 8)), true);
for (const gap of [45, 60, 90, 150]) is(`a person ${gap} ms apart`, isBurst(every(gap, 12)), false);
is("three keys", isBurst(every(2, 3)), false);
is("one slow key among fast ones", isBurst([0, 5, 10, 15, 66, 71]), false);
is("one slower key among fast ones", isBurst([0, 5, 10, 55, 60, 65]), true);
for (const [given, code] of [["]E08996001600146", "8996001600146"], [" 8996001600146\r", "8996001600146"], ["\u001dABC-12", "ABC-12"], ["abc", "abc"], ["]x", "]x"]]) is(JSON.stringify(given), clean(given), code);
