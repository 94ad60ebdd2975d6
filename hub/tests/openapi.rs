//! The committed OpenAPI document, the served one and the table of routes are the same.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use cloud_hub::routes::{self, ROUTES};
use serde_json::Value;
use std::fs;
use std::path::Path;
use testkit::client::document;

fn served() -> Value {
    serde_json::from_str(&routes::text().unwrap()).unwrap()
}

#[test]
fn the_committed_document_is_the_served_one() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/openapi/cloud-hub.json");
    document::is_committed(&routes::text().unwrap(), &file);
}

#[test]
fn every_route_is_documented_with_its_codes_and_nothing_else_is() {
    document::tells_the_table(&ROUTES, &served());
}

/// Query parameters of lists that are no filters.
const NO_FILTERS: [&str; 4] = ["cursor", "limit", "separator", "include"];

/// A filter counts as used where a test's file names both the list's path and the filter in a query.
#[test]
fn every_filter_of_a_list_is_used_by_a_test() {
    let mut files = Vec::new();
    texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hub"), &mut files);
    let document = served();
    let mut unused = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let parameters = methods["get"]["parameters"].as_array().into_iter().flatten();
        let names: Vec<&str> =
            parameters.filter(|of| of["in"] == "query").filter_map(|of| of["name"].as_str()).collect();
        let list = path.rsplit('}').next().unwrap();
        let filters = names.iter().filter(|name| !NO_FILTERS.contains(name));
        for name in filters.filter(|_| names.contains(&"cursor")) {
            let uses = ['?', '&', '"'].map(|before| format!("{before}{name}="));
            let is_used = |text: &String| text.contains(list) && uses.iter().any(|used| text.contains(used));
            if !files.iter().any(is_used) {
                unused.push(format!("{path}?{name}="));
            }
        }
    }
    let help = "add a row for each to `hub/tests/hub/office/filters.rs` or to the test of its list";
    assert!(unused.is_empty(), "no test uses the filters {unused:?}; {help}");
}

/// Adds the texts of the files below a folder.
fn texts(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts(&path, found);
        } else {
            found.push(fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn every_example_fits_its_schema() {
    document::examples_fit(&served());
}
