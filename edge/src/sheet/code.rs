//! Codes in cells, repaired where it is certain what a spreadsheet did to them, else refused: nothing is kept that no scanner
//! can send.

use domain::model::base::limits::{BARCODE_BYTES_MAX, SKU_BYTES_MAX};
use domain::model::base::text::{composed, plain, undressed};
use domain::model::inventory::barcode;

/// A sku; none where the cell is empty.
///
/// # Errors
/// What is wrong, for a person.
pub fn sku(name: &str, cell: &str) -> Result<Option<String>, String> {
    let code = repaired(name, cell)?;
    if code.len() > SKU_BYTES_MAX {
        return Err(format!("{name} is longer than {SKU_BYTES_MAX} bytes"));
    }
    Ok(Some(code).filter(|code| !code.is_empty()))
}

/// A barcode; none where the cell is empty.
///
/// # Errors
/// What is wrong, for a person.
pub fn barcode(name: &str, cell: &str) -> Result<Option<String>, String> {
    let code = barcode::scanned(&repaired(name, cell)?);
    if code.is_empty() || barcode::can_be_scanned(&code) {
        return Ok(Some(code).filter(|code| !code.is_empty()));
    }
    if code.len() > BARCODE_BYTES_MAX {
        return Err(format!("{name} is longer than {BARCODE_BYTES_MAX} bytes"));
    }
    Err(format!("{name} \"{code}\" has a character that scanners don't send"))
}

/// A code without what spreadsheets put around and into it.
fn repaired(name: &str, cell: &str) -> Result<String, String> {
    let text = plain(undressed(cell));
    let text = composed(text.trim());
    if text.chars().any(char::is_control) {
        return Err(format!("{name} contains control characters"));
    }
    if is_shortened(&text) {
        let shown: String = text.chars().take(BARCODE_BYTES_MAX).collect();
        return Err(format!(
            "{name} \"{shown}\" was shortened by a spreadsheet: format the column as text, and enter it again"
        ));
    }
    Ok(without_fraction(&text).to_owned())
}

/// Whether a spreadsheet made it `8.99E+12`: the digits are lost.
fn is_shortened(code: &str) -> bool {
    let Some((figure, exponent)) = code.split_once(['E', 'e']) else { return false };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = figure.split_once(['.', ',']).unwrap_or((figure, ""));
    let power = exponent.strip_prefix('+').unwrap_or(exponent);
    let signed = power.len() < exponent.len();
    digits(whole) && digits(power) && (digits(fraction) || (fraction.is_empty() && signed))
}

/// `8991234500133.0` is a code that a spreadsheet kept as a figure.
fn without_fraction(code: &str) -> &str {
    let Some((whole, fraction)) = code.split_once(['.', ',']) else { return code };
    let all = |text: &str, is: fn(&u8) -> bool| !text.is_empty() && text.as_bytes().iter().all(is);
    let is_figure =
        all(whole, u8::is_ascii_digit) && all(fraction, |byte| *byte == b'0') && fraction.len() <= 2;
    if is_figure { whole } else { code }
}

#[cfg(test)]
mod tests {
    use super::{barcode, sku};

    #[test]
    fn what_a_spreadsheet_did_to_a_code_is_undone() {
        for (cell, code) in [
            ("=\"8991234500119\"", "8991234500119"),
            ("'8991234500126", "8991234500126"),
            ("8991234500133.0", "8991234500133"),
            ("8991234500133,00", "8991234500133"),
            ("8991 2345 00140", "8991234500140"),
            ("8991234500157\u{a0}", "8991234500157"),
            ("\u{200b}8991234500171", "8991234500171"),
            ("\u{ff18}991234500171", "8991234500171"),
            ("(01)18991234500185", "18991234500185"),
            ("AB-12/3", "AB-12/3"),
            ("8991234500165", "8991234500165"),
            ("-", "-"),
        ] {
            assert_eq!(barcode("barcode", cell), Ok(Some(code.to_owned())), "{cell}");
        }
        for (cell, code) in [
            ("'012", "012"),
            ("=\"013\"", "013"),
            ("12.0", "12"),
            ("A 1", "A 1"),
            ("8E12", "8E12"),
            ("ชา", "ชา"),
        ] {
            assert_eq!(sku("sku", cell), Ok(Some(code.to_owned())), "{cell}");
        }
        assert_eq!((sku("sku", " "), barcode("barcode", "\u{200b}")), (Ok(None), Ok(None)));
    }

    #[test]
    fn what_can_not_be_undone_is_refused() {
        for cell in ["8.99E+12", "8,99E+12", "8.99123451E+12", "9E+12", "8.99e12", "899\u{e9}", "a\u{7}b"] {
            assert!(barcode("barcode", cell).is_err(), "{cell}");
        }
        assert!(sku("sku", "8.99E+12").is_err() && sku("sku", &"x".repeat(65)).is_err());
        assert!(barcode("barcode", &"1".repeat(65)).is_err());
    }
}
