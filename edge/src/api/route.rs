//! Rows of the table of routes, and the callers who may use them.

use crate::api::error::{ApiError, Code};
use crate::api::rate_limit::RateLimits;
use crate::api::reply::Reply;
use crate::api::request::Request;
use domain::model::people::user::{Principal, Role};
use futures_util::future::BoxFuture;
use http::Method;
use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;

mod deprecated;
mod doc;
mod message;

pub use deprecated::Deprecated;
pub use doc::{Doc, Draft};
pub(crate) use doc::{SchemaOf, Success};
pub use message::Message;

/// Callers who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anyone on an allowed network. A token is ignored.
    Public,
    /// Anyone on this machine, and users with one of these roles.
    LoopbackOr(&'static [Role]),
    /// Users with one of these roles.
    Roles(&'static [Role]),
    /// These roles; a page with a refused token is admitted without a caller, to show its session's cookie.
    CookieOr(&'static [Role]),
    /// A store with its short-lived token (`typ` = `sync`). Users' tokens are refused.
    SyncToken,
}

/// Use of a body by a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyKind {
    /// No body. One that is sent nevertheless is limited and ignored.
    None,
    /// Takes JSON of at most [`crate::limits::Limits::max_body_bytes`].
    Json,
    /// Takes JSON, or nothing at all, which means `{}`.
    JsonOptional,
    /// Takes JSON of at most this many bytes, compressed or not.
    JsonUpTo(usize),
    /// Takes `text/csv` of at most [`crate::limits::Limits::max_import_bytes`], compressed or not.
    Csv,
    /// Takes JSON, `text/csv` or `application/xml`, of the same size.
    JsonCsvOrXml,
}

/// Function that answers a route. An `async fn(Request<S>) -> Result<Reply, ApiError>` becomes one by
/// `|request| Box::pin(answer(request))`. It runs in a task of its own: if the client hangs up, it still runs to its
/// end, and its answer is dropped ([`Request::hung_up`](crate::Request) ends a wait early). Only the end of the
/// program's drain time drops it.
pub type Handler<S> = fn(Request<S>) -> BoxFuture<'static, Result<Reply, ApiError>>;

/// One row of the table: routing, 405 with `Allow`, the role check and the metrics all read it.
pub struct Route<S: 'static> {
    /// The method; a GET also answers HEAD.
    pub method: Method,
    /// The path, for example `/api/shifts/:id/close`: literal segments win over `:params`.
    pub pattern: &'static str,
    /// Callers who may use it.
    pub access: Access,
    /// Whether it changes data, and so honours `Idempotency-Key`.
    pub mutates: bool,
    /// Use of a body.
    pub body: BodyKind,
    /// Description in the API document.
    pub doc: Doc,
    /// Function that answers the request.
    pub handler: Handler<S>,
}

// A derived `Clone` would require that the state is `Clone`.
impl<S: 'static> Clone for Route<S> {
    fn clone(&self) -> Self {
        let Self { pattern, access, mutates, body, doc, handler, .. } = *self;
        Self { method: self.method.clone(), pattern, access, mutates, body, doc, handler }
    }
}

impl<S: 'static> Route<S> {
    /// Whether it is part of the API: pages and their files are for browsers only.
    pub fn is_of_api(&self) -> bool {
        self.doc.tag != doc::PAGES
    }

    /// Whether the answer has the state of the log-in limiter, because the route checks passwords, PINs or devices.
    ///
    /// Each answer of a log-in has it. Of an operation that may be approved only a refusal has it: most of its
    /// requests, such as sales, have no approval.
    pub(crate) fn counts_attempts(&self, is_refused: bool) -> bool {
        let is_shown = match self.access {
            Access::Public => true,
            Access::SyncToken => false,
            Access::LoopbackOr(_) | Access::Roles(_) | Access::CookieOr(_) => is_refused,
        };
        is_shown && self.doc.refusals.contains(&Code::RateLimited)
    }

    /// A `GET` route.
    pub const fn get(pattern: &'static str, access: Access, doc: Doc, handler: Handler<S>) -> Self {
        Self { method: Method::GET, pattern, access, mutates: false, body: doc.body_kind(), doc, handler }
    }

    /// A `POST` route. Its description names the body that it takes.
    pub const fn post(pattern: &'static str, access: Access, doc: Doc, handler: Handler<S>) -> Self {
        Self::change(Method::POST, pattern, access, doc, handler)
    }

    /// A `PATCH` route, which changes some fields.
    pub const fn patch(pattern: &'static str, access: Access, doc: Doc, handler: Handler<S>) -> Self {
        Self::change(Method::PATCH, pattern, access, doc, handler)
    }

    /// A `PUT` route, which replaces all fields.
    pub const fn put(pattern: &'static str, access: Access, doc: Doc, handler: Handler<S>) -> Self {
        Self::change(Method::PUT, pattern, access, doc, handler)
    }

    /// A `DELETE` route.
    pub const fn delete(pattern: &'static str, access: Access, doc: Doc, handler: Handler<S>) -> Self {
        Self::change(Method::DELETE, pattern, access, doc, handler)
    }

    const fn change(
        method: Method,
        pattern: &'static str,
        access: Access,
        doc: Doc,
        handler: Handler<S>,
    ) -> Self {
        Self { method, pattern, access, mutates: true, body: doc.body_kind(), doc, handler }
    }
}

/// Beginning of every API key. The access token of a session never begins like this.
pub const API_KEY_PREFIX: &str = "srk_";

/// A request as the check of an API key sees it.
#[derive(Debug, Clone, Copy)]
pub struct KeyedRequest<'a> {
    /// Pattern of the route.
    pub pattern: &'static str,
    /// Tag of the route in the API document.
    pub tag: &'static str,
    /// Whether the route changes data.
    pub mutates: bool,
    /// Roles that may use the route.
    pub roles: &'static [Role],
    /// The raw query, without `?`.
    pub query: &'a str,
    /// Whether the query has a parameter `store_id`.
    pub filters_by_store: bool,
    /// Address of the client.
    pub address: IpAddr,
}

/// The state shared by handlers, which also finds the user of a bearer token.
pub trait Authority: Send + Sync + 'static {
    /// The caller behind a bearer token, for a route with this access: signature, claims, session and
    /// user. The role is checked afterwards, against the route.
    ///
    /// # Errors
    /// 401 `invalid_token`, `token_expired`, `token_revoked`, 403 `account_disabled`.
    fn authenticate(
        &self,
        bearer: &str,
        access: &Access,
    ) -> impl Future<Output = Result<Arc<Principal>, ApiError>> + Send;

    /// The caller behind an API key that may make this request. A program without API keys has none.
    ///
    /// # Errors
    /// 401 `invalid_token`, `token_expired`, `token_revoked`, 403 `insufficient_role`.
    fn authenticate_key(
        &self,
        _key: &str,
        _asked: &KeyedRequest<'_>,
    ) -> impl Future<Output = Result<Arc<Principal>, ApiError>> + Send {
        async { Err(ApiError::invalid_token()) }
    }

    /// Addresses from which users logged in before the last restart: connections are reserved for them.
    fn usual_addresses(&self) -> Vec<IpAddr> {
        Vec::new()
    }

    /// The limits of log-ins from an address. A program without log-ins has none.
    fn rate_limits(&self, _address: IpAddr) -> Option<RateLimits> {
        None
    }

    /// Is called if a caller's role may not use a route.
    fn denied(&self, _caller: &Principal, _pattern: &'static str, _address: IpAddr) {}
}
