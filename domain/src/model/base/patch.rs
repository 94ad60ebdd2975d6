//! The states of a field in a PATCH (RFC 7396): an absent field stays as it is, `null` clears it, a value replaces it.
//! A field that can't be empty refuses `null`.

use crate::model::base::text::is_blank;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// Change of a field that may be empty. The field needs `#[serde(default)]`, and where it is serialised
/// `skip_serializing_if = "Given::is_nothing"`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Given<T> {
    /// Absent: it stays as it is.
    #[default]
    Nothing,
    /// `null`: it is empty from then on.
    Empty,
    Value(T),
}

impl<T> Given<T> {
    /// Value of the field after the change.
    pub fn over(self, old: Option<T>) -> Option<T> {
        match self {
            Self::Nothing => old,
            Self::Empty => None,
            Self::Value(new) => Some(new),
        }
    }

    /// The value that was given.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Nothing | Self::Empty => None,
        }
    }

    /// It stays as it is.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Given<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Empty, Self::Value))
    }
}

impl<T: Serialize> Serialize for Given<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

/// In documents it is a value that may be null.
impl<T: JsonSchema> JsonSchema for Given<T> {
    fn inline_schema() -> bool {
        Option::<T>::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        Option::<T>::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        Option::<T>::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }
}

/// Reads a field that can't be empty: `null` is refused, because it would take the field away.
///
/// # Errors
/// A text that is not a value.
pub fn set<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Reads a field whose emptiness is a value of its own, such as `""` or 0: `null` is that value.
///
/// # Errors
/// A text that is not a value.
pub fn cleared<'de, T: Deserialize<'de> + Default, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(Some(Option::deserialize(deserializer)?.unwrap_or_default()))
}

/// Reads an optional text: `""` means `null`.
///
/// # Errors
/// A value that is not a text.
pub fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Given<String>, D::Error> {
    Ok(match Given::<String>::deserialize(deserializer)? {
        Given::Value(text) if is_blank(&text) => Given::Empty,
        given => given,
    })
}

/// As [`text`], for a field of at most `CHARS_MAX` characters: a longer blank text is no `null` either.
///
/// # Errors
/// A value that is not a text, or a blank one that is too long.
pub fn text_up_to<'de, const CHARS_MAX: usize, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Given<String>, D::Error> {
    match Given::<String>::deserialize(deserializer)? {
        Given::Value(text) if is_blank(&text) && text.chars().count() > CHARS_MAX => {
            Err(D::Error::custom(format_args!("must be at most {CHARS_MAX} characters")))
        }
        Given::Value(text) if is_blank(&text) => Ok(Given::Empty),
        given => Ok(given),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::Given;
    use serde::{Deserialize, Serialize};

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Change {
        #[serde(deserialize_with = "super::set")]
        name: Option<String>,
        #[serde(deserialize_with = "super::cleared")]
        phone: Option<String>,
        #[serde(skip_serializing_if = "Given::is_nothing")]
        level: Given<i64>,
        #[serde(deserialize_with = "super::text", skip_serializing_if = "Given::is_nothing")]
        note: Given<String>,
        #[serde(deserialize_with = "super::text_up_to::<3, _>", skip_serializing_if = "Given::is_nothing")]
        word: Given<String>,
    }

    #[test]
    fn null_has_one_meaning() {
        let read = |text: &str| serde_json::from_str::<Change>(text);
        assert_eq!(read("{}").unwrap(), Change::default());
        let cleared = read(r#"{"phone": null, "level": null}"#).unwrap();
        assert_eq!((cleared.phone.as_deref(), cleared.level.over(Some(7))), (Some(""), None));
        assert_eq!(read(r#"{"level": 3}"#).unwrap().level.over(Some(7)), Some(3));
        assert_eq!(Change::default().level.over(Some(7)), Some(7));
        assert!(read(r#"{"name": null}"#).is_err());
        for empty in [r#"{"note": null}"#, r#"{"note": ""}"#, r#"{"note": " "}"#] {
            assert_eq!(read(empty).unwrap().note, Given::Empty, "{empty}");
        }
        assert_eq!(read(r#"{"word": "   "}"#).unwrap().word, Given::Empty);
        assert!(read(r#"{"word": "    "}"#).is_err(), "too long for a blank text too");
        assert_eq!(read(r#"{"note": "x"}"#).unwrap().note, Given::Value("x".to_owned()));
        assert!(!serde_json::to_string(&Change::default()).unwrap().contains("level"));
    }
}
