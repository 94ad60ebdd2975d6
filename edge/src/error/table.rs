//! The rows of the error table (docs/api.md#conventions) that no rule of the domain can give: transport and access.

use super::ApiError;
use serde_json::json;

/// Rows without anything of their own: name, status, code, message.
macro_rules! rows {
    ($($(#[$doc:meta])* $name:ident => $status:literal $code:literal $message:literal;)+) => {
        impl ApiError {$(
            $(#[$doc])*
            pub fn $name() -> Self {
                Self::new($status, $code, $message)
            }
        )+}
    };
}

rows! {
    /// 400: a cursor that this server did not make.
    invalid_cursor => 400 "invalid_cursor" "the cursor is not one of ours";
    /// 401: no bearer token.
    missing_token => 401 "missing_token" "send an access token: Authorization: Bearer …";
    /// 401: bad signature, wrong issuer or audience, wrong kind.
    invalid_token => 401 "invalid_token" "the token is not valid here: log in again";
    /// 401: refresh it or log in.
    token_expired => 401 "token_expired" "the token has expired: refresh it, or log in again";
    /// 401: ended by logout, by a new password or by an administrator.
    token_revoked => 401 "token_revoked" "the token was revoked: log in again";
    /// 401: unknown user or wrong password, undistinguishable.
    invalid_credentials => 401 "invalid_credentials" "the login name or the password is wrong";
    /// 403: the role has no part in this.
    insufficient_role => 403 "insufficient_role" "your role does not allow this: ask a manager to do it";
    /// 403: the peer is outside of `http.allowed_networks`.
    network_not_allowed => 403 "network_not_allowed" "this network may not speak to this server";
    /// 403: a manager has to approve this.
    approval_required => 403 "approval_required" "this needs an approval: ask a manager to give it here";
    /// 403: the user was disabled.
    account_disabled => 403 "account_disabled" "this account is disabled";
    /// 404: no such path.
    no_such_path => 404 "not_found" "there is nothing at this path";
    /// 408: the request did not arrive in time.
    request_timeout => 408 "request_timeout" "the request did not arrive in time";
    /// 409: the first request with this key has not finished yet.
    request_in_progress => 409 "request_in_progress" "a request with this idempotency key is still running";
    /// 421: a `Host` that is not ours, as in DNS rebinding.
    misdirected_request => 421 "misdirected_request" "this server is not known by that Host (http.allowed_hosts)";
    /// 422: the key was used for another body.
    idempotency_key_reused => 422 "idempotency_key_reused" "this idempotency key was used for another request";
}

impl ApiError {
    /// 400: not JSON.
    pub fn invalid_json(problem: impl std::fmt::Display) -> Self {
        Self::new(400, "invalid_json", format!("the body is not valid JSON: {problem}"))
    }

    /// 400: a header that breaks its rule.
    pub fn invalid_header(name: &'static str, rule: &'static str) -> Self {
        Self::new(400, "invalid_header", format!("{name} must be {rule}"))
            .with_details(json!({"header": name}))
    }

    /// 400: not HTTP, or a header beyond the limit.
    pub fn malformed_request(problem: impl std::fmt::Display) -> Self {
        Self::new(400, "invalid_header", format!("the request can't be read: {problem}"))
    }

    /// 400: an unknown, repeated or malformed query parameter.
    pub fn invalid_query(problem: impl Into<String>) -> Self {
        Self::new(400, "invalid_query", problem)
    }

    /// 404 for a thing: `what` names it, for example `transaction`.
    pub fn not_found(what: &str) -> Self {
        Self::new(404, "not_found", format!("{what} was not found"))
    }

    /// 413, with the limit in bytes.
    pub fn body_too_large(limit_bytes: usize) -> Self {
        Self::new(413, "body_too_large", format!("the body is larger than {limit_bytes} bytes"))
            .with_details(json!({"limit_bytes": limit_bytes}))
    }

    /// 415, with what was expected.
    pub fn unsupported_media_type(problem: impl Into<String>) -> Self {
        Self::new(415, "unsupported_media_type", problem)
    }

    /// 403: too many approvals were refused here; nobody's log-in is.
    pub fn approval_limited(retry_after_s: u64) -> Self {
        let message = format!(
            "too many approvals were refused here: try again in {retry_after_s} s, or let the manager log in"
        );
        Self::new(403, "approval_limited", message).with_details(json!({"retry_after_s": retry_after_s}))
    }

    /// 429, with when to try again.
    pub fn rate_limited(retry_after_s: u64) -> Self {
        Self::new(429, "rate_limited", "too many attempts; wait a little").with_retry_after(retry_after_s)
    }

    /// 503: an actor is restarting, a queue is full, or the daemon is draining.
    pub fn unavailable(problem: impl Into<String>, retry_after_s: u64) -> Self {
        Self::new(503, "unavailable", problem).with_retry_after(retry_after_s)
    }

    /// 507: nothing can be written; what was acknowledged is safe.
    pub fn storage_full(problem: impl Into<String>) -> Self {
        Self::new(507, "storage_full", problem)
    }
}
