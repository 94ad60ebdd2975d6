//! Query pairs as a serde source: text becomes numbers, booleans and options where a field wants them.

use serde::{
    Deserializer, de,
    de::{
        Error as _, IntoDeserializer, Visitor,
        value::{Error, MapDeserializer, StringDeserializer},
    },
    forward_to_deserialize_any,
};

/// The decoded pairs of a query.
pub struct Reader(pub Vec<(String, String)>);

/// One value, still text.
struct Text(String);

fn must_be(what: &str) -> Error {
    Error::custom(format!("must be {what}"))
}

impl IntoDeserializer<'_, Error> for Text {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Reader {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let named = |(name, value)| (name, Text(value));
        visitor.visit_map(MapDeserializer::new(self.0.into_iter().map(named)))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0.iter().find(|(name, _)| !fields.contains(&name.as_str())) {
            Some((unknown, _)) => Err(Error::unknown_field(unknown, fields)),
            None => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

macro_rules! numbers {
    ($what:literal: $($read:ident => $visit:ident),+) => {$(
        fn $read<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.0.parse() {
                Ok(value) => visitor.$visit(value),
                Err(_) => Err(must_be($what)),
            }
        }
    )+};
}

impl<'de> Deserializer<'de> for Text {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let text: StringDeserializer<Error> = self.0.into_deserializer();
        let read = de::Deserializer::deserialize_enum(text, name, variants, visitor);
        read.map_err(|_| must_be(&format!("one of {}", variants.join(", "))))
    }

    numbers! { "true or false": deserialize_bool => visit_bool }

    numbers! {
        "a whole number":
        deserialize_i8 => visit_i8, deserialize_i16 => visit_i16,
        deserialize_i32 => visit_i32, deserialize_i64 => visit_i64
    }

    numbers! {
        "a whole number of at least 0, within its range":
        deserialize_u8 => visit_u8, deserialize_u16 => visit_u16,
        deserialize_u32 => visit_u32, deserialize_u64 => visit_u64
    }

    forward_to_deserialize_any! {
        i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}
