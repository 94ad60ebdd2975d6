//! Checks of the document of any table; included by the tests of both programs.

use edge::{Code, Route};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::{env, fs, path::Path};

/// Set by `cargo xtask openapi`: the committed document is written instead of compared.
const WRITE: &str = "OPENAPI_WRITE";

/// Checks that the committed file equals the served one.
#[track_caller]
pub fn is_committed(served: &str, file: &Path) {
    if env::var_os(WRITE).is_some() {
        fs::write(file, served).unwrap();
    }
    let committed = fs::read_to_string(file).unwrap_or_default();
    assert!(committed == served, "{} is out of date: run `cargo xtask openapi`", file.display());
}

/// Checks that routes and document are the same set, and that each operation describes its route.
#[track_caller]
pub fn tells_the_table<S>(routes: &[Route<S>], document: &Value) {
    let routes: Vec<&Route<S>> = routes.iter().filter(|route| route.is_of_api()).collect();
    let table: BTreeSet<String> = routes.iter().map(|route| name(route)).collect();
    let documented: BTreeSet<String> = operations(document).map(|(name, _)| name).collect();
    assert_eq!(table, documented, "routes and documented operations");
    assert_eq!(table.len(), routes.len(), "an operation is documented once");
    let ids: BTreeSet<&str> = operations(document).filter_map(|(_, it)| it["operationId"].as_str()).collect();
    assert_eq!(ids.len(), table.len(), "each operation has a unique name");
    for route in routes {
        let (name, operation) = operations(document).find(|(found, _)| *found == name(route)).unwrap();
        let parameters = operation["parameters"].to_string();
        // A refresh reads the key in a way of its own.
        let takes_key = route.keyed() || name.ends_with("/auth/refresh");
        assert_eq!(parameters.contains("parameters/IdempotencyKey"), takes_key, "{name}: Idempotency-Key");
        assert_eq!(documented_codes(document, operation, &name), route.codes(), "{name}: error codes");
        let title = operation["summary"].as_str().unwrap();
        assert!((1..=60).contains(&title.len()), "{name}: a summary has at most 60 characters: {title}");
    }
}

/// Returns the codes of an operation's failures; each is listed under its own status.
fn documented_codes(document: &Value, operation: &Value, name: &str) -> BTreeSet<Code> {
    let mut codes = BTreeSet::new();
    for (status, answer) in operation["responses"].as_object().unwrap() {
        let Some(answer) = answer["$ref"].as_str().map(|path| document.pointer(&path[1..]).unwrap()) else {
            assert!(status.starts_with('2'), "{name}: {status}");
            continue;
        };
        for code in answer["x-error-codes"].as_array().unwrap() {
            let code = Code::parse(code.as_str().unwrap()).unwrap();
            assert_eq!(code.status().to_string(), *status, "{name}: {code}");
            codes.insert(code);
        }
    }
    codes
}

/// Checks that every example fits the schema beside it.
#[track_caller]
pub fn examples_fit(document: &Value) {
    for (name, operation) in operations(document) {
        let body = operation["requestBody"]["content"].as_object();
        let answers = operation["responses"].as_object().unwrap().values();
        let answers = answers.filter_map(|answer| answer["content"].as_object());
        for content in body.into_iter().chain(answers).flat_map(|content| content.values()) {
            if let Some(example) = content.get("example") {
                fits(document, &content["schema"], example, &name);
            }
        }
    }
    for (name, answer) in document["components"]["responses"].as_object().unwrap() {
        let content = &answer["content"]["application/json"];
        for example in content["examples"].as_object().unwrap().values() {
            fits(document, &content["schema"], &example["value"], name);
        }
    }
}

#[track_caller]
fn fits(document: &Value, schema: &Value, example: &Value, name: &str) {
    let whole = with_components(document, schema);
    let validator = jsonschema::draft202012::new(&whole).unwrap_or_else(|error| panic!("{name}: {error}"));
    let problems: Vec<String> =
        validator.iter_errors(example).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(problems.is_empty(), "{name}: {problems:?}\n{example:#}");
}

/// Returns a schema with the components to which it refers, also indirectly. With all components of the document, the
/// thousand schemas of a run would take gigabytes.
pub fn with_components(document: &Value, schema: &Value) -> Value {
    let mut components = json!({});
    let mut open = vec![schema];
    while let Some(part) = open.pop() {
        match part {
            Value::Object(fields) => {
                let at = fields.get("$ref").and_then(Value::as_str).unwrap_or_default();
                if let Some((section, name)) =
                    at.strip_prefix("#/components/").and_then(|at| at.split_once('/'))
                    && components[section][name].is_null()
                {
                    let component = &document["components"][section][name];
                    components[section][name] = component.clone();
                    open.push(component);
                }
                open.extend(fields.values());
            }
            Value::Array(parts) => open.extend(parts),
            _ => {}
        }
    }
    json!({"allOf": [schema], "components": components})
}

fn operations(document: &Value) -> impl Iterator<Item = (String, &Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap().iter();
        methods.map(move |(method, operation)| (format!("{} {path}", method.to_uppercase()), operation))
    })
}

fn name<S>(route: &Route<S>) -> String {
    format!("{} {}", route.method, edge::openapi::template(route.pattern))
}
