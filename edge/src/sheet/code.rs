//! Codes in cells, repaired if the spreadsheet's change is certain, else refused: no code is stored that no scanner can
//! send.

use domain::model::base::limits::{BARCODE_BYTES_MAX, SKU_BYTES_MAX};
use domain::model::base::text::{composed, plain, undressed};
use domain::model::inventory::barcode;

/// Texts of a cell for a product without a barcode.
const NO_BARCODE: [&str; 11] = [
    "n/a",
    "#n/a",
    "na",
    "none",
    "null",
    "nil",
    "no barcode",
    "tidak ada",
    "tanpa barcode",
    "--",
    "\u{2013}",
];
/// Names of codes that may precede them.
const LABELS: [&str; 6] = ["ean13", "ean8", "ean", "upc", "gtin", "barcode"];
/// Texts that a spreadsheet shows for a failed formula.
const FORMULA_ERRORS: [&str; 7] = ["#n/a", "#ref!", "#value!", "#name?", "#div/0!", "#null!", "#num!"];
/// Fewest digits of a code that is one by itself.
const OWN_DIGITS_MIN: usize = 8;

/// A sku; `None` if the cell is empty.
///
/// # Errors
/// The problem, for a person.
pub fn sku(name: &str, cell: &str) -> Result<Option<String>, String> {
    let code = repaired(name, cell)?;
    refuse_formula_errors(name, &code)?;
    if code.len() > SKU_BYTES_MAX {
        return Err(format!("{name} is longer than {SKU_BYTES_MAX} bytes"));
    }
    Ok(Some(code).filter(|code| !code.is_empty()))
}

/// A barcode; `None` if the cell is empty.
///
/// # Errors
/// The problem, for a person.
pub fn barcode(name: &str, cell: &str) -> Result<Option<String>, String> {
    let code = repaired(name, cell)?;
    let is_zero = !code.is_empty() && code.bytes().all(|byte| byte == b'0');
    if is_zero || NO_BARCODE.iter().any(|word| word.eq_ignore_ascii_case(&code)) {
        return Ok(None);
    }
    refuse_formula_errors(name, &code)?;
    if has_several(&code) {
        return Err(format!(
            "{name} has several codes: give one of them here, and import a file with each of the others, whose codes are \
             added"
        ));
    }
    let code = barcode::scanned(unlabelled(&code));
    if code.is_empty() || barcode::can_be_scanned(&code) {
        return Ok(Some(code).filter(|code| !code.is_empty()));
    }
    if code.len() > BARCODE_BYTES_MAX {
        return Err(format!("{name} is longer than {BARCODE_BYTES_MAX} bytes"));
    }
    Err(format!("{name} \"{code}\" has a character that scanners don't send"))
}

fn refuse_formula_errors(name: &str, code: &str) -> Result<(), String> {
    if FORMULA_ERRORS.iter().any(|error| error.eq_ignore_ascii_case(code)) {
        return Err(format!("{name} \"{code}\" is a formula that failed: enter the code itself"));
    }
    Ok(())
}

/// Whether a cell has two codes or more, each with the digits of one.
fn has_several(text: &str) -> bool {
    let parts = || {
        let parts = text.split(|c: char| matches!(c, ',' | ';' | '/' | '|' | '&') || c.is_whitespace());
        parts.filter(|part| !part.is_empty())
    };
    let is_code = |part: &str| part.len() >= OWN_DIGITS_MIN && part.bytes().all(|byte| byte.is_ascii_digit());
    parts().all(is_code) && parts().count() > 1
}

/// The digits of `*8991234500256*` and `EAN: 8991234500232`; any other code as it is.
fn unlabelled(text: &str) -> &str {
    let starred = text.strip_prefix('*').and_then(|rest| rest.strip_suffix('*'));
    let mut code = starred.unwrap_or(text).trim();
    let labelled = code.trim_start_matches('(');
    for label in LABELS {
        let (Some(start), Some(rest)) = (labelled.get(..label.len()), labelled.get(label.len()..)) else {
            continue;
        };
        if start.eq_ignore_ascii_case(label) {
            code = rest
                .trim_start_matches(|c: char| matches!(c, ')' | ':' | '-' | '.' | '#') || c.is_whitespace());
            break;
        }
    }
    let plain = !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ');
    if plain { code } else { text }
}

/// A code without the changes of spreadsheets.
fn repaired(name: &str, cell: &str) -> Result<String, String> {
    let text = plain(undressed(cell));
    let text = composed(text.trim());
    // A broken line is a space.
    let text = text.replace(['\n', '\t'], " ");
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
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::{barcode, sku};

    #[test]
    fn changes_that_a_spreadsheet_made_to_a_code_are_undone() {
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
    fn words_and_marks_around_a_barcode_are_no_part_of_it() {
        for (cell, code) in [
            ("*8991234500256*", "8991234500256"),
            ("EAN 8991234500232", "8991234500232"),
            ("(EAN) 8991234500232", "8991234500232"),
            ("ean13: 8991234500232", "8991234500232"),
            ("EAN-TEA", "EAN-TEA"),
            ("*A*", "*A*"),
        ] {
            assert_eq!(barcode("barcode", cell), Ok(Some(code.to_owned())), "{cell}");
        }
        for cell in ["N/A", "none", "0", "tidak ada", "#N/A", "null", "0000000000000"] {
            assert_eq!(barcode("barcode", cell), Ok(None), "{cell}");
        }
        for cell in [
            "8991234500133,8991234500140",
            "8991234500157;8991234500171",
            "8991234500188/8991234500195",
            "8991234500201 8991234500218",
            "8991234500201\n8991234500218",
        ] {
            let problem = barcode("barcode", cell).unwrap_err();
            assert!(problem.contains("has several codes"), "{cell} {problem}");
        }
        assert!(barcode("barcode", "#REF!").is_err());
        for cell in ["#N/A", "#REF!", "#name?"] {
            assert!(sku("sku", cell).unwrap_err().contains("a formula that failed"), "{cell}");
        }
    }

    #[test]
    fn damaged_codes_that_can_not_be_restored_are_refused() {
        for cell in ["8.99E+12", "8,99E+12", "8.99123451E+12", "9E+12", "8.99e12", "899\u{e9}", "a\u{7}b"] {
            assert!(barcode("barcode", cell).is_err(), "{cell}");
        }
        assert!(sku("sku", "8.99E+12").is_err() && sku("sku", &"x".repeat(65)).is_err());
        assert!(barcode("barcode", &"1".repeat(65)).is_err());
    }
}
