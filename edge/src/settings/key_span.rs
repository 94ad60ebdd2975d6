//! Places of keys in a TOML text, so that every problem names its line.

use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// One key with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySpan {
    /// `section.key`
    pub path: String,
    /// 1-based line of the key.
    pub line: usize,
    /// Bytes from the key to the end of its value.
    span: Range<usize>,
}

/// Every key of a valid text, tables before their contents.
pub fn places(text: &str) -> Vec<KeySpan> {
    let mut found = Vec::new();
    if let Ok(table) = DeTable::parse(text) {
        walk(text, table.get_ref(), "", &mut found);
    }
    found
}

fn walk(text: &str, table: &DeTable<'_>, prefix: &str, found: &mut Vec<KeySpan>) {
    for (key, value) in table {
        let path =
            if prefix.is_empty() { key.get_ref().to_string() } else { format!("{prefix}.{}", key.get_ref()) };
        let (key_span, value_span) = (key.span(), value.span());
        found.push(KeySpan {
            path: path.clone(),
            line: line_at(text, key_span.start),
            span: key_span.start..value_span.end.max(key_span.end),
        });
        if let DeValue::Table(inner) = value.get_ref() {
            walk(text, inner, &path, found);
        }
    }
}

/// The innermost key around a byte: inner tables come later in the list.
pub fn around(places: &[KeySpan], byte: usize) -> Option<&KeySpan> {
    places.iter().filter(|place| place.span.contains(&byte)).min_by_key(|place| place.span.len())
}

/// The place of a key, or of the nearest table around it that the file has.
pub fn of_key<'a>(places: &'a [KeySpan], path: &str) -> Option<&'a KeySpan> {
    places.iter().find(|place| place.path == path)
}

/// 1-based line of a byte.
pub fn line_at(text: &str, byte: usize) -> usize {
    let before = text.as_bytes().get(..byte).unwrap_or(text.as_bytes());
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn finds_lines_of_nested_and_inline_keys() {
        let text = "[http]\nlisten = \"1.2.3.4:1\"\n\n[auth]\nargon2 = { memory_kib = 1, iterations = 2 }\n";
        let places = places(text);
        assert_eq!(of_key(&places, "http.listen").unwrap().line, 2);
        assert_eq!(of_key(&places, "auth.argon2.iterations").unwrap().line, 5);
        let byte = text.find("memory_kib").unwrap();
        assert_eq!(around(&places, byte).unwrap().path, "auth.argon2.memory_kib");
    }
}
