//! When two numbers of a supplier are the same.

use crate::model::books::ledger::note_key;
use jiff::civil::Date;

/// Form by which a supplier's number is compared: its letters and digits, in upper case; with the year if the supplier
/// begins anew each year.
pub fn number_key(number: &str, date: Date, per_year: bool) -> String {
    let key = note_key(number);
    if per_year { format!("{:04}:{key}", date.year()) } else { key }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn spaces_marks_and_case_do_not_count() {
        let day = date(2026, 11, 19);
        for number in [
            "TEA-778",
            "tea 778",
            "Tea/7.78",
            " TEA778\t",
            "TEA\u{2013}778",
            "tea_778",
            "TEA:778",
            "TEA\\778",
            "tea,778",
            "#TEA778",
            "\u{ff34}\u{ff25}\u{ff21}\u{ff17}\u{ff17}\u{ff18}",
            "\u{200b}TEA778",
            "TEA\u{a0}778",
        ] {
            assert_eq!(number_key(number, day, false), "TEA778", "{number}");
        }
        for (number, key) in [("\u{2014} /", "-/"), (" \u{200b}", ""), ("stra\u{df}e 1", "STRASSE1")] {
            assert_eq!(number_key(number, day, false), key, "{number}");
        }
        assert_eq!(number_key("tea 778", day, true), "2026:TEA778");
    }
}
