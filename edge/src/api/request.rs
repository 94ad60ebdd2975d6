//! A request as a handler sees it: routed, authorised, with its body read and bounded.

use crate::api::error::ApiError;
use crate::api::query;
use crate::api::request::headers::bearer;
use bytes::Bytes;
use domain::model::base::ids::RegisterId;
use domain::model::people::user::Principal;
use http::{HeaderMap, Method};
use serde::de::DeserializeOwned;
use std::{net::SocketAddr, sync::Arc};

mod composed;
pub(crate) mod headers;
mod hung_up;
pub mod json;
mod strict;

pub use hung_up::HungUp;

/// Request as a handler gets it.
pub struct Request<S> {
    /// The shared state of the server.
    pub state: Arc<S>,
    /// The method as it came (a HEAD reaches the handler of GET).
    pub method: Method,
    /// The path as it came, still percent-encoded: part of the scope of an idempotency key.
    pub path: String,
    /// The pattern's parameters, percent-decoded.
    pub params: Params,
    /// The raw query, without `?`.
    pub query: String,
    /// Caller of the request. `None` on a public route.
    pub caller: Option<Arc<Principal>>,
    /// Address of the client, behind a trusted proxy as well; an IPv4 address mapped to IPv6 is unmapped.
    pub peer: SocketAddr,
    /// Whether it came over TLS.
    pub secure: bool,
    /// The ID under which this request is logged and answered.
    pub request_id: String,
    /// The retry key, on a route that changes data.
    pub idempotency_key: Option<String>,
    /// Register of the request, if the request names one.
    pub register_id: Option<RegisterId>,
    /// All headers of the request.
    pub headers: Arc<HeaderMap>,
    /// The body, unpacked if it came compressed.
    pub body: Bytes,
    /// Signals that the client has hung up.
    pub hung_up: HungUp,
}

impl<S> Clone for Request<S> {
    fn clone(&self) -> Self {
        Self {
            state: Arc::clone(&self.state),
            method: self.method.clone(),
            path: self.path.clone(),
            params: self.params.clone(),
            query: self.query.clone(),
            caller: self.caller.clone(),
            peer: self.peer,
            secure: self.secure,
            request_id: self.request_id.clone(),
            idempotency_key: self.idempotency_key.clone(),
            register_id: self.register_id.clone(),
            headers: Arc::clone(&self.headers),
            body: self.body.clone(),
            hung_up: self.hung_up.clone(),
        }
    }
}

/// Path parameters by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Params(pub(crate) Vec<(&'static str, String)>);

impl Params {
    /// The parameter of that name; the empty string if the pattern has none.
    pub fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    }
}

impl<S> Request<S> {
    /// The body as `T`.
    ///
    /// # Errors
    /// 400 `invalid_json` for syntax and repeated keys, 422 `validation_failed` with the field's path for shape and for
    /// U+0000. Unknown fields are refused if `T` has `deny_unknown_fields`.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, ApiError> {
        json::parse(&self.body)
    }

    /// The body as `T`, whose texts under `key` are raw records: kept as they came, whatever they hold.
    ///
    /// # Errors
    /// The errors of [`Request::json`].
    pub fn json_but<T: DeserializeOwned>(&self, key: &str) -> Result<T, ApiError> {
        json::parse_but(&self.body, key)
    }

    /// The query as `T`, a struct of optional or defaulted fields.
    ///
    /// # Errors
    /// 400 `invalid_query` for unknown, repeated or malformed parameters.
    pub fn query<T: DeserializeOwned>(&self) -> Result<T, ApiError> {
        query::parse(&self.query)
    }

    /// A path parameter, percent-decoded; the empty string if the pattern has none with that name.
    pub fn param(&self, name: &str) -> &str {
        self.params.get(name)
    }

    /// The bearer token that came with it.
    ///
    /// # Errors
    /// 401 `missing_token`.
    pub fn bearer(&self) -> Result<&str, ApiError> {
        bearer(&self.headers)
    }

    /// The version that `If-Match` names, on a route that is `versioned`.
    ///
    /// # Errors
    /// 400 `invalid_header`.
    pub fn if_match(&self) -> Result<Option<String>, ApiError> {
        headers::if_match(&self.headers)
    }

    /// Caller of the request.
    ///
    /// # Errors
    /// 401 `missing_token` on a public route, where no token is required.
    pub fn caller(&self) -> Result<&Principal, ApiError> {
        self.caller.as_deref().ok_or_else(ApiError::missing_token)
    }

    /// Caller of the request, to keep for longer than the request.
    ///
    /// # Errors
    /// The errors of [`Request::caller`].
    pub fn shared_caller(&self) -> Result<Arc<Principal>, ApiError> {
        self.caller.clone().ok_or_else(ApiError::missing_token)
    }
}
