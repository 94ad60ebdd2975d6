//! One warp filter in front of one table: finds the row, runs the checks in their order, calls the handler.

use crate::api::error::ApiError;
use crate::api::reply::{Reply, respond};
use crate::api::request::headers::{self, SESSION};
use crate::api::request::{HungUp, Params, Request};
use crate::api::route::{API_KEY_PREFIX, Access, Authority, KeyedRequest, Route};
use crate::connection_slot::ConnectionSlot;
use crate::limits::Limits;
use crate::metrics::{RouteMetrics, UNMATCHED};
use crate::network::KnownAddresses;
use bytes::Buf;
use domain::model::people::user::Principal;
use futures_util::Stream;
use http::{HeaderMap, HeaderValue, Method, Uri, header};
use serde_json::json;
use std::{net::SocketAddr, sync::Arc};
use warp::{Filter, Rejection, reply::Response};

mod body;
mod tree;

pub use tree::RouteError;

/// Data of the connection about a request that warp does not have.
#[derive(Clone)]
pub(crate) struct ConnectionInfo {
    pub peer: SocketAddr,
    /// Whether it comes from this machine, and not through a proxy.
    pub local: bool,
    pub secure: bool,
    pub uri: Uri,
    pub request_id: HeaderValue,
    pub headers: Arc<HeaderMap>,
    pub slot: Arc<ConnectionSlot>,
    pub hung_up: HungUp,
}

/// A table of routes, ready to answer.
pub(crate) struct Router<S: 'static> {
    tree: tree::Tree,
    rows: Vec<(&'static Route<S>, RouteMetrics)>,
    unmatched: RouteMetrics,
    state: Arc<S>,
    limits: Arc<Limits>,
    known: Arc<KnownAddresses>,
    bodies: body::Budget,
}

impl<S: Authority> Router<S> {
    /// # Errors
    /// A pattern that is malformed or listed twice for one method.
    pub(crate) fn new(
        routes: &'static [Route<S>],
        state: Arc<S>,
        limits: Arc<Limits>,
        known: Arc<KnownAddresses>,
    ) -> Result<Self, RouteError> {
        let tree = tree::Tree::new(routes.iter().map(|route| (&route.method, route.pattern)))?;
        let metrics = |route: &'static Route<S>| RouteMetrics::new(route.pattern, name(&route.method));
        let rows = routes.iter().map(|route| (route, metrics(route))).collect();
        let unmatched = RouteMetrics::new(UNMATCHED, "any");
        Ok(Self { tree, rows, unmatched, state, limits, known, bodies: body::Budget::default() })
    }

