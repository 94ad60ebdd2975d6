//! The description of an interface.

use crate::api::error::ApiError;
use crate::api::openapi::DocumentError;
use crate::api::reply::Reply;
use crate::api::route::Doc;

/// `GET /api/openapi.json`
pub const DOCUMENT: Doc =
    Doc::of("Description", "Retrieve this OpenAPI 3.1 document").answers_text("application/json");
/// `GET /api/openapi-3.0.json`
pub const DOCUMENT_3_0: Doc =
    Doc::of("Description", "Retrieve this document as OpenAPI 3.0.3").answers_text("application/json");

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
