//! `GET /passkeys`: a small page on which a person logs in and registers devices, with nothing from outside.

use crate::{ApiError, Doc, Reply, Request};

/// `GET /passkeys`
pub const PAGE: Doc =
    Doc::of("Passkeys", "A page to log in on, and to register this device").answers_text("text/html");

/// `GET /passkeys`
///
/// # Errors
/// None.
pub async fn page<S>(_request: Request<S>) -> Result<Reply, ApiError> {
    Ok(Reply::Text { content_type: "text/html; charset=utf-8", body: include_str!("page.html").to_owned() })
}
