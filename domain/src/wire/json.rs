//! JSON from outside, checked as a whole before it is read as a type.
//!
//! A key that occurs twice in one object has two meanings: serde takes the last one where it fills a map, and
//! refuses it where it fills a struct; another reader may take the first. U+0000 is valid JSON and no name,
//! number or note; PostgreSQL takes no text that has one. Both are refused here, at any depth, so that no reader
//! behind has to look again.

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

/// Most characters of a key that a complaint shows.
const SHOWN_CHARS_MAX: usize = 64;

/// Reason why a text is not taken.
#[derive(Debug, thiserror::Error)]
pub enum Unsound {
    /// It is no JSON.
    #[error("{0}")]
    Syntax(serde_json::Error),
    /// A key occurs twice in one object.
    #[error("the key {key:?} appears twice in the object at {path}")]
    RepeatedKey {
        /// Path of the object: `.` for the whole.
        path: String,
        key: String,
    },
    /// A text or a key holds U+0000.
    #[error("the text at {path} contains a NUL (U+0000)")]
    Nul {
        /// Path of the field: `items[0].name`.
        path: String,
    },
}

/// Checks that `text` is one JSON value, without repeated keys and without U+0000.
///
/// # Errors
/// [`Unsound`]: the first that is wrong; syntax goes before the rest, wherever it is wrong.
pub fn check(text: &[u8]) -> Result<(), Unsound> {
    checked(text, NulIn::Nothing)
}

/// As [`check`], but the texts under `key` may hold U+0000: they are kept as they came and read by rules of their
/// own, as the records of a push are.
///
/// # Errors
/// The errors of [`check`].
pub fn check_but(text: &[u8], key: &str) -> Result<(), Unsound> {
    checked(text, NulIn::TextsUnder(key))
}

/// As [`check`], but any text may hold U+0000.
///
/// # Errors
/// [`Unsound::Syntax`], [`Unsound::RepeatedKey`].
pub fn check_keys(text: &[u8]) -> Result<(), Unsound> {
    checked(text, NulIn::AnyText)
}

/// Places in which U+0000 may stand.
enum NulIn<'a> {
    Nothing,
    TextsUnder(&'a str),
    AnyText,
}

fn checked(text: &[u8], nul_in: NulIn<'_>) -> Result<(), Unsound> {
    let found = RefCell::new(Found { nul_in, path: Vec::new(), first: None });
    let mut reader = serde_json::Deserializer::from_slice(text);
    let any = Any { found: &found };
    any.deserialize(&mut reader).and_then(|()| reader.end()).map_err(Unsound::Syntax)?;
    found.into_inner().first.map_or(Ok(()), Err)
}

/// Position of the reader, and the first problem.
struct Found<'a, 'de> {
    nul_in: NulIn<'a>,
    path: Vec<Step<'de>>,
    first: Option<Unsound>,
}

enum Step<'de> {
    Key(Cow<'de, str>),
    Item(usize),
}

impl Found<'_, '_> {
    fn path(&self) -> String {
        let mut text = String::new();
        for step in &self.path {
            match step {
                Step::Key(key) if text.is_empty() => text.push_str(&shown(key)),
                Step::Key(key) => {
                    text.push('.');
                    text.push_str(&shown(key));
                }
                Step::Item(index) => text.push_str(&format!("[{index}]")),
            }
        }
        if text.is_empty() { ".".to_owned() } else { text }
    }

    fn text(&mut self, text: &str) {
        let allowed = match (&self.nul_in, self.path.last()) {
            (NulIn::AnyText, _) => true,
            (NulIn::TextsUnder(key), Some(Step::Key(step))) => *step == **key,
            _ => false,
        };
        if self.first.is_none() && !allowed && text.contains('\0') {
            self.first = Some(Unsound::Nul { path: self.path() });
        }
    }

    fn repeated(&mut self, key: &str) {
        if self.first.is_none() {
            self.first = Some(Unsound::RepeatedKey { path: self.path(), key: shown(key) });
        }
    }
}

/// As much of a key as a complaint shows, without what can't be printed.
fn shown(key: &str) -> String {
    key.chars().take(SHOWN_CHARS_MAX).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// A key as it is in the text, copied only where it is escaped.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Self::Value, D::Error> {
        source.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, key: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}

#[derive(Clone, Copy)]
struct Any<'a, 'k, 'de> {
    found: &'a RefCell<Found<'k, 'de>>,
}

impl<'de> DeserializeSeed<'de> for Any<'_, '_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<(), D::Error> {
        source.deserialize_any(self)
    }
}

macro_rules! plain {
    ($($visit:ident($type:ty);)+) => {$(
        fn $visit<E: serde::de::Error>(self, _value: $type) -> Result<(), E> {
            Ok(())
        }
    )+};
}

impl<'de> Visitor<'de> for Any<'_, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    plain! { visit_bool(bool); visit_i64(i64); visit_u64(u64); visit_f64(f64); }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        self.found.borrow_mut().text(text);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut index = 0_usize;
        loop {
            self.found.borrow_mut().path.push(Step::Item(index));
            let item = items.next_element_seed(self)?;
            self.found.borrow_mut().path.pop();
            if item.is_none() {
                return Ok(());
            }
            index = index.checked_add(1).ok_or_else(|| A::Error::custom("a list is too long"))?;
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut keys = BTreeSet::new();
        while let Some(key) = entries.next_key_seed(Name)? {
            {
                let mut found = self.found.borrow_mut();
                found.text(&key);
                if !keys.insert(key.clone()) {
                    found.repeated(&key);
                }
                found.path.push(Step::Key(key));
            }
            entries.next_value_seed(self)?;
            self.found.borrow_mut().path.pop();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn repeated_keys_and_nuls_are_found_at_any_depth() {
        for (text, expected) in [
            (r#"{"a": 1, "a": 2}"#, r#"the key "a" appears twice in the object at ."#),
            (
                r#"{"a": [{"b": {"c": 1, "\u0063": 2}}]}"#,
                r#"the key "c" appears twice in the object at a[0].b"#,
            ),
            (r#"[1, [{"x": "ab\u0000c"}]]"#, "the text at [1][0].x contains a NUL (U+0000)"),
            (r#""\u0000""#, "the text at . contains a NUL (U+0000)"),
            (r#"{"items": {"k\u0000": 1}}"#, "the text at items contains a NUL (U+0000)"),
            // The first of two problems; invalid JSON is reported earlier.
            (r#"{"a": "\u0000", "a": 2}"#, "the text at a contains a NUL (U+0000)"),
        ] {
            assert_eq!(check(text.as_bytes()).unwrap_err().to_string(), expected, "{text}");
        }
        for text in [r#"{"a": 1, "a": 2"#, r#"{"a": "\u0000"} x"#, "", "\0", "{\"a\": \"\0\"}"] {
            assert!(matches!(check(text.as_bytes()), Err(Unsound::Syntax(_))), "{text:?}");
        }
        let push = r#"{"events": [{"record": "a\u0000b", "hash": "x"}]}"#.as_bytes();
        assert!(check(push).is_err() && check_but(push, "record").is_ok() && check_keys(push).is_ok());
        assert!(check_but(push, "hash").is_err() && check_keys(br#"{"a": "\u0000", "a": 1}"#).is_err());
        for text in [
            r#"{"a": {"a": {"a": null}}, "b": [true, 1.5, -2, {"a": ""}]}"#,
            "1",
            r#"{"\\u0000": "\\u0000"}"#,
        ] {
            assert!(check(text.as_bytes()).is_ok(), "{text}");
        }
    }
}
