//! Query strings: strictly decoded, without unknown or repeated parameters.

use crate::api::error::{ApiError, shape_problem};
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
    serde_path_to_error::deserialize(reader::Reader(pairs)).map_err(|error| {
        let problem = error.inner().to_string();
        let field = shape_problem::field(error.path(), &problem);
        ApiError::invalid_query(field.path, field.problem)
    })
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
            "at",
            "must be now or later; earlier prices are in the sales and the audit log",
        )),
        at => Ok(at.map_or(now, |at| at.max(now))),
    }
}

fn pairs(raw: &str) -> Result<Vec<(String, String)>, ApiError> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for part in raw.split('&').filter(|part| !part.is_empty()) {
        let (raw_name, value) = part.split_once('=').unwrap_or((part, ""));
        let Some(name) = decode::form(raw_name) else {
            return Err(ApiError::invalid_query(raw_name, "is the badly encoded name of a parameter"));
        };
        let Some(value) = decode::form(value) else {
            // No list creates a cursor that is badly encoded.
            let is_cursor = name == CURSOR;
            let refused = || ApiError::invalid_query(name, "is badly encoded");
            return Err(if is_cursor { ApiError::invalid_cursor() } else { refused() });
        };
        if pairs.iter().any(|(earlier, _)| *earlier == name) {
            return Err(ApiError::invalid_query(name, "is repeated: send it once"));
        }
        if pairs.len() == PARAMETERS_MAX {
            let problem = format!("is one parameter too many: a query has at most {PARAMETERS_MAX}");
            return Err(ApiError::invalid_query(name, problem));
        }
        pairs.push((name, value));
    }
    Ok(pairs)
}
