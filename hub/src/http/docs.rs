//! The description of this interface, and a page that shows it (api.md 1).

use super::{Answered, ROUTES, Request};
use edge::openapi::{self, DocumentError, Info};
use edge::{ApiError, Doc, Reply};
use std::sync::OnceLock;

/// What the document says about this program.
const INFO: Info = Info {
    title: "Cloud Hub",
    version: env!("CARGO_PKG_VERSION"),
    description: "Head office of all stores: takes in what they did exactly once, sends the catalogue down, and \
        reports. Money is in whole currency units; times are RFC 3339 in UTC with milliseconds.",
};

/// `GET /api/openapi.json`
pub const DOCUMENT: Doc =
    Doc::of("Description", "This document, OpenAPI 3.1").answers_text("application/json");
/// `GET /docs`
pub const PAGE: Doc = Doc::of("Description", "A page that shows this document").answers_text("text/html");

/// The document as it is served and committed.
///
/// # Errors
/// A defect of the table, which a test finds.
pub fn text() -> Result<String, DocumentError> {
    openapi::text(ROUTES, &INFO)
}

/// `GET /api/openapi.json`
pub async fn document(_request: Request) -> Answered {
    static TEXT: OnceLock<Result<String, DocumentError>> = OnceLock::new();
    match TEXT.get_or_init(text) {
        Ok(body) => Ok(Reply::Text { content_type: "application/json", body: body.clone() }),
        Err(error) => Err(ApiError::internal(error)),
    }
}

/// `GET /docs`
pub async fn page(_request: Request) -> Answered {
    Ok(Reply::Text { content_type: "text/html; charset=utf-8", body: openapi::PAGE.to_owned() })
}
