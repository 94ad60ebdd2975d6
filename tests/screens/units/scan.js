// Which keys were typed by a machine, and a code without the characters that scanners add.
const { codeOf, isBurst } = await of("kit/scan");
const every = (gap, many) => Array.from({ length: many }, (_, index) => index * gap);
for (const gap of [0, 2, 5, 10, 20, 30]) is(`${gap} ms apart`, isBurst(every(gap, 8)), true);
for (const gap of [45, 60, 90, 150]) is(`a person ${gap} ms apart`, isBurst(every(gap, 12)), false);
is("three keys", isBurst(every(2, 3)), false);
is("one slow key among fast ones", isBurst([0, 5, 10, 15, 66, 71]), false);
is("one slower key among fast ones", isBurst([0, 5, 10, 55, 60, 65]), true);
for (const [given, code] of [
  ["]E08996001600146", "8996001600146"],
  [" 8996001600146\r", "8996001600146"],
  ["\u001dABC-12", "ABC-12"],
  ["abc", "abc"],
  ["]x", "]x"],
])
  is(JSON.stringify(given), codeOf(given), code);

const { behind, isScan } = await of("kit/scan");
/** Keys of several parts: 5 ms between keys, and `pause` between parts. */
const keysOf = (parts, pause, gap = 5) => {
  const keys = [];
  let time = 0;
  for (const part of parts) {
    for (const key of part) {
      keys.push({ key, time });
      time += gap;
    }
    time += pause - gap;
  }
  return keys;
};
is("a scanner that stops once", isScan(keysOf(["8990", "000000020"], 104)), true);
is("a scanner that stops at its last key", isScan(keysOf(["899000000002", "0"], 400)), true);
is("a scanner that stops twice", isScan(keysOf(["8990", "00000", "0020"], 104)), true);
is("a person's pause", isScan(keysOf(["899", "12"], 600)), false);
is("a person with a key for three zeros", isScan(keysOf(["5", "000", "000"], 150)), false);
is("a person with a key for three zeros, much money", isScan(keysOf(["5", "000", "000", "000"], 150)), false);
const rest = (parts, pause, gap) => {
  const keys = keysOf(parts, pause, gap);
  return behind(keys.map(({ key }) => key).join(""), keys);
};
is("a part of a code", rest(["8991234", "500188"], 104), null);
is("behind a person's pause", rest(["8991234", "500188"], 600), { code: "500188", sure: false });
is("behind letters that a machine sent", rest(["ABC-", "12345"], 104), { code: "12345", sure: false });
is("a whole code", rest(["8991234500188"], 0), null);
const person = [..."product"].map((key, index) => ({ key, time: index * 70 }));
const machine = [..."89900070"].map((key, index) => ({ key, time: 700 + index * 5 }));
is("behind what a person typed", behind("product89900070", [...person, ...machine]), { code: "89900070", sure: true });
is("behind what was pasted", behind("x89900070", machine), { code: "89900070", sure: false });
