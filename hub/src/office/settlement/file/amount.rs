//! Amounts as banks and providers write them.

use crate::office::settlement::file::format::Decimal;

/// The largest amount of a line.
const AMOUNT_MAX: i64 = 1_000_000_000_000;
/// Marks that group digits, whatever begins a fraction.
const SPACES: [char; 4] = [' ', '\u{a0}', '\u{202f}', '\''];

/// A whole amount: an optional sign before or behind it or brackets around it, digits grouped by threes, and no fraction
/// but zeros.
///
/// # Errors
/// What is wrong, for a person.
pub fn amount(text: &str, decimal: Decimal) -> Result<i64, &'static str> {
    let text = text.trim();
    if text.starts_with(['=', '@']) {
        return Err("is a formula, not an amount");
    }
    let (negative, digits) = unsigned(text);
    let (whole, fraction) = match decimal {
        Decimal::None => (digits, None),
        Decimal::Comma => split(digits, ','),
        Decimal::Point => split(digits, '.'),
    };
    if fraction.is_some_and(|fraction| fraction.is_empty() || !fraction.bytes().all(|byte| byte == b'0')) {
        return Err("must be a whole amount, without a fraction");
    }
    let figure: i64 = ungrouped(whole, decimal)
        .and_then(|digits| digits.parse().ok())
        .ok_or("is no amount with its digits grouped by threes")?;
    if figure > AMOUNT_MAX {
        return Err("must be at most 1000000000000");
    }
    Ok(if negative { figure.saturating_neg() } else { figure })
}

fn unsigned(text: &str) -> (bool, &str) {
    let bracketed = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let signed = bracketed.or_else(|| text.strip_prefix('-')).or_else(|| text.strip_suffix('-'));
    match signed {
        Some(digits) => (true, digits.trim()),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

fn split(digits: &str, mark: char) -> (&str, Option<&str>) {
    digits.split_once(mark).map_or((digits, None), |(whole, fraction)| (whole, Some(fraction)))
}

/// The digits without marks between groups of three; the marks are of one kind.
fn ungrouped(text: &str, decimal: Decimal) -> Option<String> {
    let groups = |mark: char| match mark {
        ',' => decimal != Decimal::Comma,
        '.' => decimal != Decimal::Point,
        mark => SPACES.contains(&mark),
    };
    let Some(mark) = text.chars().find(|c| !c.is_ascii_digit()) else {
        return (!text.is_empty()).then(|| text.to_owned());
    };
    let mut parts = text.split(mark);
    let first = parts.next().unwrap_or_default();
    let by_threes = (1..=3).contains(&first.len()) && parts.all(|part| part.len() == 3);
    let digits: String = text.chars().filter(|c| *c != mark).collect();
    (groups(mark) && by_threes && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(amount(text, decimal), Ok(figure), "{text}");
        }
        for (text, decimal) in [
            ("", None),
            ("-", None),
            ("1.5", None),
            ("1.234,50", Comma),
            ("1,234.", Point),
            ("12.34.567", None),
            ("1.234,567", None),
            ("=1+1", None),
            ("@x", None),
            ("1e3", None),
            ("1000000000001", None),
            ("٣", None),
        ] {
            assert!(amount(text, decimal).is_err(), "{text}");
        }
    }
}
