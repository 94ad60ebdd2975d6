//! What the description of this interface says about this program.

use crate::http::Answered;
use crate::http::ROUTES;
use crate::http::Request;
use edge::docs;
use edge::openapi::{DocumentError, Info};
use std::sync::OnceLock;

/// Description of this program in the document.
const INFO: Info = Info {
    title: "Store Router",
    version: env!("CARGO_PKG_VERSION"),
    description: "The daemon that keeps one shop selling: point of sale, shifts, stock, receiving and \
        synchronisation. Money is in whole currency units, rates in basis points, rounded half up per line; \
        times are RFC 3339 in UTC with milliseconds. Reachable from the shop's own network only.",
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
