//! The same document as OpenAPI 3.0.3, for tools that do not read 3.1.

use serde_json::{Map, Value, json};

/// Keywords of JSON Schema that 3.0 does not have. They only narrow a schema.
const UNKNOWN: [&str; 5] =
    ["unevaluatedProperties", "propertyNames", "patternProperties", "prefixItems", "$comment"];

/// Converts a document of version 3.1.
pub fn convert(document: &Value) -> Value {
    let mut document = document.clone();
    if let Some(fields) = document.as_object_mut() {
        fields.insert("openapi".to_owned(), "3.0.3".into());
    }
    if let Some(Value::Object(license)) = document.pointer_mut("/info/license") {
        license.remove("identifier");
        license.insert("url".to_owned(), "https://www.apache.org/licenses/LICENSE-2.0".into());
    }
    below(&mut document);
    document
}

/// Converts everything below a part of the document. Examples are data, not schemas.
fn below(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            schema(fields);
            for (key, value) in fields.iter_mut() {
                match key.as_str() {
                    "example" | "examples" | "default" | "enum" => {}
                    // Names of fields are not keywords.
                    "properties" => {
                        value.as_object_mut().into_iter().flat_map(Map::values_mut).for_each(below)
                    }
                    _ => below(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(below),
        _ => {}
    }
}

fn schema(fields: &mut Map<String, Value>) {
    for keyword in UNKNOWN {
        fields.remove(keyword);
    }
    if let Some(constant) = fields.remove("const") {
        fields.insert("enum".to_owned(), json!([constant]));
    }
    nullable_type(fields);
    bounds(fields);
    // 3.0 ignores all keywords beside a reference.
    if fields.len() > 1 && fields.get("$ref").is_some_and(Value::is_string) {
        let reference = fields.remove("$ref");
        fields.insert("allOf".to_owned(), json!([{"$ref": reference}]));
    }
}

/// `type: ["string", "null"]` as `type: string, nullable: true`. Several types become a choice, and `null` is one of its
/// options: 3.0 has `nullable` only beside a `type`.
fn nullable_type(fields: &mut Map<String, Value>) {
    if fields.get("type") == Some(&json!("null")) {
        fields.insert("type".to_owned(), "string".into());
        fields.insert("nullable".to_owned(), true.into());
        fields.insert("enum".to_owned(), json!([null]));
    }
    let Some(Value::Array(types)) = fields.get("type").cloned() else { return };
    let others: Vec<&Value> = types.iter().filter(|name| **name != "null").collect();
    if let [one] = others.as_slice() {
        fields.insert("type".to_owned(), (*one).clone());
        if others.len() < types.len() {
            fields.insert("nullable".to_owned(), true.into());
        }
        return;
    }
    let choices: Vec<Value> = types.iter().map(|name| json!({"type": name})).collect();
    fields.remove("type");
    fields.insert("anyOf".to_owned(), choices.into());
}

/// `exclusiveMinimum: 0` as `minimum: 0, exclusiveMinimum: true`.
fn bounds(fields: &mut Map<String, Value>) {
    for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        if let Some(value) = fields.get(exclusive).filter(|value| value.is_number()).cloned() {
            fields.insert(bound.to_owned(), value);
            fields.insert(exclusive.to_owned(), true.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::convert;
    use serde_json::json;

    #[test]
    fn features_that_openapi_3_0_lacks_are_converted() {
        let schema = json!({"properties": {
            "name": {"type": ["string", "null"]},
            "const": {"const": "paid"},
            "member": {"anyOf": [{"$ref": "#/m"}, {"type": "null"}], "description": "Member."},
            "value": {"type": ["string", "integer", "null"]},
            "role": {"$ref": "#/r", "description": "Role."},
            "qty": {"type": "integer", "exclusiveMinimum": 0},
        }});
        let absent = json!({"type": "string", "nullable": true, "enum": [null]});
        let document = json!({"openapi": "3.1.0", "schema": schema, "example": {"const": 1}});
        assert_eq!(
            convert(&document),
            json!({"openapi": "3.0.3", "example": {"const": 1}, "schema": {"properties": {
                "name": {"type": "string", "nullable": true},
                "const": {"enum": ["paid"]},
                "member": {"anyOf": [{"$ref": "#/m"}, absent], "description": "Member."},
                "value": {"anyOf": [{"type": "string"}, {"type": "integer"}, absent]},
                "role": {"allOf": [{"$ref": "#/r"}], "description": "Role."},
                "qty": {"type": "integer", "minimum": 0, "exclusiveMinimum": true},
            }}})
        );
    }
}
