//! The description of an interface, and a page that shows it.

use crate::openapi::{self, DocumentError};
use crate::{ApiError, Doc, Reply};

/// `GET /api/openapi.json`
pub const DOCUMENT: Doc =
    Doc::of("Description", "This document, OpenAPI 3.1").answers_text("application/json");
/// `GET /docs`
pub const PAGE: Doc = Doc::of("Description", "A page that shows this document").answers_text("text/html");

/// A document that was made once.
///
/// # Errors
/// 500 where the table has a defect, which a test finds.
pub fn document(made: &Result<String, DocumentError>) -> Result<Reply, ApiError> {
    match made {
        Ok(body) => Ok(Reply::Text { content_type: "application/json", body: body.clone() }),
        Err(error) => Err(ApiError::internal(error)),
    }
}

/// The page.
pub fn page() -> Reply {
    Reply::Text { content_type: "text/html; charset=utf-8", body: openapi::PAGE.to_owned() }
}
