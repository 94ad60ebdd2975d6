//! CSV that leaves: RFC 4180, safe to open in a spreadsheet.

use http::{HeaderMap, header::ACCEPT};

/// What such an answer says it is.
pub const CONTENT_TYPE: &str = "text/csv; charset=utf-8";

/// One cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell<'a> {
    /// Text of whatever origin.
    Text(&'a str),
    /// A figure.
    Number(i64),
    /// Nothing.
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

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(cell: Option<T>) -> Self {
        cell.map_or(Self::Empty, Into::into)
    }
}

/// Appends a line.
pub fn line<'a>(out: &mut String, cells: impl IntoIterator<Item = Cell<'a>>) {
    for (place, cell) in cells.into_iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        match cell {
            Cell::Text(text) => push_text(out, text),
            Cell::Number(number) => out.push_str(&number.to_string()),
            Cell::Empty => {}
        }
    }
    out.push_str("\r\n");
}

/// Quoted where needed; text that a spreadsheet would run as a formula is made text.
fn push_text(out: &mut String, text: &str) {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let quoted = text.contains(['"', ',', '\n', '\r']);
    if quoted {
        out.push('"');
    }
    if formula {
        out.push('\'');
    }
    if quoted {
        out.push_str(&text.replace('"', "\"\""))
    } else {
        out.push_str(text)
    }
    if quoted {
        out.push('"');
    }
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
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use http::HeaderValue;

    #[test]
    fn cells_are_quoted_and_defused() {
        let mut out = String::new();
        line(
            &mut out,
            ["=1+1".into(), "a\"b,c".into(), Cell::from(-5), Cell::from(None::<i64>), "-x,".into()],
        );
        assert_eq!(out, "'=1+1,\"a\"\"b,c\",-5,,\"'-x,\"\r\n");
    }

    #[test]
    fn csv_is_given_to_whoever_asks_for_it_first() {
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
