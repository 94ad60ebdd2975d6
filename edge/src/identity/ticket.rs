//! `POST /api/events/ticket`: a browser's `EventSource` sends no headers, so it opens the stream with a ticket in the
//! address. Addresses are written down by proxies and in histories: a ticket works once, and for 30 s.

use super::{AccountResult, Accounts, EmptyBody};
use crate::api::error::{ApiError, Code};
use crate::api::reply::Reply;
use crate::api::request::Request;
use crate::api::route::Doc;
use crate::credentials::tokens::{Claims, TOKEN_BYTES_MAX, TokenKind};
use domain::model::base::time::UtcMs;
use domain::model::people::user::{Principal, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

/// Seconds that a ticket works.
pub const TICKET_S: i64 = 30;

/// `POST /api/events/ticket`
pub const CREATE: Doc = Doc::of(
    "Events",
    "Create a ticket for the event stream. It works once and for 30 s, for clients that can't send a header",
)
.optional_body::<EmptyBody>("{}")
.answers::<Ticket>(r#"{"ticket": "eyJ0eXAiOiJKV1QiLCJhbGciOiJFZERTQSJ9.e30.dGt0", "expires_in": 30}"#)
.unkeyed("each request makes another ticket, and a ticket changes nothing");

/// A ticket.
#[derive(Serialize, JsonSchema)]
struct Ticket {
    /// Value of the query parameter `ticket`.
    ticket: String,
    /// Seconds that the ticket works.
    expires_in: i64,
}

/// Query of an event stream.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamQuery {
    /// Ticket of `POST /api/events/ticket`, instead of an access token in `Authorization`.
    #[schemars(length(max = TOKEN_BYTES_MAX))]
    ticket: Option<String>,
}

/// Who opens a stream.
pub struct Listener {
    /// Claims of the access token, or of the ticket that it gave.
    pub claims: Arc<Claims>,
    /// The person.
    pub caller: Arc<Principal>,
}

/// Programs with event streams.
pub trait Listeners: Accounts {
    /// The person behind claims that were checked, if the session is still there.
    fn holder(&self, claims: &Claims) -> impl Future<Output = AccountResult<Arc<Principal>>> + Send;

    /// Uses a ticket up. False if it was used before.
    fn spend(&self, ticket: &Claims) -> impl Future<Output = AccountResult<bool>> + Send;
}

/// `POST /api/events/ticket`
///
/// # Errors
/// As its description says.
pub async fn create<S: Accounts>(request: Request<S>) -> Result<Reply, ApiError> {
    let EmptyBody {} = request.json()?;
    let identity = request.state.identity();
    let claims = identity.claims(request.bearer()?)?;
    let ticket = identity.keys.issue_ticket(&claims, identity.now())?;
    Ok(Reply::ok(&Ticket { ticket, expires_in: TICKET_S }))
}

/// The listener of a request, by its access token or its ticket.
///
/// # Errors
/// 400 `invalid_query`; 401 for a ticket that was used, is late or is none; as [`still`].
pub async fn listener<S: Listeners>(
    request: &Request<S>,
    roles: &'static [Role],
) -> Result<Listener, ApiError> {
    let StreamQuery { ticket } = request.query()?;
    let (state, identity) = (&*request.state, request.state.identity());
    if let Some(caller) = request.caller.clone() {
        return Ok(Listener { claims: identity.claims(request.bearer()?)?, caller });
    }
    let now = identity.now();
    let claims = identity.keys.verify(&ticket.unwrap_or_default(), TokenKind::Ticket, now)?;
    in_time(&claims, now)?;
    if !state.spend(&claims).await? {
        return Err(refused(Code::InvalidToken, "the ticket was used"));
    }
    let caller = still(state, &claims, roles).await?;
    Ok(Listener { claims, caller })
}

/// The person behind claims, if they still open what they opened.
///
/// # Errors
/// 401 `token_revoked`, 403 `account_disabled`, `insufficient_role`.
pub async fn still<S: Listeners>(
    state: &S,
    claims: &Claims,
    roles: &'static [Role],
) -> Result<Arc<Principal>, ApiError> {
    let caller = state.holder(claims).await?;
    if roles.contains(&caller.role) { Ok(caller) } else { Err(ApiError::insufficient_role()) }
}

fn in_time(ticket: &Claims, now: UtcMs) -> Result<(), ApiError> {
    let age_s = now.0.div_euclid(1000).saturating_sub(ticket.iat);
    if age_s < TICKET_S { Ok(()) } else { Err(refused(Code::TokenExpired, "the ticket is too old")) }
}

fn refused(code: Code, why: &str) -> ApiError {
    ApiError::new(code, format!("{why}: a ticket works once, and for {TICKET_S} s. Create another one"))
}

/// Tickets that were used at the only process of a program, while they would work.
pub struct SpentTickets {
    /// Seconds of this process's start. What was used before is forgotten, so tickets from then do not work.
    since_s: i64,
    /// Seconds at which each was made, by ID.
    spent: Mutex<HashMap<String, i64>>,
}

impl SpentTickets {
    /// None, at the start of a process.
    pub fn since(now: UtcMs) -> Self {
        Self { since_s: now.0.div_euclid(1000), spent: Mutex::default() }
    }

    /// Uses a ticket up. False if it was used before.
    pub fn spend(&self, ticket: &Claims, now: UtcMs) -> bool {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let oldest_s = now.0.div_euclid(1000).saturating_sub(TICKET_S);
        spent.retain(|_, made_s| *made_s >= oldest_s);
        ticket.iat >= self.since_s && spent.insert(ticket.jti.clone(), ticket.iat).is_none()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::{SpentTickets, in_time};
    use crate::credentials::tokens::{Claims, TokenKind};
    use domain::model::base::time::UtcMs;
    use domain::model::people::user::Role;

    fn ticket(iat: i64) -> Claims {
        let text = |text: &str| text.to_owned();
        Claims {
            iss: text("store-router:S001"),
            aud: text("store-router:S001"),
            sub: text("usr_1"),
            name: String::new(),
            role: Role::Cashier,
            store_id: text("S001"),
            jti: format!("tkt_{iat}"),
            sid: text("ses_1"),
            ver: 1,
            typ: TokenKind::Ticket,
            iat,
            exp: iat + 3600,
            nbf: None,
        }
    }

    #[test]
    fn a_ticket_works_for_30_seconds() {
        let at = |s: i64| in_time(&ticket(1000), UtcMs(s * 1000)).map_err(|error| error.code.name());
        assert_eq!((at(1000), at(1029)), (Ok(()), Ok(())));
        assert_eq!((at(1030), at(4000)), (Err("token_expired"), Err("token_expired")));
    }

    #[test]
    fn a_ticket_is_used_once_and_never_after_a_restart() {
        let now = |s: i64| UtcMs(s * 1000);
        let tickets = SpentTickets::since(now(1000));
        assert!(tickets.spend(&ticket(1000), now(1001)));
        assert!(!tickets.spend(&ticket(1000), now(1029)), "used");
        assert!(!tickets.spend(&ticket(999), now(1001)), "from before the start");
        assert!(tickets.spend(&ticket(1050), now(1050)));
        assert_eq!(tickets.spent.lock().unwrap().len(), 1, "the old one is forgotten");
    }
}
