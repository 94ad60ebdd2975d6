//! Bodies with secrets, as a retry key knows them.

use super::Accounts;
use crate::api::error::ApiError;
use crate::api::request::Request;
use serde_json::Value;

/// Context of the request, by the body [`without`] its secrets.
///
/// # Errors
/// 400 `invalid_json`, 401 `missing_token`.
pub fn context_without<S: Accounts>(request: &Request<S>, secrets: &[&str]) -> Result<S::Context, ApiError> {
    S::context(request, without(request, secrets)?.as_bytes())
}

/// The body as a fingerprint may know it. Of the fields of these names only the presence counts: a password
/// could be guessed from a fingerprint far faster than from its hash.
///
/// # Errors
/// 400 `invalid_json`.
pub fn without<S>(request: &Request<S>, secrets: &[&str]) -> Result<String, ApiError> {
    let mut body: Value = request.json()?;
    for secret in secrets {
        if let Some(value) = body.get_mut(*secret).filter(|value| !value.is_null()) {
            *value = Value::Bool(true);
        }
    }
    Ok(body.to_string())
}
