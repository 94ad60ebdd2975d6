// Figures, dates and typed amounts in both languages.
const { amount, day, decimal, money, number, rate, setShop, shortReceipt, span, time } = await of("kit/format");
const { pasted } = await of("records/pasted");
const { setLanguage, t } = await of("kit/i18n");
const before = document.documentElement.lang;
setShop({ currency: "IDR", timezone: "Asia/Jakarta" });
setLanguage("en");
is("a figure", number(288_850), "288,850");
is("below zero", number(-2_000), "\u22122,000");
is("nothing", number(null), "0");
is("money", money(288_850), "Rp\u00a0288,850");
is("money below zero", money(-500), "\u2212Rp\u00a0500");
is("a rate", rate(1_100), "11\u00a0%");
is("a part of a per cent", rate(125), "1.25\u00a0%");
is("a moment of the store", time("2026-11-20T05:06:00Z"), "12:06");
is("a day is the same everywhere", day("2026-11-21"), "Sat 21 Nov 2026");
is("one is no plural", t("{n} lines, {p} pieces", { n: number(1), p: 11 }), "1 line, 11 pieces");
is("nor is its verb", t("{n} differences are left to resolve", { n: 1 }), "1 difference is left to resolve");
setLanguage("id");
is("an Indonesian figure", number(288_850), "288.850");
is("Indonesian money", money(288_850), "Rp\u00a0288.850");
is("an Indonesian day", day("2026-11-21"), "Sab 21 Nov 2026");
is("an Indonesian moment", time("2026-11-20T05:06:00Z"), "12:06");
is("an Indonesian text", t("Log out"), "Keluar");
setLanguage(before);
for (const [typed, meant] of [
  ["", null],
  ["0", 0],
  ["12", 12],
  ["50.", 50_000],
  ["18.", 18_000],
  ["18,0005", 185],
  ["1850", 1_850],
  ["1,8500", 18_500],
  ["1,250", 1_250],
  ["1.250.", 1_250_000],
  ["abc", null],
  ["9".repeat(20), 9_999_999_999_999],
])
  is(`typed ${typed}`, amount(typed), meant);
for (const [text, meant] of [
  ["Rp 15.000", 15_000],
  ["15,000.00", 15_000],
  ["15.5", undefined],
  ["-3", undefined],
])
  is(`pasted ${text}`, pasted(text), meant);
// Amounts are in the smallest unit of the currency, and pages show its decimals.
for (const [code, exponent, cases] of [
  ["JPY", 0, [["en", 1_250, "1,250", "\u00a5\u00a01,250"]]],
  [
    "EUR",
    2,
    [
      ["en", 123_456, "1,234.56", "\u20ac\u00a01,234.56"],
      ["id", -5, "\u22120,05", "\u2212\u20ac\u00a00,05"],
    ],
  ],
  ["KWD", 3, [["en", 12_500, "12.500", "KWD\u00a012.500"]]],
]) {
  setShop({ currency: code, currency_exponent: exponent, timezone: "UTC" });
  for (const [language, value, plain, whole] of cases) {
    setLanguage(language);
    is(`${code} in ${language}`, [decimal(value), money(value), number(7)], [plain, whole, "7"]);
  }
}
setShop({ currency: "EUR", currency_exponent: 2, timezone: "UTC" });
for (const [typed, meant] of [
  ["1", 1],
  ["0.012", 12],
  ["12.50", 1_250],
  ["1,250,00", 125_000],
  ["0", 0],
  ["0.0", null],
  ["", null],
])
  is(`typed ${typed} in cents`, amount(typed), meant);
for (const [text, meant] of [
  ["12.50", 1_250],
  ["\u20ac 12,5", 1_250],
  ["1.234,56", 123_456],
  ["12", 1_200],
  ["12.505", 1_250_500],
  ["12.3456", undefined],
])
  is(`pasted ${text} in cents`, pasted(text), meant);
setShop({ currency: "KWD", currency_exponent: 3, timezone: "UTC" });
is("pasted fils", [pasted("12.500"), pasted("1,234.500"), pasted("0.25")], [12_500, 1_234_500, 250]);
setLanguage(before);
is("the last digits", shortReceipt("S001-till-1-00003611"), "\u202600003611");
setShop({ currency: "IDR", timezone: "Asia/Jakarta", store_id: "S001" }, "till-1");
is("the last digits at its till", shortReceipt("S001-till-1-00003611"), "\u202600003611");
is("till and digits of another till", shortReceipt("S001-till-2-00003611"), "till-2-00003611");
is("the last digits of another shop", shortReceipt("S002-till-1-00003611"), "\u202600003611");
is("no receipt", shortReceipt(null), "");
is("a short time", span(1_250), "1.3s");
is("a text with a name", t("Discount on {name}", { name: "tea" }).includes("tea"), true);
is("a name that turns", t("Discount on {name}", { name: "\u202eaet" }).includes("\u2068\u202eaet\u2069"), true);
is("a name that is not there", t("Discount on {name}").includes("undefined"), false);
