//! What the description of this interface says about this program.

use super::{Answered, ROUTES, Request};
use edge::docs;
use edge::openapi::{DocumentError, Info};
use std::sync::OnceLock;

/// What the document says about this program.
const INFO: Info = Info {
    title: "Cloud Hub",
    version: env!("CARGO_PKG_VERSION"),
    description: "Head office of all stores: takes in what they did exactly once, sends the catalogue down, and \
        reports. Money is in whole currency units; times are RFC 3339 in UTC with milliseconds.",
};

/// The document as it is served and committed.
///
/// # Errors
/// A defect of the table, which a test finds.
pub fn text() -> Result<String, DocumentError> {
    edge::openapi::text(ROUTES, &INFO)
}

/// `GET /api/openapi.json`
pub async fn document(_request: Request) -> Answered {
    static TEXT: OnceLock<Result<String, DocumentError>> = OnceLock::new();
    docs::document(TEXT.get_or_init(text))
}

/// `GET /docs`
pub async fn page(_request: Request) -> Answered {
    Ok(docs::page())
}
