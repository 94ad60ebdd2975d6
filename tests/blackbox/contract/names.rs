//! The names and types of the fields in the documents of both programs.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use testkit::document;

/// For each field name: its types, and where each is found. Null does not count as a type.
pub type Fields = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Details of audit entries that are in no request body and in no answer.
const ONLY_IN_DETAILS: [(&str, &str); 9] = [
    ("at_once", "boolean"),
    ("backup_id", "string"),
    ("by", "string"),
    ("copy", "boolean"),
    ("fields", "[string]"),
    ("kept_count", "integer"),
    ("kid", "string"),
    ("session_id", "string"),
    ("why", "string"),
];

/// Returns the fields of bodies and answers, and the query parameters, of both programs.
pub fn fields() -> Fields {
    let mut fields = Fields::new();
    for program in ["store-router", "cloud-hub"] {
        let document = document(program);
        for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
            collect(schema, &document, &format!("{program}: {name}"), &mut fields);
        }
        for (path, operations) in document["paths"].as_object().unwrap() {
            for (method, operation) in operations.as_object().unwrap() {
                let place = format!("{program}: {method} {path}");
                collect(operation, &document, &place, &mut fields);
                for parameter in operation["parameters"].as_array().unwrap() {
                    if parameter["in"] == "query" {
                        let name = parameter["name"].as_str().unwrap();
                        add(name, &parameter["schema"], &document, &place, &mut fields);
                    }
                }
            }
        }
    }
    fields
}

fn add(name: &str, schema: &Value, document: &Value, place: &str, fields: &mut Fields) {
    for kind in types(schema, document) {
        fields.entry(name.to_owned()).or_default().entry(kind).or_default().insert(place.to_owned());
    }
}

fn collect(schema: &Value, document: &Value, place: &str, fields: &mut Fields) {
    match schema {
        Value::Object(parts) => {
            for (name, part) in parts.get("properties").and_then(Value::as_object).into_iter().flatten() {
                add(name, part, document, place, fields);
            }
            let schemas =
                parts.iter().filter(|(name, _)| !["example", "examples", "default"].contains(&name.as_str()));
            schemas.for_each(|(_, part)| collect(part, document, place, fields));
        }
        Value::Array(parts) => parts.iter().for_each(|part| collect(part, document, place, fields)),
        _ => {}
    }
}

/// `string`, `date`, `date-time`, `integer`, `boolean`, `object`, `[…]` of one of them, or `any`.
fn types(schema: &Value, document: &Value) -> BTreeSet<String> {
    if let Some(path) = schema["$ref"].as_str() {
        return types(document.pointer(&path[1..]).unwrap(), document);
    }
    let named = match &schema["type"] {
        Value::String(one) => vec![one.clone()],
        Value::Array(several) => several.iter().map(|one| one.as_str().unwrap().to_owned()).collect(),
        _ => return chosen(schema, document),
    };
    let kind = |name: String| match (name.as_str(), schema["format"].as_str()) {
        ("array", _) => types(&schema["items"], document).iter().map(|kind| format!("[{kind}]")).collect(),
        ("string", Some(format @ ("date" | "date-time"))) => vec![format.to_owned()],
        _ => vec![name],
    };
    named.into_iter().filter(|name| name != "null").flat_map(kind).collect()
}

/// Returns the types of a schema that has no type of its own, from its alternatives and references.
fn chosen(schema: &Value, document: &Value) -> BTreeSet<String> {
    let choices = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array());
    if let Some(choices) = choices {
        return choices.iter().flat_map(|choice| types(choice, document)).collect();
    }
    let one = schema.get("const").or_else(|| schema["enum"].get(0));
    BTreeSet::from([one.map_or_else(|| "any".to_owned(), type_of)])
}

fn type_of(value: &Value) -> String {
    match value {
        Value::Bool(_) => "boolean".to_owned(),
        Value::Number(_) => "integer".to_owned(),
        Value::String(_) => "string".to_owned(),
        Value::Object(_) => "object".to_owned(),
        Value::Array(parts) => format!("[{}]", parts.first().map(type_of).unwrap_or_default()),
        Value::Null => "null".to_owned(),
    }
}

/// Asserts that every detail of an audit entry has the same name and type as elsewhere: an amount is a number, a list
/// is a list, and the name of an ID states what it identifies.
#[track_caller]
pub fn are_details(entry: &Value, fields: &Fields) {
    for (name, detail) in entry["details"].as_object().unwrap() {
        let kind = type_of(detail);
        let only = ONLY_IN_DETAILS.contains(&(name.as_str(), kind.as_str()));
        let known = fields.get(name).is_some_and(|known| known.keys().any(|known| fits(&kind, known)));
        assert!(
            only || known,
            "{name} is {kind}, known as {:?}: {entry}",
            fields.get(name).map(|known| known.keys())
        );
    }
}

/// Returns whether a type found in an entry agrees with a documented one. A date is a string, and an empty list agrees
/// with any list.
fn fits(kind: &str, known: &str) -> bool {
    kind == known
        || (kind == "string" && ["date", "date-time"].contains(&known))
        || (kind == "[]" && known.starts_with('['))
}
