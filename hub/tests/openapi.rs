//! The committed OpenAPI document, the served one and the table of routes are the same.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use cloud_hub::routes::{self, ROUTES};
use serde_json::Value;
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

#[test]
fn every_example_fits_its_schema() {
    document::examples_fit(&served());
}
