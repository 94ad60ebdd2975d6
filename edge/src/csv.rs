//! CSV output: RFC 4180, safe to open in a spreadsheet; [`crate::sheet`] reads input.

use domain::model::base::currency::Currency;
use domain::model::base::figures::{Money, Quantity};
use http::{HeaderMap, header::ACCEPT};
use schemars::JsonSchema;
use serde::Deserialize;

/// Content type of a CSV answer.
pub const CONTENT_TYPE: &str = "text/csv; charset=utf-8";

/// A cell of a CSV file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell<'a> {
    /// Text of any origin.
    Text(&'a str),
    /// A whole number.
    Number(i64),
    /// An amount, written with the decimals of the table's currency.
    Amount(Money),
    /// An empty cell.
    Empty,
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Cell<'_> {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<Money> for Cell<'_> {
    fn from(amount: Money) -> Self {
        Self::Amount(amount)
    }
}

impl From<Quantity> for Cell<'_> {
    fn from(pieces: Quantity) -> Self {
        Self::Number(pieces.get())
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(cell: Option<T>) -> Self {
        cell.map_or(Self::Empty, Into::into)
    }
}

/// Delimiter of the cells of a line. Spreadsheets expect a semicolon where a comma begins a fraction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Separator {
    /// Comma (`,`).
    #[default]
    #[serde(rename = ",")]
    Comma,
    /// Semicolon (`;`).
    #[serde(rename = ";")]
    Semicolon,
    /// Tab character.
    #[serde(rename = "tab")]
    Tab,
}

impl Separator {
    fn mark(self) -> char {
        match self {
            Self::Comma => ',',
            Self::Semicolon => ';',
            Self::Tab => '\t',
        }
    }

    /// A plain decimal as the spreadsheets read it that expect this separator.
    fn decimal(self, text: &str) -> String {
        if self == Self::Semicolon { text.replace('.', ",") } else { text.to_owned() }
    }
}

/// Marks a file as UTF-8 for spreadsheets.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A table, line by line.
#[derive(Debug)]
pub struct Table {
    text: String,
    separator: Separator,
    currency: Currency,
}

impl Table {
    /// A table with its header.
    pub fn new<'a>(
        separator: Separator,
        currency: Currency,
        columns: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut table = Self::for_programs(separator, currency, columns);
        table.text.insert_str(0, BYTE_ORDER_MARK);
        table
    }

    /// A table that a program imports: without the mark that tells a spreadsheet that the text is UTF-8.
    pub fn for_programs<'a>(
        separator: Separator,
        currency: Currency,
        columns: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut table = Self { text: String::new(), separator, currency };
        table.line(columns.into_iter().map(Cell::Text));
        table
    }

    /// Appends a line of cells.
    pub fn line<'a>(&mut self, cells: impl IntoIterator<Item = Cell<'a>>) {
        for (place, cell) in cells.into_iter().enumerate() {
            if place > 0 {
                self.text.push(self.separator.mark());
            }
            match cell {
                Cell::Text(text) => push_text(&mut self.text, text),
                Cell::Number(number) => self.text.push_str(&number.to_string()),
                Cell::Amount(amount) => {
                    self.text.push_str(&self.separator.decimal(&self.currency.decimal(amount)));
                }
                Cell::Empty => {}
            }
        }
        self.text.push_str("\r\n");
    }

    /// The whole file as text.
    pub fn finish(self) -> String {
        self.text
    }
}

/// Characters that a spreadsheet takes for the beginning of a formula; the last four are the full-width forms of the
/// first.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
/// Characters that begin a new cell or line for some readers of CSV, whatever quotes surround them. With a decimal
/// comma, cells are separated by `;`, and quotes protect only a cell whose beginning the reader recognises.
const BEGINS_CELL: [char; 4] = [';', '\t', '\n', '\r'];
/// Makes the rest of a cell text.
const TEXT_MARK: char = '\'';

/// Quoted where needed; text that a spreadsheet would run as a formula is made text.
fn push_text(out: &mut String, text: &str) {
    let quoted = text.contains(['"', ',', ';', '\t', '\n', '\r']);
    if quoted {
        out.push('"');
    }
    let mut begins = true;
    for (at, c) in text.char_indices() {
        if begins && is_formula(text.get(at..).unwrap_or_default()) {
            out.push(TEXT_MARK);
        }
        begins = BEGINS_CELL.contains(&c);
        if c == '"' {
            out.push('"');
        }
        out.push(c);
    }
    if quoted {
        out.push('"');
    }
}

/// Whether a cell with this beginning is a formula once spaces, quotes and marks before it are removed.
fn is_formula(rest: &str) -> bool {
    rest.trim_start_matches([' ', '"', TEXT_MARK]).starts_with(FORMULA)
}

