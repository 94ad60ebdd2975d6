//! JSON bodies: syntax is 400, shape is 422 with the path of the field.

use super::composed;
use super::shape_problem;
use super::strict::Strict;
use crate::api::error::ApiError;
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
        ApiError::field(path(error.path(), &problem), shape_problem::plain(&problem))
    })
}

fn refuse(unsound: Unsound) -> ApiError {
    match unsound {
        Unsound::Nul { path } => ApiError::field(path, "must not contain the character U+0000"),
        Unsound::Syntax(_) | Unsound::RepeatedKey { .. } => ApiError::invalid_json(unsound),
    }
}

/// Path of the error; the body as a whole is `.`. A field that is missing has no path of its own for serde: it is
/// named here, so that a form can mark it.
fn path(path: &serde_path_to_error::Path, problem: &str) -> String {
    let missing = problem.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
    match (missing, path.to_string()) {
        (None, path) => path,
        (Some(name), path) if path == "." => name.to_owned(),
        (Some(name), path) => format!("{path}.{name}"),
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
