//! Schemas of answers whose figures may be above the largest.

use schemars::Schema;
use serde_json::{Map, Value, json};

/// Says in a schema that a figure above the largest is null.
pub fn hides(schema: &mut Schema) {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(Map::values_mut) {
        match property.get_mut("type") {
            Some(kind) if kind.as_str() == Some("integer") => *kind = json!(["integer", "null"]),
            _ => {}
        }
    }
}
