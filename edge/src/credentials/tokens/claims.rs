//! Claims of a user's token.

use domain::model::people::user::Role;
use serde::{Deserialize, Serialize};

/// Use of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenKind {
    /// Sent with every request.
    Access,
    /// Buys a new access token.
    Refresh,
    /// Makes its user's PIN work at the till that keeps it.
    Till,
    /// Opens an event stream, once.
    Ticket,
}

/// Claims of a user's token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    /// Issuer of the token: `store-router:<store_id>` or `cloud-hub:<hub_id>`.
    pub iss: String,
    /// Audience of the token: the same as the issuer.
    pub aud: String,
    /// ID of the user.
    pub sub: String,
    /// Display name.
    pub name: String,
    /// Role of the user.
    pub role: Role,
    /// The person's store; empty for head office.
    pub store_id: String,
    /// This token's own ID.
    pub jti: String,
    /// The session that the login opened.
    pub sid: String,
    /// The user's `token_version` when it was issued.
    pub ver: u64,
    /// Use of the token.
    pub typ: TokenKind,
    /// Issued at, in seconds since 1970.
    pub iat: i64,
    /// Expires at, in seconds since 1970.
    pub exp: i64,
    /// Not valid before, in seconds since 1970: never issued, but checked if present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nbf: Option<i64>,
}

impl Claims {
    /// Whether audience, user, session and token are all named.
    pub(super) fn is_whole(&self) -> bool {
        [&self.sub, &self.jti, &self.sid].into_iter().all(|text| !text.is_empty())
    }

    /// Lifetime of the token.
    pub(super) fn life(&self) -> Life {
        Life { iat: self.iat, nbf: self.nbf, exp: self.exp }
    }
}

/// Lifetime of a token, in seconds since 1970.
#[derive(Debug, Clone, Copy)]
pub struct Life {
    pub iat: i64,
    pub nbf: Option<i64>,
    pub exp: i64,
}
