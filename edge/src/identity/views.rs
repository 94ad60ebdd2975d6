//! A person who logged in, as both programs show one.

use domain::model::people::user::User;
use schemars::JsonSchema;
use serde::Serialize;

/// A user of the store or of head office.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "User")]
pub struct UserView<'a> {
    /// ID of the user, `usr_…`.
    pub id: &'a str,
    /// Display name.
    pub name: &'a str,
    /// Role of the user.
    pub role: domain::model::people::user::Role,
    /// Store that the user belongs to. Empty for head office.
    pub store_id: &'a str,
}

/// A user as answers show one.
pub fn view(user: &User) -> UserView<'_> {
    UserView {
        id: user.user_id.as_str(),
        name: &user.name,
        role: user.role,
        store_id: user.store_id.as_str(),
    }
}

/// Result of a log-in.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LoginResult<'a> {
    /// The access token.
    pub token: &'a str,
    /// The refresh token.
    pub refresh_token: &'a str,
    /// Lifetime of the access token in seconds.
    pub expires_in: i64,
    /// The user who logged in.
    pub user: UserView<'a>,
    /// Token with which this user's PIN works at this till, for 30 days after the user's last log-in here. Only at a
    /// store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub till_token: Option<String>,
    /// Whether the user has a PIN. Only at a store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_pin: Option<bool>,
}

/// Data of a logged-in person that a till keeps.
#[derive(Debug)]
pub struct Till {
    /// Makes the person's PIN work there.
    pub token: String,
    /// Whether the person has a PIN.
    pub has_pin: bool,
}

/// The caller of the request.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Me<'a> {
    /// The calling user.
    pub user: UserView<'a>,
}

/// Readiness of the service.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Ready {
    /// Whether writes are accepted.
    pub ready: bool,
}

/// An example of [`LoginResult`].
pub const LOGIN_RESULT: &str = r#"{"token": "eyJ0eXAiOiJKV1QiLCJhbGciOiJFZERTQSJ9.e30.c2ln",
    "refresh_token": "eyJ0eXAiOiJKV1QiLCJhbGciOiJFZERTQSJ9.e30.Z2lz", "expires_in": 3600,
    "user": {"id": "usr_019a9f00a1b27c3d8e4f5a6b7c8d9e0f", "name": "Ani", "role": "cashier", "store_id": "S001"}}"#;
/// An example of [`Me`].
pub const ME: &str = r#"{"user": {"id": "usr_019a9f00a1b27c3d8e4f5a6b7c8d9e0f", "name": "Ani",
    "role": "cashier", "store_id": "S001"}}"#;
/// Reason why the answer to a log-in is not stored under an idempotency key.
pub const LOGIN_UNKEYED: &str = "every log-in creates new tokens, and tokens are never stored in clear text";
