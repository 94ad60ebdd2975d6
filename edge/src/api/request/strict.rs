//! A serde layer that accepts only objects for structs.
//!
//! serde's derived structs also accept arrays, field by position: `["A1", 2, 500]` would pass for a
//! line of a sale. A client that sends one is wrong, and gets an error.

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use std::fmt;

/// Wraps a source, and by way of the visitors everything below it.
pub struct Strict<D>(pub D);

/// Passes its input on, with everything nested wrapped.
struct Outer<V> {
    visitor: V,
    object: bool,
}

struct Inner<A>(A);

impl<V> Outer<V> {
    fn any(visitor: V) -> Self {
        Self { visitor, object: false }
    }
}

macro_rules! pass {
    ($($read:ident($($argument:ident: $type:ty),*);)+) => {$(
        fn $read<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            self.0.$read($($argument,)* Outer::any(visitor))
        }
    )+};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Strict<D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Outer { visitor, object: true })
    }

    pass! {
        deserialize_any(); deserialize_bool(); deserialize_char(); deserialize_str(); deserialize_string();
        deserialize_i8(); deserialize_i16(); deserialize_i32(); deserialize_i64(); deserialize_i128();
        deserialize_u8(); deserialize_u16(); deserialize_u32(); deserialize_u64(); deserialize_u128();
        deserialize_f32(); deserialize_f64(); deserialize_bytes(); deserialize_byte_buf();
        deserialize_option(); deserialize_unit(); deserialize_seq(); deserialize_map();
        deserialize_identifier(); deserialize_ignored_any();
        deserialize_unit_struct(name: &'static str); deserialize_newtype_struct(name: &'static str);
        deserialize_tuple(length: usize); deserialize_tuple_struct(name: &'static str, length: usize);
        deserialize_enum(name: &'static str, variants: &'static [&'static str]);
    }
}

macro_rules! visit {
    ($($visit:ident($type:ty);)+) => {$(
        fn $visit<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.visitor.$visit(value)
        }
    )+};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Outer<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.object { f.write_str("an object") } else { self.visitor.expecting(f) }
    }

    visit! {
        visit_bool(bool); visit_i64(i64); visit_i128(i128); visit_u64(u64); visit_u128(u128); visit_f64(f64);
        visit_char(char); visit_str(&str); visit_borrowed_str(&'de str); visit_string(String);
        visit_bytes(&[u8]); visit_borrowed_bytes(&'de [u8]); visit_byte_buf(Vec<u8>);
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.visitor.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.visitor.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, source: D) -> Result<V::Value, D::Error> {
        self.visitor.visit_some(Strict(source))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, source: D) -> Result<V::Value, D::Error> {
        self.visitor.visit_newtype_struct(Strict(source))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_seq(Inner(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_map(Inner(entries))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_enum(Inner(variant))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Inner<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(Strict(source))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Inner<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(Inner(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Inner<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(Inner(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for Inner<A> {
    type Error = A::Error;
    type Variant = Inner<A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        self.0.variant_seed(seed).map(|(name, variant)| (name, Inner(variant)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Inner<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.0.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.0.newtype_variant_seed(Inner(seed))
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.0.tuple_variant(length, Outer::any(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.0.struct_variant(fields, Outer::any(visitor))
    }
}
