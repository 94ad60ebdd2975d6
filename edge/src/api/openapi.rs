//! The OpenAPI 3.1 document of a table of routes, made from the table and from the types that its
//! handlers read and answer.

use crate::api::route::Route;
use http::Method;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

mod components;
mod error_details;
mod failure_answers;
mod links;
mod names;
mod operation;
mod route_codes;
mod shape;
mod tags;
mod version_3_0;

use failure_answers::Refusals;

/// Description of a document's program.
#[derive(Debug, Clone, Copy)]
pub struct Info {
    /// `Store Router` or `Cloud Hub`.
    pub title: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// Description of the program, in a sentence or two.
    pub description: &'static str,
    /// Whether its requests come from registers, which `X-Register-Id` names.
    pub has_registers: bool,
}

/// A table that can't be described.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// An example that is not JSON.
    #[error("{operation}: the example of the {part} is not JSON: {problem}")]
    Example {
        /// Method and pattern of the route.
        operation: String,
        /// Either `body` or `answer`.
        part: &'static str,
        /// Description of the problem.
        problem: String,
    },
    /// Two types with one name, or one that is read in a different shape than it is written in.
    #[error("schema {0} has two shapes: give one of them a name of its own")]
    TwoShapes(String),
}

/// Generators of the schemas of input, output and queries. Named ones of input and output become `components`.
pub(crate) struct Schemas {
    read: SchemaGenerator,
    written: SchemaGenerator,
    query: SchemaGenerator,
}

impl Schemas {
    fn new() -> Self {
        let settings = || {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = "/components/schemas".into();
                settings.meta_schema = None;
            })
        };
        Self {
            read: settings().for_deserialize().into_generator(),
            written: settings().for_serialize().into_generator(),
            query: inline(SchemaSettings::for_deserialize),
        }
    }

    /// The named schemas of both, in order of name.
    fn definitions(&mut self) -> Result<BTreeMap<String, Value>, DocumentError> {
        let mut all: BTreeMap<String, Value> = self.read.take_definitions(true).into_iter().collect();
        for (name, schema) in self.written.take_definitions(true) {
            if all.get(&name).is_some_and(|known| *known != schema) {
                return Err(DocumentError::TwoShapes(name));
            }
            all.insert(name, schema);
        }
        Ok(all)
    }
}

/// A generator without references, for queries, whose fields become parameters, and for events.
pub(crate) fn inline(of: fn(SchemaSettings) -> SchemaSettings) -> SchemaGenerator {
    let settings = of(SchemaSettings::draft2020_12());
    settings.with(|settings| settings.inline_subschemas = true).into_generator()
}

/// The fields of a query's schema.
pub(crate) fn fields(query: &Schema) -> Map<String, Value> {
    query.get("properties").and_then(Value::as_object).cloned().unwrap_or_default()
}

/// The document of a table.
///
/// # Errors
/// [`DocumentError`]: a defect of the table, which a test finds.
pub fn document<S: 'static>(routes: &[Route<S>], info: &Info) -> Result<Value, DocumentError> {
    let (mut schemas, mut refusals) = (Schemas::new(), Refusals::default());
    let mut paths: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    let mut tags: Vec<&str> = Vec::new();
    for route in routes.iter().filter(|route| route.is_of_api()) {
        if !tags.contains(&route.doc.tag) {
            tags.push(route.doc.tag);
        }
        let operation = operation::of(route, info, &mut schemas, &mut refusals)?;
        let path = paths.entry(template(route.pattern)).or_default();
        path.insert(route.method.as_str().to_lowercase(), operation);
    }
    let components = components::all(schemas.definitions()?, refusals);
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": info.title,
            "version": info.version,
            "description": info.description,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "tags": tags.into_iter().map(tags::tag).collect::<Vec<_>>(),
        "paths": paths,
        "components": components,
    });
    shape::simplify(&mut document);
    links::add(&mut document);
    components::drop_unused(&mut document);
    Ok(document)
}

/// The text as it is committed and served: indented, with a line feed at its end.
///
/// # Errors
/// The errors of [`document`].
pub fn text<S: 'static>(routes: &[Route<S>], info: &Info) -> Result<String, DocumentError> {
    let document = document(routes, info)?;
    Ok(format!("{document:#}\n"))
}

/// The same document as OpenAPI 3.0.3.
///
/// # Errors
/// The errors of [`document`].
pub fn text_3_0<S: 'static>(routes: &[Route<S>], info: &Info) -> Result<String, DocumentError> {
    let document = version_3_0::convert(&document(routes, info)?);
    Ok(format!("{document:#}\n"))
}

/// `/api/shifts/:id/close` as `/api/shifts/{id}/close`.
pub fn template(pattern: &str) -> String {
    let part = |part: &str| match part.strip_prefix(':') {
        Some(name) => format!("{{{name}}}"),
        None => part.to_owned(),
    };
    pattern.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// Method and pattern, for messages.
fn name<S>(method: &Method, route: &Route<S>) -> String {
    format!("{method} {}", route.pattern)
}
