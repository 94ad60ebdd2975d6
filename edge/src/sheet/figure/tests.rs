use super::*;

#[test]
fn signs_and_currencies_beside_the_digits_are_read() {
    use Direction::{In, Out};
    for (cell, digits, negative, direction, currency) in [
        ("971,188.00 DB", "971,188.00", false, Some(Out), None),
        ("2,000,000.00 CR", "2,000,000.00", false, Some(In), None),
        ("DB 5", "5", false, Some(Out), None),
        ("Rp 100.000,00", "100.000,00", false, None, Some("IDR")),
        ("Rp.100.000", "100.000", false, None, Some("IDR")),
        ("-$45.00", "45.00", true, None, Some("$")),
        ("$-45.00", "45.00", true, None, Some("$")),
        ("(Rp 5.000)", "5.000", true, None, Some("IDR")),
        ("Rp (5.000)", "5.000", true, None, Some("IDR")),
        ("5.000-", "5.000", true, None, None),
        ("\u{2212}7", "7", true, None, None),
        ("\u{2013} 7", "7", true, None, None),
        ("+7", "7", false, None, None),
        ("310,55 €", "310,55", false, None, Some("EUR")),
        ("USD 100.00", "100.00", false, None, Some("USD")),
        ("idr5", "5", false, None, Some("IDR")),
        (".00", ".00", false, None, None),
        ("Rp 100.000,-", "100.000", false, None, Some("IDR")),
        ("'1.000", "1.000", false, None, None),
        ("\u{ff11}\u{ff12}", "12", false, None, None),
        ("-5 DB", "5", true, Some(Out), None),
        ("(-500)", "500", true, None, None),
        ("$1,234.00 USD", "1,234.00", false, None, Some("USD")),
        ("1\u{2007}234\u{2007}567", "1\u{2007}234\u{2007}567", false, None, None),
    ] {
        let written = Written { digits: digits.to_owned(), negative, direction, currency };
        assert_eq!(Written::of(cell, &SignWords::default()), Ok(Some(written)), "{cell}");
    }
    for cell in ["", "-", "\u{2013}", "Rp -", "$ -", "Rp", "n/a", "nihil"] {
        assert_eq!(Written::of(cell, &SignWords::default()), Ok(None), "{cell}");
    }
}

#[test]
fn an_invalid_figure_is_refused_with_the_reason() {
    for (cell, why) in [
        ("=1+1", NoFigure::Formula),
        ("@x", NoFigure::Formula),
        ("8.99E+12", NoFigure::Shortened),
        ("8,99E+12", NoFigure::Shortened),
        ("1e3", NoFigure::Shortened),
        ("tea", NoFigure::Malformed),
        ("5 pcs", NoFigure::Malformed),
        ("18/11", NoFigure::Malformed),
        ("(5", NoFigure::Malformed),
        ("-(5)", NoFigure::Signs),
        ("--5", NoFigure::Signs),
        ("-5 CR", NoFigure::Signs),
        ("٣", NoFigure::Malformed),
    ] {
        assert_eq!(Written::of(cell, &SignWords::default()), Err(why), "{cell}");
    }
}

#[test]
fn halves_are_rounded_away_from_nothing() {
    for (millionths, whole, rounded) in [
        (1_500_000, None, 2),
        (-1_500_000, None, -2),
        (-2_469_130_000, None, -2_469),
        (5_000_000, Some(5), 5),
    ] {
        assert_eq!((Figure(millionths).whole(), Figure(millionths).rounded()), (whole, rounded));
    }
}
