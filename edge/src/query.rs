//! Queries: strict percent-decoding, no unknown, no repeated parameters.

use crate::error::ApiError;
use serde::de::{DeserializeOwned, Error as _, value::Error};

mod decode;
mod reader;

pub(crate) use decode::percent;

/// Most parameters in a query.
const PARAMETERS_MAX: usize = 64;

/// Reads a raw query as `T`. Parameters without a field of that name are refused, whatever `T` says.
pub fn parse<T: DeserializeOwned>(raw: &str) -> Result<T, ApiError> {
    let pairs = pairs(raw).map_err(|error| ApiError::invalid_query(error.to_string()))?;
    T::deserialize(reader::Reader(pairs)).map_err(|error| ApiError::invalid_query(error.to_string()))
}

fn pairs(raw: &str) -> Result<Vec<(String, String)>, Error> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for part in raw.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let name = decode::form(name).ok_or_else(|| Error::custom("a parameter name is badly encoded"))?;
        let value = decode::form(value)
            .ok_or_else(|| Error::custom(format_args!("the value of `{name}` is badly encoded")))?;
        if pairs.iter().any(|(known, _)| *known == name) {
            return Err(Error::custom(format_args!("the parameter `{name}` is repeated")));
        }
        if pairs.len() == PARAMETERS_MAX {
            return Err(Error::custom("too many parameters"));
        }
        pairs.push((name, value));
    }
    Ok(pairs)
}