    /// The filter: it takes every request and never rejects one.
    pub(crate) fn filter(
        self: Arc<Self>,
    ) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone + Send + Sync + 'static {
        warp::method()
            .and(warp::ext::get::<ConnectionInfo>())
            .and(warp::body::stream())
            .then(move |method, info, body| Arc::clone(&self).dispatch(method, info, body))
    }

    async fn dispatch<T, B>(self: Arc<Self>, method: Method, info: ConnectionInfo, body: T) -> Response
    where
        T: Stream<Item = Result<B, warp::Error>> + Send,
        B: Buf + Send,
    {
        let request_id = info.request_id.clone();
        let mut body = body::Incoming::new(&info.headers, body);
        let (metrics, found) = match self.find(&method, info.uri.path()) {
            Ok((route, metrics, params)) => (metrics, Ok((route, params))),
            Err(error) => (&self.unmatched, Err(error)),
        };
        let (route, peer) = (found.as_ref().ok().map(|(route, _)| *route), info.peer);
        let observation = metrics.observe();
        let result = match found {
            Ok((route, params)) => self.answer(route, params, method, info, &mut body).await,
            Err(error) => Err(error),
        };
        let limits = route.filter(|route| route.counts_attempts(result.is_err()));
        let limits = limits.and_then(|_| self.state.rate_limits(peer.ip()));
        let refused = result.as_ref().err().map(|error| (error.code, error.retry_after_s));
        let mut response = respond(result, &request_id);
        if let Some(limits) = limits {
            limits.add(response.headers_mut(), refused);
        }
        if let Some(deprecated) = route.and_then(|route| route.doc.deprecated) {
            deprecated.add(response.headers_mut());
        }
        if body.is_pending() {
            // The rest of the body is not read, so the connection can't carry another request.
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        observation.answered(response.status().as_u16());
        response
    }

    /// The row for a method and path: 404, or 405 with the allowed methods.
    fn find(
        &self,
        method: &Method,
        path: &str,
    ) -> Result<(&'static Route<S>, &RouteMetrics, Params), ApiError> {
        let found = self.tree.find(path).ok_or_else(ApiError::no_such_path)?;
        let (row, params) = found.row(method).map_err(|allowed| ApiError::method_not_allowed(&allowed))?;
        let (route, metrics) = self.rows.get(row).ok_or_else(ApiError::no_such_path)?;
        Ok((route, metrics, params))
    }

    /// The checks after the route, in the order of the contract, and then the handler.
    async fn answer<T, B>(
        &self,
        route: &'static Route<S>,
        params: Params,
        method: Method,
        info: ConnectionInfo,
        body: &mut body::Incoming<T>,
    ) -> Result<Reply, ApiError>
    where
        T: Stream<Item = Result<B, warp::Error>> + Send,
        B: Buf + Send,
    {
        let headers = info.headers;
        let query = info.uri.query().unwrap_or_default();
        let caller = self.authorise(route, &headers, query, (info.peer, info.local)).await?;
        let idempotency_key = headers::idempotency_key(&headers)?.filter(|_| route.mutates);
        let register_id = headers::register_id(&headers)?;
        let bytes_max = body::bytes_max(route, &self.limits);
        let mut held = self.bodies.hold();
        let body = body.read(route.body, &headers, bytes_max, self.limits.request_timeout, &mut held).await?;
        let _busy = info.slot.work();
        // The share of the budget is released when the handler has ended.
        let reply = (route.handler)(Request {
            state: Arc::clone(&self.state),
            method,
            path: info.uri.path().to_owned(),
            params,
            query: query.to_owned(),
            caller,
            peer: info.peer,
            secure: info.secure,
            request_id: info.request_id.to_str().unwrap_or_default().to_owned(),
            idempotency_key,
            register_id,
            headers,
            body,
            hung_up: info.hung_up,
        })
        .await;
        drop(held);
        reply
    }

    /// Checks the token or the API key, then the role.
    async fn authorise(
        &self,
        route: &Route<S>,
        headers: &HeaderMap,
        query: &str,
        (peer, local): (SocketAddr, bool),
    ) -> Result<Option<Arc<Principal>>, ApiError> {
        let roles = match route.access {
            Access::Public => return Ok(None),
            Access::LoopbackOr(_) if local => return Ok(None),
            Access::LoopbackOr(roles) | Access::Roles(roles) | Access::CookieOr(roles) => Some(roles),
            Access::SyncToken => None,
        };
        if route.doc.by_ticket && !headers.contains_key(header::AUTHORIZATION) && has_ticket(query) {
            return Ok(None);
        }
        let caller = match (headers::bearer(headers), roles) {
            (Ok(key), Some(roles)) if key.starts_with(API_KEY_PREFIX) => {
                let (pattern, tag, mutates) = (route.pattern, route.doc.tag, route.mutates);
                let filters_by_store = route.has_parameter("store_id");
                let address = peer.ip();
                let asked = KeyedRequest { pattern, tag, mutates, roles, query, filters_by_store, address };
                // Boxed: requests of tills have no key, and each would carry the room of its future.
                Box::pin(self.state.authenticate_key(key, &asked)).await
            }
            (Ok(bearer), _) => self.state.authenticate(bearer, &route.access).await,
            (Err(error), _) => Err(error),
        };
        let by_cookie = matches!(route.access, Access::CookieOr(_)) && headers.contains_key(SESSION);
        let caller = match caller {
            Err(_) if by_cookie => return Ok(None),
            caller => caller?,
        };
        self.known.seen(peer.ip());
        match roles {
            Some(roles) if !roles.contains(&caller.role) => {
                self.state.denied(&caller, route.pattern, peer.ip());
                let names: Vec<&str> = roles.iter().map(|role| role.name()).collect();
                Err(ApiError::insufficient_role().with_details(json!({"roles": names})))
            }
            _ => Ok(Some(caller)),
        }
    }
}

/// Whether a raw query has a ticket; what it is worth, the handler finds out.
fn has_ticket(query: &str) -> bool {
    query.split('&').any(|part| part.starts_with("ticket="))
}

/// The method as a metrics label; tables use the standard ones only.
fn name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}
