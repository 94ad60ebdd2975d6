//! Schemas of the rows and the sums of a sales report.

use crate::rules::books::report::{FIGURES, GroupBy, Sums};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

/// The schema of the rows: the key of the group, and every figure.
pub fn rows(generator: &mut SchemaGenerator) -> Schema {
    let mut properties = figures(generator);
    for group in GroupBy::ALL {
        properties.insert(group.key().to_owned(), key(group));
    }
    json_schema!({"type": "array", "items": {
        "type": "object",
        "properties": properties,
        "required": FIGURES,
        "additionalProperties": false,
        "minProperties": FIGURES.len().saturating_add(1),
    }})
}

/// The schema of the sums.
pub fn totals(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "properties": figures(generator), "required": FIGURES, "additionalProperties": false})
}

fn figures(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let sums = Sums::json_schema(generator);
    let known = |name: &str| sums.get("properties").and_then(|properties| properties.get(name)).cloned();
    let net = || json!({"type": ["integer", "null"], "description": "`total` less `returns_total`, in minor currency units."});
    FIGURES.iter().map(|name| ((*name).to_owned(), known(name).unwrap_or_else(net))).collect()
}

/// The schema of a key, which only rows of that grouping have.
fn key(group: GroupBy) -> Value {
    let named = serde_json::to_value(group).unwrap_or_default();
    let (mut schema, end) = match group {
        GroupBy::Day => (json!({"type": "string", "format": "date"}), ""),
        GroupBy::Category => (json!({"type": ["string", "null"]}), " Null for products without a category."),
        _ => (json!({"type": "string"}), ""),
    };
    let named = named.as_str().unwrap_or_default();
    let description = format!("Key of rows that are grouped by `{named}`.{end}");
    schema.as_object_mut().map(|fields| fields.insert("description".to_owned(), description.into()));
    schema
}
