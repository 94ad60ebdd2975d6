//! Messages that a program sends by itself: events of a stream, and requests of a webhook.

use super::doc::{SchemaOf, schema_of};
use schemars::JsonSchema;

/// A kind of message, with the schema of its data.
#[derive(Debug, Clone, Copy)]
pub struct Message {
    /// Name of the event.
    pub(crate) name: &'static str,
    pub(crate) schema: SchemaOf,
}

impl Message {
    /// A message whose data are a `T`.
    pub const fn of<T: JsonSchema>(name: &'static str) -> Self {
        Self { name, schema: schema_of::<T> }
    }
}
