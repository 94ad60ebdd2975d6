//! A cell without the characters that spreadsheets and pages put around its text.

/// Texts of a cell without a figure or text: a dash is how accountants write nothing.
const NOTHING: [&str; 13] = [
    "", "-", "--", "\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}", "\u{2014}", "\u{2212}", "n/a", "null",
    "nil", "nihil",
];

/// Invisible characters: marks of text direction, joiners, and byte order marks.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\0')
}

/// The text of a cell without outer spaces, invisible characters, the apostrophe with which spreadsheets mark text, and
/// the formula `="…"` that they write for the same purpose.
pub fn plain(cell: &str) -> &str {
    let outer = |c: char| c.is_whitespace() || is_invisible(c);
    let text = cell.trim_matches(outer);
    let formula = text.strip_prefix("=\"").and_then(|text| text.strip_suffix('"'));
    let text = formula.unwrap_or(text);
    text.strip_prefix('\'').unwrap_or(text).trim_matches(outer)
}

/// Whether a cell is a spelling of nothing.
pub fn is_nothing(cell: &str) -> bool {
    let text = plain(cell);
    NOTHING.iter().any(|word| word.eq_ignore_ascii_case(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_spreadsheets_put_around_a_text_are_removed() {
        for (cell, text) in [
            ("  tea ", "tea"),
            ("'012", "012"),
            ("=\"8991234500119\"", "8991234500119"),
            ("\u{200b}8991\u{a0}", "8991"),
            ("\u{feff}date", "date"),
            ("it's", "it's"),
            ("=1+1", "=1+1"),
            ("\"", "\""),
        ] {
            assert_eq!(plain(cell), text, "{cell:?}");
        }
        assert!(is_nothing(" \u{2013} ") && is_nothing("") && !is_nothing("0"));
    }
}
