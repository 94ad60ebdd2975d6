//! Every answer that any of these tests gets is held against the committed documents: a status, a code
//! or a field that they do not tell is a failure of that test.

use crate::{Reply, root};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

/// The documents of the programs under test: an answer has to fit one that knows its operation.
static CONTRACTS: LazyLock<Vec<Contract>> =
    LazyLock::new(|| ["store-router", "cloud-hub"].map(Contract::read).into());

struct Contract {
    document: Value,
    /// Compiled schemas by their place.
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

/// Holds an answer against the documents.
pub fn check(method: &str, path: &str, reply: &Reply) {
    let path = path.split('?').next().unwrap_or_default();
    // One of the programs may have a page where the other has nothing: then its router says this.
    let nothing_here = reply.status == 404 && reply.text().contains("there is nothing at this path");
    if nothing_here && CONTRACTS.iter().any(|contract| contract.literals(path).is_none()) {
        return;
    }
    // A path that one program has by its words is not the other's by its id.
    let most = CONTRACTS.iter().filter_map(|contract| contract.literals(path)).max();
    let asked = || CONTRACTS.iter().filter(|contract| contract.literals(path) == most);
    let problems: Vec<String> =
        asked().filter_map(|contract| contract.judge(method, path, reply)?.err()).collect();
    let known = asked().filter(|contract| contract.operation(method, path).is_some()).count();
    assert!(
        problems.len() < known.max(1),
        "{method} {path}: {}: {problems:#?}\n{}",
        reply.status,
        reply.text()
    );
}

impl Contract {
    fn read(name: &str) -> Self {
        let file = root().join("docs/openapi").join(format!("{name}.json"));
        let document = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        Self { document, validators: Mutex::default() }
    }

    /// The literal segments of the template that fits a path best.
    fn literals(&self, path: &str) -> Option<usize> {
        let paths = self.document["paths"].as_object().unwrap().keys();
        paths.filter(|template| fits(template, path)).map(|template| literals(template)).max()
    }

    /// The template of a path and its operation: the one with the most literal segments.
    fn operation(&self, method: &str, path: &str) -> Option<(&str, &Value)> {
        let paths = self.document["paths"].as_object().unwrap().iter();
        let fitting = paths.filter(|(template, _)| fits(template, path));
        let (template, methods) = fitting.max_by_key(|(template, _)| literals(template))?;
        let operation = methods.get(method.to_lowercase())?;
        Some((template, operation))
    }

    fn judge(&self, method: &str, path: &str, reply: &Reply) -> Option<Result<(), String>> {
        let (template, operation) = self.operation(method, path)?;
        Some(self.fits(&format!("{method} {template}"), operation, reply))
    }

    fn fits(&self, name: &str, operation: &Value, reply: &Reply) -> Result<(), String> {
        let status = reply.status.to_string();
        let answer = &operation["responses"][&status];
        if answer.is_null() {
            return Err(format!("{name}: {status} is not documented"));
        }
        let answer = answer["$ref"].as_str().map_or(answer, |at| self.document.pointer(&at[1..]).unwrap());
        let media_type = reply.header("content-type").unwrap_or_default();
        let media_type = media_type.split(';').next().unwrap_or_default();
        let Some(content) = answer["content"].get(media_type) else {
            return Err(format!("{name}: {status} as {media_type:?} is not documented"));
        };
        if media_type != "application/json" {
            return Ok(());
        }
        let body: Value = serde_json::from_slice(&reply.body).map_err(|error| error.to_string())?;
        let validator = self.validator(&format!("{name} {status}"), &content["schema"]);
        let wrong: Vec<String> =
            validator.iter_errors(&body).map(|error| format!("{}: {error}", error.instance_path())).collect();
        if wrong.is_empty() { Ok(()) } else { Err(format!("{name}: {}", wrong.join("; "))) }
    }

    fn validator(&self, place: &str, schema: &Value) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap();
        let known = validators.entry(place.to_owned()).or_insert_with(|| {
            let whole = json!({"allOf": [schema], "components": self.document["components"]});
            Arc::new(jsonschema::draft202012::new(&whole).unwrap())
        });
        Arc::clone(known)
    }
}

fn fits(template: &str, path: &str) -> bool {
    let (mut expected, mut found) = (template.split('/'), path.split('/'));
    loop {
        match (expected.next(), found.next()) {
            (None, None) => return true,
            (Some(segment), Some(part)) if segment == part || segment.starts_with('{') => {}
            _ => return false,
        }
    }
}

fn literals(template: &str) -> usize {
    template.split('/').filter(|segment| !segment.starts_with('{')).count()
}