/// The text of a cell that [`Table::line`] wrote, without its marks: imports accept the cells of reports.
pub fn unmarked(cell: &str) -> String {
    let mut text = String::with_capacity(cell.len());
    let mut begins = true;
    for (at, c) in cell.char_indices() {
        if begins && c == TEXT_MARK && is_formula(cell.get(at..).unwrap_or_default()) {
            begins = false;
            continue;
        }
        begins = BEGINS_CELL.contains(&c);
        text.push(c);
    }
    text
}

/// Whether `Accept` names CSV, and before JSON.
pub fn wanted(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let place = |name: &str| accept.split(',').position(|range| range.trim().starts_with(name));
    match (place("text/csv"), place("application/json")) {
        (Some(csv), Some(json)) => csv < json,
        (csv, _) => csv.is_some(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;
    use http::HeaderValue;

    #[test]
    fn cells_are_quoted_and_defused() {
        let cells = ["=1+1".into(), "a\"b,c".into(), Cell::from(-5), Cell::from(None::<i64>), "-x,".into()];
        let of = |separator| {
            let mut table = Table::new(separator, Currency::RUPIAH, ["sku", "name"]);
            table.line(cells);
            table.finish()
        };
        let expected = "\u{feff}sku,name\r\n'=1+1,\"a\"\"b,c\",-5,,\"'-x,\"\r\n";
        assert_eq!(of(Separator::Comma), expected);
        let expected = "\u{feff}sku;name\r\n'=1+1;\"a\"\"b,c\";-5;;\"'-x,\"\r\n";
        assert_eq!(of(Separator::Semicolon), expected);
    }

    #[test]
    fn amounts_have_the_decimals_of_the_currency() {
        for (code, separator, expected) in [
            ("IDR", Separator::Comma, "1250,1250,-5\r\n"),
            ("EUR", Separator::Comma, "12.50,1250,-0.05\r\n"),
            ("EUR", Separator::Semicolon, "12,50;1250;-0,05\r\n"),
            ("KWD", Separator::Tab, "1.250\t1250\t-0.005\r\n"),
        ] {
            let mut table = Table::new(separator, Currency::of(code).unwrap(), []);
            table.line([Money::new(1_250).into(), Quantity::new(1_250).into(), Money::new(-5).into()]);
            let text = table.finish();
            assert_eq!(text.lines().nth(1), expected.lines().next(), "{code}: {text}");
        }
    }

    /// A cell of any text stays one cell, and no formula, whichever separator the reader splits by.
    #[test]
    fn no_text_leaves_its_cell_under_either_separator() {
        let texts = [
            "tea;=HYPERLINK(\"http://x\")",
            ";=1+1",
            "a;b",
            "a\t=1",
            "=1;2",
            " =1+1",
            "\n=1",
            "＝1",
            "@SUM(A1)",
            "+1",
            "-1",
            "plain",
            "it's",
            "'=1",
            "a;''=1",
            "tea; \"=1\"",
            "a\"b",
            "\"",
            "x\r\n=1;=2",
        ];
        for text in texts {
            let mut table =
                Table { text: String::new(), separator: Separator::Comma, currency: Currency::RUPIAH };
            table.line(["first".into(), text.into(), 7.into()]);
            let out = table.finish();
            let comma = cells(&out, b',');
            let cell = &comma[1];
            assert_eq!(
                (comma.len(), comma[0].as_str(), comma[2].as_str()),
                (3, "first", "7"),
                "{text:?}: {out:?}"
            );
            assert_eq!(unmarked(cell), text, "{out:?}");
            assert!(!cell.trim_start_matches(' ').starts_with(FORMULA), "{text:?}: {cell:?}");
            for cell in cells(&out, b';') {
                assert!(!cell.trim_start_matches(' ').starts_with(FORMULA), "{text:?}: {cell:?}");
            }
        }
    }

    fn cells(line: &str, separator: u8) -> Vec<String> {
        let mut reader =
            ::csv::ReaderBuilder::new().has_headers(false).delimiter(separator).from_reader(line.as_bytes());
        let record = reader.records().next().unwrap().unwrap();
        record.iter().map(str::to_owned).collect()
    }

    #[test]
    fn csv_is_given_if_it_is_accepted_first() {
        for (accept, csv) in [
            ("text/csv", true),
            ("text/csv;q=0.9, */*", true),
            ("text/csv, application/json", true),
            ("application/json, text/csv", false),
            ("*/*", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_str(accept).unwrap());
            assert_eq!(wanted(&headers), csv, "{accept}");
        }
    }
}
