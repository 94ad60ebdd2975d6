//! Common parts of queries of lists.

use edge::ApiError;
use edge::page::Limit;

/// One more than the page holds: it proves that there is more.
pub fn one_more(limit: Limit) -> i64 {
    i64::try_from(limit.one_more()).unwrap_or(i64::MAX)
}

/// The longest text that is searched for, in characters.
const Q_CHARS_MAX: usize = 128;

/// Whether a text may be searched for.
///
/// # Errors
/// 400 `invalid_query`.
pub fn check_q(q: Option<&str>) -> Result<(), ApiError> {
    if q.is_some_and(|q| q.chars().count() > Q_CHARS_MAX) {
        return Err(ApiError::invalid_query("q", "must have at most 128 characters"));
    }
    Ok(())
}
