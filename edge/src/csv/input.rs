//! CSV that comes in, as spreadsheets and suppliers write it: which character separates cells, and how figures are
//! grouped.

use ::csv::{Error, ErrorKind, Reader, ReaderBuilder, StringRecord, Terminator, Trim};
use std::io::{Cursor, Read};

/// How far the first line is looked for.
const HEADER_BYTES_MAX: usize = 64 * 1024;
/// Marks that only ever group digits.
const SPACES: [char; 4] = [' ', '\u{a0}', '\u{202f}', '\''];

/// A file's rows, and what separates their cells.
pub fn open(input: impl Read) -> (u8, Reader<impl Read>) {
    let (separator, lines, input) = separator(input);
    let mut builder = ReaderBuilder::new();
    builder.delimiter(separator).flexible(true).trim(Trim::All);
    if lines {
        // Rows are numbered as an editor numbers lines; what else ends them is trimmed like a space.
        builder.terminator(Terminator::Any(b'\n'));
    }
    (separator, builder.from_reader(input))
}

/// What separates the cells of a file, by its first line: semicolons or tabs where there are any, else commas; and
/// whether `\n` ends that line. Gives the whole input back.
fn separator(mut input: impl Read) -> (u8, bool, impl Read) {
    let mut head = Vec::new();
    let mut part = [0; 1024];
    while head.len() < HEADER_BYTES_MAX && !head.contains(&b'\n') {
        match input.read(&mut part) {
            // What can't be read is told by who reads on.
            Ok(0) | Err(_) => break,
            Ok(read) => head.extend_from_slice(part.get(..read).unwrap_or_default()),
        }
    }
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let found = [b';', b'\t'].into_iter().find(|separator| line.contains(separator));
    (found.unwrap_or(b','), head.contains(&b'\n'), Cursor::new(head).chain(input))
}

/// The names of a file's columns, lower-cased. Spreadsheets end lines with separators: a column at the end that has no
/// name is none.
pub fn columns(header: &StringRecord) -> Vec<String> {
    let mut names: Vec<String> = header.iter().map(str::to_ascii_lowercase).collect();
    while names.last().is_some_and(String::is_empty) {
        names.pop();
    }
    names
}

/// Passes a code as it was written; spreadsheets shorten long figures to `8.99E+12`, and the digits are lost.
///
/// # Errors
/// What is wrong, for a person.
pub fn whole_code(name: &str, code: &str) -> Result<(), String> {
    let digits =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
    let parts = code.split_once("E+").or_else(|| code.split_once("e+"));
    if !parts.is_some_and(|(figure, exponent)| digits(figure) && digits(exponent)) {
        return Ok(());
    }
    Err(format!(
        "{name} \"{code}\" was shortened by a spreadsheet: format the column as text, and enter it again"
    ))
}

/// Whether a row holds something: spreadsheets leave rows of nothing but separators behind.
pub fn is_blank(row: &StringRecord) -> bool {
    row.iter().all(str::is_empty)
}

/// Passes a row whose cells are those of the header's `width` columns; what follows them has to be empty.
///
/// # Errors
/// What is wrong, for a person.
pub fn fits(row: &StringRecord, width: usize) -> Result<(), String> {
    if row.len() >= width && row.iter().skip(width).all(str::is_empty) {
        return Ok(());
    }
    Err(format!(
        "has {} cells, the header has {width}: put text with a separator in it into quotes",
        row.len()
    ))
}

/// What is said of text in another encoding, and what to do.
pub const NOT_UTF8: &str = "is not UTF-8: save the file as \"CSV UTF-8\"";

/// Why a file can't be read on, for a person.
pub fn unreadable(error: &Error) -> String {
    match error.kind() {
        ErrorKind::Utf8 { .. } => NOT_UTF8.to_owned(),
        _ => error.to_string(),
    }
}

