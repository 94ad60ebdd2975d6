//! Request headers with rules of their own.

use crate::api::error::ApiError;
use crate::api::reply::REQUEST_ID;
use crate::ids;
use domain::model::base::ids::{RegisterId, is_short_id};
use http::{HeaderMap, HeaderValue, header};

/// States that a page keeps its refresh token in a cookie, and of which app: `X-Session`.
pub const SESSION: &str = "x-session";
/// Longest `X-Request-Id` that is taken over, in bytes.
const REQUEST_ID_BYTES_MAX: usize = 128;
/// Longest `Idempotency-Key`, in bytes.
const IDEMPOTENCY_KEY_BYTES_MAX: usize = 255;

/// The client's own ID for this request if it is fit, else a new one.
pub fn request_id(headers: &HeaderMap) -> HeaderValue {
    let own = headers.get(REQUEST_ID);
    own.filter(|id| visible(id, REQUEST_ID_BYTES_MAX)).cloned().unwrap_or_else(new_request_id)
}

/// A new request ID.
pub fn new_request_id() -> HeaderValue {
    HeaderValue::try_from(ids::new("req_")).unwrap_or(HeaderValue::from_static("req_"))
}

/// A body has a length or is chunked. Other transfer codings are refused: this server does not decode them, and a
/// proxy that interprets them differently would see other requests (request smuggling).
pub fn framing(headers: &HeaderMap) -> Result<(), ApiError> {
    let fit = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"chunked");
    single(headers, "Transfer-Encoding", "chunked, sent once", fit).map(drop)
}

/// The retry key: 1–255 visible ASCII characters, at most once.
pub fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let valid = |value: &HeaderValue| visible(value, IDEMPOTENCY_KEY_BYTES_MAX);
    single(headers, "Idempotency-Key", "1 to 255 visible ASCII characters, sent once", valid)
}

/// The till that speaks: 1–32 of `A-Za-z0-9_-`, at most once.
pub fn register_id(headers: &HeaderMap) -> Result<Option<RegisterId>, ApiError> {
    let valid = |value: &HeaderValue| value.to_str().is_ok_and(is_short_id);
    let name = single(headers, "X-Register-Id", "1 to 32 of A-Z a-z 0-9 _ -, sent once", valid)?;
    Ok(name.map(RegisterId))
}

/// The version that is to be changed, without its quotes; at most once.
pub fn if_match(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let valid = |value: &HeaderValue| {
        let text = value.to_str().unwrap_or_default();
        let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        inner.is_some_and(is_short_id)
    };
    let tag = single(headers, "If-Match", "a version in double quotes, sent once", valid)?;
    Ok(tag.map(|tag| tag.trim_matches('"').to_owned()))
}

/// Reads the bearer token.
pub fn bearer(headers: &HeaderMap) -> Result<&str, ApiError> {
    let value = headers.get(header::AUTHORIZATION).ok_or_else(ApiError::missing_token)?;
    let text = value.to_str().map_err(|_| ApiError::invalid_token())?;
    match text.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(token.trim()),
        _ => Err(ApiError::missing_token()),
    }
}

fn single(
    headers: &HeaderMap,
    name: &'static str,
    rule: &'static str,
    valid: impl Fn(&HeaderValue) -> bool,
) -> Result<Option<String>, ApiError> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) if valid(value) => Ok(value.to_str().ok().map(str::to_owned)),
        _ => Err(ApiError::invalid_header(name, rule)),
    }
}

fn visible(value: &HeaderValue, bytes_max: usize) -> bool {
    let bytes = value.as_bytes();
    (1..=bytes_max).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_graphic)
}
