//! JSON bodies: syntax is 400, shape is 422 with the path of the field.

use super::composed;
use super::strict::Strict;
use crate::api::error::{ApiError, shape_problem};
use domain::wire::json::{Unsound, check, check_but};
use serde::de::DeserializeOwned;

/// Reads `body` as `T`. The text is checked as a whole first: a body with several mistakes is refused for its syntax,
/// wherever the others are.
///
/// # Errors
/// 400 `invalid_json` for syntax and for a key that occurs twice in one object; 422 `validation_failed` with the
/// field's path for shape and for U+0000.
pub fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    check(body).map_err(refuse)?;
    read(&composed::body(body))
}

/// As [`parse`], except that the texts under `key` are taken as they are.
///
/// # Errors
/// The errors of [`parse`].
pub fn parse_but<T: DeserializeOwned>(body: &[u8], key: &str) -> Result<T, ApiError> {
    check_but(body, key).map_err(refuse)?;
    read(body)
}

/// The place is not tracked until there is an error: then the body is read again.
fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    if let Ok(value) = T::deserialize(Strict(&mut serde_json::Deserializer::from_slice(body))) {
        return Ok(value);
    }
    let mut reader = serde_json::Deserializer::from_slice(body);
    serde_path_to_error::deserialize(Strict(&mut reader)).map_err(|error| {
        let problem = problem(error.inner());
        ApiError::validation(&[shape_problem::field(error.path(), &problem)])
    })
}

fn refuse(unsound: Unsound) -> ApiError {
    match unsound {
        Unsound::Nul { path } => ApiError::field(path, "must not contain the character U+0000"),
        Unsound::Syntax(_) | Unsound::RepeatedKey { .. } => ApiError::invalid_json(unsound),
    }
}

/// Description of the error, without serde_json's position, which the path gives.
fn problem(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text.get(..end).unwrap_or(&text).to_owned(),
        None => text,
    }
}
