//! Marks and codes of currencies beside figures.

/// Codes that are read beside a figure: others are words that are not known.
const CODES: [&str; 46] = [
    "AED", "AUD", "BDT", "BHD", "BND", "BRL", "CAD", "CHF", "CLP", "CNY", "CZK", "DKK", "EGP", "EUR", "GBP",
    "HKD", "HUF", "IDR", "ILS", "INR", "JPY", "KHR", "KRW", "KWD", "KZT", "LAK", "LKR", "MMK", "MXN", "MYR",
    "NGN", "NOK", "NZD", "PHP", "PKR", "PLN", "QAR", "SAR", "SEK", "SGD", "THB", "TRY", "TWD", "USD", "VND",
    "ZAR",
];
/// Other marks with their code; of a mark that several currencies have, the mark itself.
const MARKS: [(&str, &str); 21] = [
    ("RS", "INR"),
    ("RS.", "INR"),
    ("ZŁ", "PLN"),
    ("KČ", "CZK"),
    ("R$", "BRL"),
    ("RP", "IDR"),
    ("RP.", "IDR"),
    ("€", "EUR"),
    ("£", "GBP"),
    ("₹", "INR"),
    ("₩", "KRW"),
    ("฿", "THB"),
    ("₫", "VND"),
    ("₱", "PHP"),
    ("RM", "MYR"),
    ("US$", "USD"),
    ("S$", "SGD"),
    ("A$", "AUD"),
    ("NT$", "TWD"),
    ("$", "$"),
    ("¥", "¥"),
];
/// Currencies that are written with `$` and with `¥` alone.
const DOLLARS: [&str; 9] = ["USD", "AUD", "CAD", "SGD", "HKD", "NZD", "TWD", "MXN", "CLP"];
const YEN: [&str; 2] = ["JPY", "CNY"];

/// The mark of crowns, and the currencies that are written with it.
const CROWNS: &str = "kr";
const CROWN_CODES: [&str; 3] = ["SEK", "NOK", "DKK"];

/// Whether a word is the mark of crowns, which is written in small letters.
pub fn is_crowns(word: &str) -> bool {
    word.trim().trim_end_matches('.') == CROWNS
}

/// The code for a mark or a code in any case; `$`, `¥` and `kr` stand for themselves.
pub fn currency_code(mark: &str) -> Option<&'static str> {
    if is_crowns(mark) {
        return Some(CROWNS);
    }
    let mark = mark.trim().to_uppercase();
    let known = MARKS.iter().find(|(known, _)| *known == mark).map(|(_, code)| *code);
    known.or_else(|| CODES.into_iter().find(|code| *code == mark))
}

/// The one currency of the marks on both sides of a figure, as in `$1 USD`. `None` if there are two.
pub(super) fn one_currency(
    one: Option<&'static str>,
    other: Option<&'static str>,
) -> Option<Option<&'static str>> {
    let Some((first, second)) = one.zip(other) else { return Some(one.or(other)) };
    if may_be_currency(first, second) {
        return Some(Some(second));
    }
    may_be_currency(second, first).then_some(Some(first))
}

/// Whether a mark or code may stand for a currency: `$` may be any dollar.
pub fn may_be_currency(mark: &str, code: &str) -> bool {
    match currency_code(mark) {
        // Two cells with the same mark.
        Some(known) if known == code => true,
        Some("$") => DOLLARS.contains(&code),
        Some("¥") => YEN.contains(&code),
        Some(CROWNS) => CROWN_CODES.contains(&code),
        Some(_) => false,
        None => mark.trim().eq_ignore_ascii_case(code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_stands_for_its_currencies() {
        for (mark, code, fits) in [
            ("Rp", "IDR", true),
            ("idr", "IDR", true),
            ("$", "USD", true),
            ("$", "IDR", false),
            ("EUR", "USD", false),
            ("¥", "JPY", true),
            ("kr", "SEK", true),
            ("kr.", "DKK", true),
            ("kr", "IDR", false),
            ("$", "$", true),
            ("$", "¥", false),
        ] {
            assert_eq!(may_be_currency(mark, code), fits, "{mark} {code}");
        }
    }
}
