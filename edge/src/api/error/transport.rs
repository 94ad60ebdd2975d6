//! The rows of the error table (docs/api.md#conventions) that no rule of the domain can give: transport and access.

use super::{ApiError, Code};
use domain::model::base::refusal::{FieldProblem, Refusal};
use serde_json::json;

/// Rows without anything of their own: name, code, message.
macro_rules! rows {
    ($($(#[$doc:meta])* $name:ident => $code:ident $message:literal;)+) => {
        impl ApiError {$(
            $(#[$doc])*
            pub fn $name() -> Self {
                Self::new(Code::$code, $message)
            }
        )+}
    };
}

rows! {
    /// 401: no bearer token.
    missing_token => MissingToken "send an access token: Authorization: Bearer …";
    /// 401: bad signature, wrong issuer or audience, wrong kind.
    invalid_token => InvalidToken "the token is not valid here: log in again";
    /// 401: refresh it or log in.
    token_expired => TokenExpired "the token has expired: refresh it, or log in again";
    /// 401: ended by logout, by a new password or by an administrator.
    token_revoked => TokenRevoked "the token was revoked: log in again";
    /// 401: unknown user or wrong password, undistinguishable.
    invalid_credentials => InvalidCredentials "the login name or the password is wrong";
    /// 403: the role has no part in this.
    insufficient_role => InsufficientRole "your role does not allow this: ask a manager to do it";
    /// 403: the peer is outside of `http.allowed_networks`.
    network_not_allowed => NetworkNotAllowed "requests from this network are not allowed: use the shop's \
        network, or add this one to http.allowed_networks";
    /// 403: a manager has to approve this.
    approval_required => ApprovalRequired "this needs an approval: ask a store manager or an administrator to \
        approve it here";
    /// 403: the approver's name, password, PIN or device is wrong, or the account is disabled, undistinguishable.
    approval_refused => ApprovalRefused "the approval is refused: the approver's login name, password, PIN or device is wrong, or the account is disabled";
    /// 403: the PIN was wrong too often.
    pin_locked => PinLocked "the PIN was wrong too often: log in with the password or a device";
    /// 403: the user was disabled.
    account_disabled => AccountDisabled "this account is disabled: ask a manager or head office to enable it";
    /// 404: no such path.
    no_such_path => PathNotFound "the API has no such path: check the address";
    /// 408: the request did not arrive in time.
    request_timeout => RequestTimeout "the request did not arrive in time: send it again";
    /// 409: the first request with this key has not finished yet.
    request_in_progress => RequestInProgress "a request with this idempotency key is still running: ask again in a moment with the same key";
    /// 421: a `Host` that is not ours, as in DNS rebinding.
    misdirected_request => MisdirectedRequest "the Host header is not a name of this server: add the name to http.allowed_hosts";
}

impl ApiError {
    /// 400: the body is not JSON.
    pub fn invalid_json(problem: impl std::fmt::Display) -> Self {
        Self::new(Code::InvalidJson, format!("the body is not valid JSON: {problem}"))
    }

    /// 400: a header that breaks its rule.
    pub fn invalid_header(name: &'static str, rule: &'static str) -> Self {
        Self::new(Code::InvalidHeader, format!("{name} must be {rule}")).with_details(json!({"header": name}))
    }

    /// 400: not HTTP, or a header beyond the limit.
    pub fn malformed_request(problem: impl std::fmt::Display) -> Self {
        Self::new(Code::InvalidHeader, format!("the request can't be read: {problem}"))
    }

    /// 400: a cursor that this server did not make.
    pub fn invalid_cursor() -> Self {
        let problem = "does not belong to this list: start again without it";
        Self::parameter(Code::InvalidCursor, "cursor", problem)
    }

    /// 400: an unknown, repeated, missing or malformed query parameter: its name, and the problem.
    pub fn invalid_query(name: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::parameter(Code::InvalidQuery, name, problem)
    }

    /// A parameter is refused in the shape of a body's field.
    fn parameter(code: Code, name: impl Into<String>, problem: impl Into<String>) -> Self {
        let field = FieldProblem { path: name.into(), problem: problem.into() };
        let message = format!("{} {}", field.path, field.problem);
        Self::new(code, message).with_details(json!({"fields": [field]}))
    }

    /// 404 for a thing: `what` names it, for example `the purchase order`, which the details have as `purchase_order`.
    pub fn not_found(what: &'static str) -> Self {
        Refusal::NotFound(what).into()
    }

    /// 413, with the limit in bytes.
    pub fn body_too_large(limit_bytes: usize) -> Self {
        Self::new(Code::BodyTooLarge, format!("the body is larger than {limit_bytes} bytes"))
            .with_details(json!({"limit_bytes": limit_bytes}))
    }

    /// 415, with the expected type.
    pub fn unsupported_media_type(problem: impl Into<String>) -> Self {
        Self::new(Code::UnsupportedMediaType, problem)
    }

    /// 403: too many refused approvals here; log-ins are not affected.
    pub fn approval_limited(retry_after_s: u64) -> Self {
        let message = format!(
            "too many approvals were refused here: try again in {retry_after_s} s, or have the manager log in"
        );
        Self::new(Code::ApprovalLimited, message).with_details(json!({"retry_after_s": retry_after_s}))
    }

    /// 401: not the PIN of the person of the till's token, or that person has no PIN.
    pub fn wrong_pin() -> Self {
        Self::new(Code::InvalidCredentials, "the PIN is wrong")
    }

    /// 422: the key was used for another command; `differs` names its parts: `body`, `query.NAME`.
    pub fn idempotency_key_reused(differs: &[String]) -> Self {
        let message = format!(
            "this idempotency key was used for another request (different: {}): send a new request with a new key",
            differs.join(", ")
        );
        Self::new(Code::IdempotencyKeyReused, message).with_details(json!({"differs": differs}))
    }

    /// 429, with when to try again.
    pub fn rate_limited(retry_after_s: u64) -> Self {
        Self::new(Code::RateLimited, format!("too many attempts: try again in {retry_after_s} s"))
            .with_retry_after(retry_after_s)
    }

    /// 503: an actor is restarting, a queue is full, or the daemon is draining.
    pub fn unavailable(problem: impl Into<String>, retry_after_s: u64) -> Self {
        Self::new(Code::Unavailable, problem).with_retry_after(retry_after_s)
    }

    /// 507: nothing can be written; acknowledged data is safe.
    pub fn storage_full(problem: impl Into<String>) -> Self {
        Self::new(Code::StorageFull, problem)
    }
}
