//! Text that people, scanners and other programs write, in one spelling.

use std::borrow::Cow;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// The text with its letters composed (Unicode NFC), so that equal names are equal whichever keyboard wrote them.
pub fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfc().collect())
    }
}

/// Whether a character is invisible: marks of direction, joiners and byte order marks, which other programs leave in
/// pasted text.
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{206f}'
            | '\u{feff}'
    )
}

/// Whether a text shows nothing: it is empty, or has only spaces and invisible characters.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_invisible(c))
}

/// A code or a number as a keyboard without special characters writes it: without invisible marks, with plain digits,
/// spaces and hyphens for full-width, no-break and typographic ones.
pub fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let visible = text.chars().filter(|c| !is_invisible(*c)).nfkc();
    Cow::Owned(
        visible
            .map(|c| match c {
                '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
                c if c.is_whitespace() && !c.is_ascii() => ' ',
                c => c,
            })
            .collect(),
    )
}

/// A text without the marks that spreadsheets put around it to keep its digits: `="0123"` and `'0123` become `0123`.
pub fn undressed(cell: &str) -> &str {
    let cell = cell.trim_matches(|c: char| c.is_whitespace() || is_invisible(c));
    let formula = cell.strip_prefix("=\"").and_then(|rest| rest.strip_suffix('"'));
    let text = formula.filter(|text| !text.contains('"')).unwrap_or(cell);
    text.trim_start_matches('\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decomposed_letters_are_composed() {
        assert_eq!(composed("bru\u{302}le\u{301}e"), "br\u{fb}l\u{e9}e");
        assert_eq!(composed("plain"), "plain");
    }

    #[test]
    fn a_blank_text_shows_nothing() {
        for (text, blank) in
            [("", true), (" \u{a0}", true), ("\u{200b}\u{feff} ", true), ("a\u{200b}", false)]
        {
            assert_eq!(is_blank(text), blank, "{text:?}");
        }
    }

    #[test]
    fn marks_of_other_programs_go() {
        for (text, expected) in [
            ("\u{202a}+62 812\u{2011}34\u{202c}", "+62 812-34"),
            ("\u{ff0b}\u{ff16}\u{ff12}\u{a0}8", "+62 8"),
            ("\u{feff}12\u{200b}3", "123"),
            ("a\u{1d}b", "a\u{1d}b"),
        ] {
            assert_eq!(plain(text), expected);
        }
        for (cell, expected) in [
            ("=\"012\"", "012"),
            ("'012", "012"),
            ("''012 ", "012"),
            ("=\"a\"\"b\"", "=\"a\"\"b\""),
            ("=1+1", "=1+1"),
            ("\u{200b} 012\u{a0}", "012"),
            ("", ""),
        ] {
            assert_eq!(undressed(cell), expected, "{cell}");
        }
    }
}
