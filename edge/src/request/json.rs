//! JSON bodies: syntax is 400, shape is 422 with the path of the field.

use super::strict::Strict;
use crate::error::ApiError;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::error::Category;

/// Reads `body` as `T`.
pub fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    match serde_path_to_error::deserialize(Strict(&mut reader)) {
        Ok(value) => reader.end().map(|()| value).map_err(ApiError::invalid_json),
        Err(error) => Err(refuse(body, &error)),
    }
}

fn refuse(body: &[u8], error: &serde_path_to_error::Error<serde_json::Error>) -> ApiError {
    match error.inner().classify() {
        Category::Data => match syntax(body) {
            Ok(()) => {
                let problem = problem(error.inner());
                ApiError::field(path(error.path(), &problem), problem)
            }
            Err(syntax) => syntax,
        },
        Category::Syntax | Category::Eof | Category::Io => ApiError::invalid_json(error.inner()),
    }
}

/// Where it is wrong; the body as a whole is `.`. A field that is missing has no path of its own for
/// serde: it is named here, so that a form can mark it.
fn path(path: &serde_path_to_error::Path, problem: &str) -> String {
    let missing = problem.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
    match (missing, path.to_string()) {
        (None, path) => path,
        (Some(name), path) if path == "." => name.to_owned(),
        (Some(name), path) => format!("{path}.{name}"),
    }
}

/// A body that is wrong in both ways is refused for its syntax, wherever the mistakes stand.
fn syntax(body: &[u8]) -> Result<(), ApiError> {
    let text = std::str::from_utf8(body).map_err(ApiError::invalid_json)?;
    serde_json::from_str::<IgnoredAny>(text).map(|_| ()).map_err(ApiError::invalid_json)
}

/// What is wrong, without serde_json's position: the path says where.
fn problem(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text.get(..end).unwrap_or(&text).to_owned(),
        None => text,
    }
}