/// Why a text is no figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoFigure {
    /// It is none, or its digits are grouped otherwise than by threes.
    Malformed,
    /// It has a part that is no whole unit.
    Fraction,
    /// It may be grouped or have a fraction: both are named.
    Ambiguous(String, String),
}

/// A whole figure, plain or with grouped digits: `1234`, `1.234.567`, `1,234.00`, `1.234,00`, `1 234`.
///
/// Of two marks the last one begins the fraction, which has to be zero. One mark alone begins it too, unless three
/// digits follow: then it groups, if it is the one that a file so separated groups with (a point where semicolons
/// separate cells, a comma where commas do); any other may mean either and is refused.
///
/// # Errors
/// What is no whole figure, or may be two.
pub fn whole(text: &str, separator: u8) -> Result<i64, NoFigure> {
    let text = text.trim();
    let (sign, unsigned) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let marks: Vec<char> = unsigned.chars().filter(|c| !c.is_ascii_digit()).collect();
    let Some(last) = marks.last().copied() else { return parsed(sign, unsigned) };
    if !marks.iter().all(|mark| matches!(mark, '.' | ',') || SPACES.contains(mark)) {
        return Err(NoFigure::Malformed);
    }
    let others: Vec<char> = marks.iter().copied().filter(|mark| *mark != last).collect();
    let alone = marks.len() == 1 && !SPACES.contains(&last);
    let (whole, fraction) = unsigned.rsplit_once(last).ok_or(NoFigure::Malformed)?;
    if !others.is_empty() {
        // Two marks: the last one stands once.
        let group = others.first().copied().unwrap_or_default();
        let known = others.iter().all(|mark| *mark == group) && others.len().saturating_add(1) == marks.len();
        let decimal = matches!(last, '.' | ',');
        return if known && decimal {
            fractioned(sign, &ungrouped(whole, group)?, fraction)
        } else {
            Err(NoFigure::Malformed)
        };
    }
    let groups = ungrouped(unsigned, last);
    if !alone {
        return parsed(sign, &groups?);
    }
    let Ok(grouped) = groups else { return fractioned(sign, whole, fraction) };
    match (separator, last) {
        (b';', '.') | (b',', ',') => parsed(sign, &grouped),
        _ => Err(NoFigure::Ambiguous(format!("{sign}{grouped}"), format!("{sign}{whole}.{fraction}"))),
    }
}

/// The digits without the marks between groups of three.
fn ungrouped(text: &str, group: char) -> Result<String, NoFigure> {
    let mut groups = text.split(group);
    let first = groups.next().unwrap_or_default();
    let fits = (1..=3).contains(&first.len()) && first != "0" && groups.all(|three| three.len() == 3);
    if fits { Ok(text.chars().filter(|c| *c != group).collect()) } else { Err(NoFigure::Malformed) }
}

fn fractioned(sign: &str, whole: &str, fraction: &str) -> Result<i64, NoFigure> {
    if fraction.is_empty() || !fraction.chars().all(|c| c.is_ascii_digit()) {
        return Err(NoFigure::Malformed);
    }
    let value = parsed(sign, whole)?;
    if fraction.chars().all(|c| c == '0') { Ok(value) } else { Err(NoFigure::Fraction) }
}

fn parsed(sign: &str, digits: &str) -> Result<i64, NoFigure> {
    if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_digit()) {
        return Err(NoFigure::Malformed);
    }
    format!("{sign}{digits}").parse().map_err(|_| NoFigure::Malformed)
}

