//! `X-Session: cookie`: a page keeps its refresh token where its scripts can't read it (docs/api.md#sessions).

use crate::api::error::ApiError;
use crate::api::reply::Reply;
use crate::api::request::{Request, headers};
use domain::model::base::answer::Answer;
use std::time::Duration;

/// Values of the header, and the cookie of each. One per app: a manager in Store Admin is not the cashier of the till
/// in the same browser, and the two daemons on one host keep theirs apart.
const COOKIES: [(&str, &str); 4] = [
    ("cookie", "refresh_token"),
    ("cookie; app=pos", "refresh_token_pos"),
    ("cookie; app=admin", "refresh_token_admin"),
    ("cookie; app=portal", "refresh_token_portal"),
];
/// Sent to these paths only, never to a request that another site began.
const ATTRIBUTES: &str = "HttpOnly; SameSite=Strict; Path=/api/auth";

/// Place where a client keeps its refresh token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// In the body's field: a till, a program.
    Itself,
    /// In a cookie: a page.
    Cookie {
        /// The page came over TLS: the cookie is never sent without it.
        secure: bool,
        /// Name of the cookie.
        name: &'static str,
    },
}

impl Keeps {
    /// The answer's body must not hold the token.
    pub fn hides(self) -> bool {
        self != Self::Itself
    }
}

/// Place that the request names.
///
/// # Errors
/// 400 `invalid_header`.
pub fn keeps<S>(request: &Request<S>) -> Result<Keeps, ApiError> {
    let Some(said) = request.headers.get(headers::SESSION) else { return Ok(Keeps::Itself) };
    let known = COOKIES.iter().find(|(value, _)| value.as_bytes() == said.as_bytes());
    let (_, name) = known.ok_or_else(|| {
        ApiError::invalid_header("X-Session", "cookie, optionally with ; app=pos, admin or portal; or absent")
    })?;
    Ok(Keeps::Cookie { secure: request.secure || is_tls_page(request), name })
}

/// Whether a browser reports that its page came over TLS, as it does behind a proxy that ends TLS.
fn is_tls_page<S>(request: &Request<S>) -> bool {
    request.headers.get("origin").is_some_and(|origin| origin.as_bytes().starts_with(b"https://"))
}

/// The refresh token in the request's cookie of that name. Read only where `X-Session` asks for it: no other site's
/// page can send that header.
pub fn token<S>(request: &Request<S>, cookie: &str) -> Option<String> {
    let lines = request.headers.get_all("cookie").into_iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, token)| *name == cookie && !token.is_empty()).map(|(_, token)| token.to_owned())
}

/// The answer, with the token put where the client keeps it.
pub fn answer(answer: Answer, keeps: Keeps, token: &str, lifetime: Duration) -> Reply {
    match keeps {
        Keeps::Itself => Reply::from(answer),
        Keeps::Cookie { secure, name } => {
            let only_tls = if secure { "; Secure" } else { "" };
            let cookie = format!("{name}={token}; Max-Age={}; {ATTRIBUTES}{only_tls}", lifetime.as_secs());
            Reply::Cookie { answer, cookie }
        }
    }
}
