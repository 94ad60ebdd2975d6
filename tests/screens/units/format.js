// Figures, dates and what was typed as an amount, in both languages.
const { amount, day, money, number, rate, setShop, shortReceipt, span, time } = await of("kit/format");
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
  ["1,250", 1_250],
  ["1.250.", 1_250_000],
  ["abc", null],
  ["9".repeat(20), 9_999_999_999_999],
])
  is(`typed ${typed}`, amount(typed), meant);
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
