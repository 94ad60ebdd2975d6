//! Every answer in any of these tests is checked against the committed documents: a status, a code or a field that they
//! do not contain fails the test.

use crate::client::document::with_components;
use crate::{Reply, document};
use jsonschema::Validator;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

/// The documents of the programs under test: an answer has to fit one that knows its operation.
static CONTRACTS: LazyLock<Vec<Contract>> =
    LazyLock::new(|| ["store-router", "cloud-hub"].map(Contract::read).into());

struct Contract {
    document: Value,
    /// The paths of the document by number of segments, because every answer is looked up by its path.
    templates: HashMap<usize, Vec<Template>>,
    /// Compiled schemas by their location.
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

/// A path of a document.
struct Template {
    text: String,
    /// Its segments; `None` for a parameter.
    segments: Vec<Option<String>>,
    /// Number of segments that are not parameters.
    literals: usize,
}

impl Template {
    fn new(text: &str) -> Self {
        let literal = |segment: &str| (!segment.starts_with('{')).then(|| segment.to_owned());
        let segments: Vec<_> = text.split('/').map(literal).collect();
        let literals = segments.iter().flatten().count();
        Self { text: text.to_owned(), segments, literals }
    }

    fn fits(&self, path: &[&str]) -> bool {
        let mut pairs = self.segments.iter().zip(path);
        pairs.all(|(segment, part)| segment.as_deref().is_none_or(|segment| segment == *part))
    }
}

/// Checks an answer against the documents.
pub fn check(method: &str, path: &str, reply: &Reply) {
    let path = path.split('?').next().unwrap_or_default();
    // One of the programs may have a page where the other has none. Then its router answers this.
    let nothing_here = reply.status == 404 && reply.text().contains("there is nothing at this path");
    if nothing_here && CONTRACTS.iter().any(|contract| contract.literals(path).is_none()) {
        return;
    }
    // A path that one program has literally does not belong to the other one by a parameter.
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

/// Checks an event of a stream against the documents.
#[track_caller]
pub fn check_event(name: &str, data: &Value) {
    let problems = CONTRACTS.iter().filter_map(|contract| contract.judge_event(name, data));
    let problems: Vec<String> = problems.collect();
    assert!(problems.len() < CONTRACTS.len(), "event {name} {data}: {problems:#?}");
}

impl Contract {
    fn read(name: &str) -> Self {
        let document = document(name);
        let mut templates: HashMap<usize, Vec<Template>> = HashMap::new();
        for template in document["paths"].as_object().unwrap().keys().map(|text| Template::new(text)) {
            templates.entry(template.segments.len()).or_default().push(template);
        }
        Self { document, templates, validators: Mutex::default() }
    }

    /// The template that fits a path, the one with the most literal segments.
    fn template(&self, path: &str) -> Option<&Template> {
        let path: Vec<&str> = path.split('/').collect();
        let fitting = self.templates.get(&path.len())?.iter().filter(|template| template.fits(&path));
        fitting.max_by_key(|template| template.literals)
    }

    /// The literal segments of the template that fits a path best.
    fn literals(&self, path: &str) -> Option<usize> {
        self.template(path).map(|template| template.literals)
    }

    /// The template of a path and its operation.
    fn operation(&self, method: &str, path: &str) -> Option<(&str, &Value)> {
        let template = self.template(path)?.text.as_str();
        let operation = self.document["paths"][template].get(method.to_lowercase())?;
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
        if media_type != "application/json" || reply.header("content-encoding").is_some() {
            return Ok(());
        }
        let body: Value = serde_json::from_slice(&reply.body).map_err(|error| error.to_string())?;
        let validator = self.validator(&format!("{name} {status}"), &content["schema"]);
        let wrong: Vec<String> =
            validator.iter_errors(&body).map(|error| format!("{}: {error}", error.instance_path())).collect();
        if wrong.is_empty() { Ok(()) } else { Err(format!("{name}: {}", wrong.join("; "))) }
    }

    /// What is wrong with an event.
    fn judge_event(&self, name: &str, data: &Value) -> Option<String> {
        let schema = &self.document["paths"]["/api/events"]["get"]["x-events"][name];
        if schema.is_null() {
            return Some("not documented".to_owned());
        }
        let validator = self.validator(&format!("event {name}"), schema);
        let wrong: Vec<String> = validator.iter_errors(data).map(|error| error.to_string()).collect();
        (!wrong.is_empty()).then(|| wrong.join("; "))
    }

    fn validator(&self, place: &str, schema: &Value) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap();
        let known = validators.entry(place.to_owned()).or_insert_with(|| {
            Arc::new(jsonschema::draft202012::new(&with_components(&self.document, schema)).unwrap())
        });
        Arc::clone(known)
    }
}
