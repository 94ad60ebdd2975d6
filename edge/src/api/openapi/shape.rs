//! Shapes that generators of clients understand: output of `schemars` that only validators can read is rewritten as
//! plain JSON Schema. Nothing changes on the wire.

use serde_json::{Map, Value, json};

/// Rewrites a schema, or any part of a document, and everything below it.
pub fn simplify(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            simplify_object(fields);
            fields.values_mut().for_each(simplify);
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        _ => {}
    }
}

fn simplify_object(fields: &mut Map<String, Value>) {
    merge_constants(fields);
    unwrap_single_choice(fields);
    // A schema of `true` means any value; generators expect an object.
    if fields.get("items") == Some(&Value::Bool(true)) {
        fields.insert("items".to_owned(), json!({}));
    }
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        properties.values_mut().filter(|schema| **schema == true).for_each(|schema| *schema = json!({}));
    }
}

/// `oneOf` of constants as one `enum`; the meanings of the values follow in the description.
fn merge_constants(fields: &mut Map<String, Value>) {
    let Some(Value::Array(options)) = fields.get("oneOf") else { return };
    let Some(values) = options.iter().map(values_of).collect::<Option<Vec<_>>>() else { return };
    let meanings: Vec<String> = options.iter().filter_map(meaning_of).collect();
    let values: Vec<Value> = values.into_iter().flatten().collect();
    fields.remove("oneOf");
    fields.insert("type".to_owned(), "string".into());
    fields.insert("enum".to_owned(), values.into());
    if meanings.is_empty() {
        return;
    }
    let own = fields.get("description").and_then(Value::as_str).map(|own| format!("{own}\n\n"));
    let text = format!("{}{}", own.unwrap_or_default(), meanings.join("\n"));
    fields.insert("description".to_owned(), text.into());
}

/// The texts that an option allows; `None` if it is more than a list of texts.
fn values_of(option: &Value) -> Option<Vec<Value>> {
    let constant = option.get("const").filter(|value| value.is_string()).map(|value| vec![value.clone()]);
    let texts = || option.get("enum")?.as_array().filter(|texts| texts.iter().all(Value::is_string)).cloned();
    constant.or_else(texts)
}

/// ``- `paid`: The sale is paid.``
fn meaning_of(option: &Value) -> Option<String> {
    let (value, meaning) = (option.get("const")?.as_str()?, option.get("description")?.as_str()?);
    Some(format!("- `{value}`: {meaning}"))
}

/// Replaces `anyOf` with one schema by that schema; the description beside it is kept.
fn unwrap_single_choice(fields: &mut Map<String, Value>) {
    let Some(Value::Array(options)) = fields.get_mut("anyOf") else { return };
    let [Value::Object(only)] = options.as_mut_slice() else { return };
    let only = std::mem::take(only);
    fields.remove("anyOf");
    for (key, value) in only {
        fields.entry(key).or_insert(value);
    }
}

#[cfg(test)]
mod tests {
    use super::simplify;
    use serde_json::json;

    #[test]
    fn constants_become_an_enum_with_their_meanings() {
        let mut schema = json!({"description": "Role.", "oneOf": [
            {"type": "string", "enum": ["cashier", "admin"]},
            {"type": "string", "const": "auditor", "description": "Reads the books."},
        ]});
        simplify(&mut schema);
        assert_eq!(
            schema,
            json!({"description": "Role.\n\n- `auditor`: Reads the books.", "type": "string",
                "enum": ["cashier", "admin", "auditor"]})
        );
    }

    #[test]
    fn other_choices_stay_and_single_ones_are_unwrapped() {
        let mixed = json!({"oneOf": [{"const": "all"}, {"type": "integer"}]});
        let mut schema = json!({"properties": {"mixed": mixed, "any": true, "list": {"items": true},
            "one": {"anyOf": [{"$ref": "#/a"}], "description": "One."}}});
        simplify(&mut schema);
        assert_eq!(
            schema,
            json!({"properties": {"mixed": mixed, "any": {}, "list": {"items": {}},
                "one": {"$ref": "#/a", "description": "One."}}})
        );
    }
}
