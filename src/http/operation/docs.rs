//! The OpenAPI documents of this program.

use crate::http::Answered;
use crate::http::ROUTES;
use crate::http::Request;
use edge::docs;
use edge::openapi::{DocumentError, Info};
use std::sync::OnceLock;

/// Title and description of the document.
const INFO: Info = Info {
    title: "Store Router",
    version: env!("CARGO_PKG_VERSION"),
    description: "The server of one shop: point of sale, shifts, stock, receiving and synchronisation. Amounts of money are integers in the smallest unit of the currency (1250 is 12.50 EUR or 1,250 IDR); rates are in basis points (1,100 is 11 %), and amounts are rounded half up per line; times are RFC 3339 in UTC with milliseconds. It can be reached from the shop's own network only.",
    has_registers: true,
};

/// The document that is served, and committed as `docs/openapi/store-router.json`.
///
/// # Errors
/// A mistake in the table of routes, which a test finds.
pub fn text() -> Result<String, DocumentError> {
    edge::openapi::text(ROUTES, &INFO)
}

/// `GET /api/openapi-3.0.json`
pub async fn document_3_0(_request: Request) -> Answered {
    static TEXT: OnceLock<Result<String, DocumentError>> = OnceLock::new();
    docs::document(TEXT.get_or_init(|| edge::openapi::text_3_0(ROUTES, &INFO)))
}

/// `GET /api/openapi.json`
pub async fn document(_request: Request) -> Answered {
    static TEXT: OnceLock<Result<String, DocumentError>> = OnceLock::new();
    docs::document(TEXT.get_or_init(text))
}
