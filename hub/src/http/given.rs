//! A field of a change that may be left as it is, taken away, or given.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;

/// What a change says of a field that may be empty; the field needs `#[serde(default)]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Given<T> {
    /// Absent: it stays as it is.
    #[default]
    Nothing,
    /// `null`: it is empty from then on.
    Empty,
    /// A value.
    Value(T),
}

impl<T> Given<T> {
    /// What the field is after the change.
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
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Given<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Empty, Self::Value))
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
