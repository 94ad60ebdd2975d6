//! The operations of the store, as its committed document lists them.

use serde_json::Value;
use testkit::document;

pub struct Operation {
    /// HTTP method in capital letters.
    pub method: String,
    /// Path as in the document: `/api/stock/{sku}`.
    pub template: String,
    pub query: Vec<String>,
    /// Whether the operation takes JSON.
    pub body: bool,
    /// Example body in the document, or null.
    pub example: Value,
    /// Whether the operation needs a token.
    pub guarded: bool,
}

impl Operation {
    /// Returns every operation of the store, ordered by path.
    pub fn all() -> Vec<Self> {
        let document = document("store-router");
        let mut all = Vec::new();
        for (template, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                all.push(Self::read(template, method, operation));
            }
        }
        assert!(all.len() > 90, "the document is incomplete: {}", all.len());
        all
    }

    fn read(template: &str, method: &str, operation: &Value) -> Self {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let query = parameters.filter(|parameter| parameter["in"] == "query");
        let security = operation["security"].as_array().is_some_and(|rows| !rows.is_empty());
        Self {
            method: method.to_uppercase(),
            template: template.to_owned(),
            query: query.map(|parameter| parameter["name"].as_str().unwrap().to_owned()).collect(),
            body: operation["requestBody"]["content"].get("application/json").is_some(),
            example: operation["requestBody"]["content"]["application/json"]["example"].clone(),
            guarded: security,
        }
    }

    /// Returns whether the operation lists pages with a cursor.
    pub fn pages(&self) -> bool {
        ["limit", "cursor"].iter().all(|name| self.query.iter().any(|given| given == name))
    }

    /// Returns the path with a value for each parameter.
    pub fn path(&self, fill: impl Fn(&str) -> String) -> String {
        let segments = self.template.split('/').map(|segment| {
            let name = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            name.map_or_else(|| segment.to_owned(), &fill)
        });
        segments.collect::<Vec<_>>().join("/")
    }

    /// Returns a path to something that does not exist.
    pub fn path_to_nothing(&self) -> String {
        self.path(|name| if name == "date" { "2020-02-02" } else { "none" }.to_owned())
    }
}