/// What is wrong with the figure of a cell, for a person.
pub fn complaint(name: &str, shown: &str, why: &NoFigure, wanted: &str) -> String {
    match why {
        NoFigure::Malformed => format!("{name} \"{shown}\" is not a whole number{wanted}"),
        NoFigure::Fraction => {
            format!(
                "{name} \"{shown}\" is not a whole number{wanted}: amounts are whole units, without a fraction"
            )
        }
        NoFigure::Ambiguous(one, other) => {
            format!("{name} \"{shown}\" may be {one} or {other}: write it without separators")
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn the_first_line_says_what_separates() {
        for (text, expected) in [
            ("sku,name\na;b,c\n", b','),
            ("sku;name\na,b;c\n", b';'),
            ("sku\tname\n", b'\t'),
            ("\u{feff}sku;name", b';'),
            ("", b','),
        ] {
            let (found, _, mut rest) = separator(text.as_bytes());
            let mut whole = String::new();
            rest.read_to_string(&mut whole).unwrap();
            assert_eq!((found, whole.as_str()), (expected, text));
        }
    }

    #[test]
    fn lines_are_counted_as_an_editor_does() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["a;b", "1;\"x\"", "2;\"y\"", ";", "3;z", ""].join(end);
            let (_, mut reader) = open(text.as_bytes());
            let rows: Vec<StringRecord> = reader.records().map(Result::unwrap).collect();
            let rows: Vec<&StringRecord> = rows.iter().filter(|row| !is_blank(row)).collect();
            let seen: Vec<_> = rows.iter().map(|row| (row.get(0).unwrap(), row.get(1).unwrap())).collect();
            assert_eq!(seen, [("1", "x"), ("2", "y"), ("3", "z")], "{end:?}");
            let lines: Vec<u64> = rows.iter().map(|row| row.position().unwrap().line()).collect();
            assert!(end == "\r" || lines == [2, 3, 5], "{end:?} {lines:?}");
        }
    }

    #[test]
    fn separators_at_the_end_of_lines_are_no_cells() {
        let record = |cells: &[&str]| StringRecord::from(cells.to_vec());
        assert_eq!(columns(&record(&["SKU", "", "name", "", ""])), ["sku", "", "name"]);
        assert!(is_blank(&record(&["", "", ""])) && !is_blank(&record(&["", "0"])));
        assert_eq!(fits(&record(&["A", "B", "", ""]), 2), Ok(()));
        for cells in [&["A"][..], &["A", "B", "", "C"]] {
            let why = fits(&record(cells), 2).unwrap_err();
            assert!(why.starts_with(&format!("has {} cells, the header has 2", cells.len())), "{why}");
        }
    }

    #[test]
    fn grouped_figures_are_read_by_one_rule() {
        for (text, separator, expected) in [
            ("1234", b',', 1_234),
            ("-12", b',', -12),
            ("1.234,00", b',', 1_234),
            ("1,234.00", b';', 1_234),
            ("1.234.567", b',', 1_234_567),
            ("1,234,567", b';', 1_234_567),
            ("12.345.678,0", b';', 12_345_678),
            ("1 234 567", b',', 1_234_567),
            ("1\u{a0}234,00", b';', 1_234),
            ("1'234", b',', 1_234),
            ("15.000", b';', 15_000),
            ("15,000", b',', 15_000),
            ("15.00", b',', 15),
            ("15,0", b';', 15),
            ("1234,00", b';', 1_234),
            ("1234.000", b',', 1_234),
        ] {
            assert_eq!(whole(text, separator), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_may_be_two_figures_is_refused() {
        for (text, separator) in [("1.234", b','), ("1,234", b';'), ("1.234", b'\t')] {
            assert!(
                matches!(whole(text, separator), Err(NoFigure::Ambiguous(one, _)) if one == "1234"),
                "{text}"
            );
        }
        for text in ["12.50", "1.234,50", "1,234.50", "0.234", "0,5"] {
            assert_eq!(whole(text, b','), Err(NoFigure::Fraction), "{text}");
        }
        for text in [
            "",
            "-",
            "abc",
            "1.23.456",
            "1,234,56",
            "1.234.",
            ".5",
            "1,2,3",
            "1.234,567.8",
            "1;2",
            "+5",
            "9223372036854775808",
            "1 23",
            "--1",
            "1x0",
            "1x234,0",
        ] {
            assert_eq!(whole(text, b','), Err(NoFigure::Malformed), "{text}");
        }
    }
}
