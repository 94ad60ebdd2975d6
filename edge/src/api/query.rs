//! Query strings: strictly decoded, without unknown or repeated parameters.

use crate::api::error::ApiError;
use domain::model::base::time::UtcMs;
use serde::de::DeserializeOwned;

mod decode;
mod reader;

pub(crate) use decode::percent;

/// Most parameters in a query.
const PARAMETERS_MAX: usize = 64;
/// The cursor of lists. If it is badly encoded, the error is `invalid_cursor`.
const CURSOR: &str = "cursor";

/// Reads a raw query as `T`. Parameters without a field are refused, even if `T` does not deny unknown fields.
pub fn parse<T: DeserializeOwned>(raw: &str) -> Result<T, ApiError> {
    let pairs = pairs(raw)?;
    T::deserialize(reader::Reader(pairs)).map_err(|error| ApiError::invalid_query(error.to_string()))
}

/// A time that is at most this many milliseconds old counts as now, since clocks differ and requests take time.
const LATE_MS: i64 = 60_000;

/// The requested time, or now if it is omitted or at most `LATE_MS` ago.
///
/// # Errors
/// 400 for an earlier time: only current and future values are kept.
pub fn now_or_later(at: Option<UtcMs>, now: UtcMs) -> Result<UtcMs, ApiError> {
    match at {
        Some(at) if at.0 < now.0.saturating_sub(LATE_MS) => Err(ApiError::invalid_query(
            "`at` must be now or later; earlier prices are in the sales and the audit log",
        )),
        at => Ok(at.map_or(now, |at| at.max(now))),
    }
}

fn pairs(raw: &str) -> Result<Vec<(String, String)>, ApiError> {
    let refused = |why: String| Err(ApiError::invalid_query(why));
    let mut pairs: Vec<(String, String)> = Vec::new();
    for part in raw.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let Some(name) = decode::form(name) else {
            return refused("a parameter name is badly encoded".to_owned());
        };
        let Some(value) = decode::form(value) else {
            // No list creates a cursor that is badly encoded.
            return if name == CURSOR {
                Err(ApiError::invalid_cursor())
            } else {
                refused(format!("the value of `{name}` is badly encoded"))
            };
        };
        if pairs.iter().any(|(earlier, _)| *earlier == name) {
            return refused(format!("the parameter `{name}` is repeated"));
        }
        if pairs.len() == PARAMETERS_MAX {
            return refused("too many parameters".to_owned());
        }
        pairs.push((name, value));
    }
    Ok(pairs)
}
