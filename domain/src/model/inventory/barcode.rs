//! Codes that scanners read: one article has one code, however a scanner, a supplier or a spreadsheet spells it.

use crate::model::base::limits::BARCODE_BYTES_MAX;
use crate::model::base::text::plain;

mod element_string;

/// Character that ends a field of a GS1 code, as scanners send it.
pub use element_string::GS as FIELD_END;

/// The longest text of one scan, in bytes: a GS1 code also says batch, date and serial number.
pub const SCAN_BYTES_MAX: usize = 512;

/// Digits of the longest GTIN.
const GTIN_DIGITS: usize = 14;

/// The code that a scan or a cell names: without the scanner's symbology identifier (`]E0`), and of a GS1 code the
/// GTIN alone. Its digits are as many as were read.
pub fn scanned(text: &str) -> String {
    let text = plain(text);
    let text = text.trim_matches(|c: char| c.is_whitespace() || (c.is_control() && c != element_string::GS));
    let (symbology, code) = symbology(text);
    if symbology == Some(('E', '0'))
        && let Some(upc) = upc_of_short(code)
    {
        return upc;
    }
    let code = match symbology {
        Some(('E', '0' | '3')) => code.get(..13).unwrap_or(code),
        _ => code,
    };
    let is_gs1 = matches!(symbology, Some(('C' | 'J', '1') | ('e', '0'..='2') | ('d', '2') | ('Q', '3')));
    if let Some(gtin) = element_string::gtin(code, is_gs1) {
        return gtin;
    }
    let code = code.trim_matches(|c: char| c.is_whitespace() || c.is_control());
    ungrouped(code).unwrap_or_else(|| code.to_owned())
}

/// Normal form by which codes are compared: a GTIN with 14 digits, so that UPC-A, UPC-E, EAN-8, EAN-13 and GTIN-14 of
/// one article are equal; any other code as it is. The code of a carton (first digit 1 to 8) differs from that of the
/// piece.
pub fn normal(text: &str) -> String {
    let code = scanned(text);
    let upc = upc_of_short(&code).filter(|_| !check_digit_holds(&code));
    let code = upc.unwrap_or(code);
    if is_gtin(&code) { padded(&code) } else { code }
}

/// Whether two codes name the same article.
pub fn same(one: &str, other: &str) -> bool {
    one == other || normal(one) == normal(other)
}

/// Whether a code is one that a scanner sends: printable ASCII, and not too long.
pub fn can_be_scanned(code: &str) -> bool {
    (1..=BARCODE_BYTES_MAX).contains(&code.len()) && code.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Doubt about a code that is accepted all the same, for people.
pub fn doubt(code: &str) -> Option<String> {
    if !is_digits(code) || !(9..=GTIN_DIGITS).contains(&code.len()) && code.len() != 8 {
        return None;
    }
    let sound = check_digit_holds(code);
    match code.len() {
        9..=11 if sound => {
            let full = padded(code);
            let upc = full.get(2..).unwrap_or(&full);
            Some(format!("{code} has lost its leading zeros: it is read as {upc}"))
        }
        9..=11 => None,
        _ if sound || upc_of_short(code).is_some() => None,
        _ => Some(format!(
            "{code} has a wrong check digit: the last digit should be {}. Compare it with the package",
            expected_check_digit(code)
        )),
    }
}

/// Whether the digits have the length of a GTIN. If a spreadsheet removed leading zeros, the check digit decides.
fn is_gtin(code: &str) -> bool {
    is_digits(code)
        && match code.len() {
            8 | 12..=GTIN_DIGITS => true,
            9..=11 => check_digit_holds(code),
            _ => false,
        }
}

/// The UPC-A of a UPC-E: eight digits that leave out zeros of the maker's or the article's number. Without a mark of the
/// scanner they may also be an EAN-8: then its own check digit holds.
fn upc_of_short(code: &str) -> Option<String> {
    if code.len() != 8 || !is_digits(code) || !code.starts_with(['0', '1']) {
        return None;
    }
    let (system, body, check) = (code.get(..1)?, code.get(1..7)?, code.get(7..)?);
    let (start, middle, last) = (body.get(..2)?, body.get(2..5)?, body.get(5..)?);
    let number = match last {
        "0" | "1" | "2" => format!("{start}{last}0000{middle}"),
        "3" => format!("{}00000{}", body.get(..3)?, body.get(3..5)?),
        "4" => format!("{}00000{}", body.get(..4)?, body.get(4..5)?),
        _ => format!("{}0000{last}", body.get(..5)?),
    };
    Some(format!("{system}{number}{check}")).filter(|upc| check_digit_holds(upc))
}

fn is_digits(code: &str) -> bool {
    !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_digit())
}

fn padded(code: &str) -> String {
    format!("{code:0>GTIN_DIGITS$}")
}

/// Whether the last digit is the check digit of those before it.
fn check_digit_holds(code: &str) -> bool {
    code.chars().last().and_then(|last| last.to_digit(10)) == Some(expected_check_digit(code))
}

/// The check digit that belongs to all digits but the last one.
fn expected_check_digit(code: &str) -> u32 {
    let digits = code.chars().rev().skip(1).filter_map(|c| c.to_digit(10));
    let weighted = digits.zip([3_u32, 1].into_iter().cycle());
    let sum = weighted.fold(0_u32, |sum, (digit, weight)| sum.saturating_add(digit.saturating_mul(weight)));
    10_u32.saturating_sub(sum.rem_euclid(10)).rem_euclid(10)
}

/// Digits grouped for reading (`8991 2345 00140`, `978-0-306-40615-7`); `None` if the marks may belong to the code.
fn ungrouped(code: &str) -> Option<String> {
    let mark = |c: char| matches!(c, ' ' | '-' | '.' | ',');
    if !code.contains(mark) {
        return None;
    }
    let digits: String = code.chars().filter(|c| !mark(*c)).collect();
    let spaces_only = code.chars().all(|c| c == ' ' || !mark(c));
    let fits = matches!(digits.len(), 8 | 12..=GTIN_DIGITS);
    (is_digits(&digits) && fits && (spaces_only || check_digit_holds(&digits))).then_some(digits)
}

/// The symbology identifier in front of a scan (`]E0`: a letter and a modifier), and the rest.
fn symbology(text: &str) -> (Option<(char, char)>, &str) {
    let rest = text.strip_prefix(']').map(|rest| (rest, rest.chars()));
    if let Some((rest, mut chars)) = rest
        && let (Some(letter), Some(modifier)) = (chars.next(), chars.next())
        && letter.is_ascii_alphabetic()
        && modifier.is_ascii_alphanumeric()
        && rest.len() > 2
    {
        return (Some((letter, modifier)), rest.get(2..).unwrap_or_default());
    }
    (None, text)
}

#[cfg(test)]
mod tests;
