//! Amounts outside of tables, such as those of CAMT.053.

use domain::model::base::currency::Currency;
use edge::sheet::{Decimal, Figure, FigureColumn, NoFigure, SignWords, Written};

/// An amount in the smallest unit of its currency: an optional sign before or behind it or brackets around it, digits
/// grouped by threes, and a fraction.
///
/// # Errors
/// Description of the problem, for people.
pub fn exact(text: &str, decimal: Decimal, currency: Currency) -> Result<Figure, String> {
    let written = Written::of(text, &SignWords::default());
    let written = written.map_err(|why| words(&why))?.ok_or_else(|| "must have an amount".to_owned())?;
    let mut column = FigureColumn::of_amounts(currency);
    column.see(&written);
    column.decide(decimal, ',').figure(&written).map_err(|why| words(&why))
}

/// Words for an amount with more decimals than its currency has.
pub fn fraction_problem(currency: Currency) -> String {
    let what = match currency.exponent() {
        0 => "has a fraction".to_owned(),
        places => format!("has more than the {places} decimals of {currency}"),
    };
    format!("{what}: set csv.fraction to \"round\", or accept the row by hand")
}

fn words(why: &NoFigure) -> String {
    let words = match why {
        NoFigure::TooLarge(_) => return why.to_string(),
        NoFigure::Formula => "is a formula, not an amount",
        NoFigure::Shortened => "was shortened by a spreadsheet",
        NoFigure::Signs => "has two signs that disagree",
        NoFigure::Malformed | NoFigure::Doubtful(..) => "is not an amount with its digits grouped in threes",
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(text: &str, decimal: Decimal) -> Option<i64> {
        exact(text, decimal, Currency::RUPIAH).ok()?.whole()
    }

    #[test]
    fn amounts_are_read_as_they_are_written() {
        use Decimal::{Comma, None, Point};
        for (text, decimal, figure) in [
            ("1.234.567", None, 1_234_567),
            ("155.400", None, 155_400),
            ("-62.160", None, -62_160),
            ("(5.000)", None, -5_000),
            ("5.000-", None, -5_000),
            ("+7", None, 7),
            ("0", None, 0),
            ("1 234", None, 1_234),
            ("1.234,00", Comma, 1_234),
            ("1,234.00", Point, 1_234),
            ("1234", Point, 1_234),
            (" 12 ", None, 12),
        ] {
            assert_eq!(amount(text, decimal), Some(figure), "{text}");
        }
        for (text, decimal) in [
            ("", None),
            ("-", None),
            ("1.5", None),
            ("1.234,50", Comma),
            ("12.34.567", None),
            ("1.234,567", None),
            ("=1+1", None),
            ("@x", None),
            ("1e3", None),
            ("1000000000001", None),
            ("٣", None),
        ] {
            assert_eq!(amount(text, decimal), Option::None, "{text}");
        }
    }
}
