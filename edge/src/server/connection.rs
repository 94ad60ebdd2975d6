//! One connection: first byte, requests one after the other, and a close that loses no answer. Each request is
//! handled in a task of its own, so that a peer that hangs up drops no handler half-way.

use super::{
    admission::{self, Admitted, Gate, Place},
    detect_tls::{self, Accepted},
    proxy_protocol::{self, Named},
    refuse,
    stream::Socket,
};
use crate::api::error::ApiError;
use crate::api::reply::refused;
use crate::api::request::{HungUp, headers};
use crate::api::router::ConnectionInfo;
use crate::forwarded;
use crate::limits::Limits;
use crate::metrics;
use crate::server::hosts;
use crate::server::tls::Tls;
use http::{HeaderValue, header};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use std::{convert::Infallible, future::poll_fn, net::SocketAddr, sync::Arc};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    sync::watch,
};
use warp::{Reply, reply::Response};

/// `Retry-After` of a request that the end of the server cuts, in seconds.
const STOPPED_RETRY_S: u64 = 1;

/// The routes of a program, as a service that each connection has a copy of.
pub trait Routes:
    tower::Service<http::Request<Incoming>, Response = Response, Error = Infallible, Future: Send + 'static>
    + Clone
    + Send
    + Unpin
    + 'static
{
}

impl<W> Routes for W
where
    W: tower::Service<http::Request<Incoming>, Response = Response, Error = Infallible>,
    W: Clone + Send + Unpin + 'static,
    W::Future: Send + 'static,
{
}

/// Data that a connection carries besides its bytes.
pub struct Session {
    pub peer: SocketAddr,
    pub place: Place,
    pub gate: Arc<Gate>,
    pub tls: Option<Arc<Tls>>,
    pub limits: Arc<Limits>,
    /// Whether the PROXY protocol gave the peer.
    pub named: bool,
    pub draining: watch::Receiver<bool>,
    /// Becomes true when handlers have to end at once.
    pub cut: watch::Receiver<bool>,
}

/// Serves a connection to its end, or until its place is given to another one.
pub async fn serve(stream: TcpStream, service: impl Routes, session: Session) {
    let Some((stream, session)) = named(stream, session).await else { return };
    let evicted = evicted(&session.place);
    tokio::select! {
        () = accepted(stream, service, session) => {}
        () = evicted => ::metrics::counter!(metrics::REFUSED, "reason" => "evicted").increment(1),
    }
}

/// Resolves when the place of a connection is given to another one.
fn evicted(place: &Place) -> impl Future<Output = ()> + use<> {
    let own = match place {
        Place::Own(admitted) => Some(admitted.evicted()),
        Place::Proxy(_) => None,
    };
    or_never(own)
}

async fn or_never(evicted: Option<impl Future<Output = ()>>) {
    match evicted {
        Some(evicted) => evicted.await,
        None => std::future::pending().await,
    }
}

/// Reads the caller that a proxy names, if its connections begin with that; `None` if the connection ended here.
async fn named(mut stream: TcpStream, mut session: Session) -> Option<(TcpStream, Session)> {
    let proxies = &session.limits.proxies;
    if !proxies.protocol || !matches!(session.place, Place::Proxy(_)) {
        return Some((stream, session));
    }
    let header = tokio::time::timeout(session.limits.first_byte_timeout, proxy_protocol::read(&mut stream));
    let Ok(Some(named)) = header.await else {
        ::metrics::counter!(metrics::REFUSED, "reason" => "proxy_protocol").increment(1);
        tracing::debug!(peer = %session.peer, "a proxy's connection did not begin with a header of the PROXY protocol");
        return None;
    };
    let Named::Caller(caller) = named else { return Some((stream, session)) };
    match session.gate.enter(caller.ip()) {
        Ok(place) => {
            (session.peer, session.place, session.named) = (caller, place, true);
            Some((stream, session))
        }
        Err(refusal) => {
            ::metrics::counter!(metrics::REFUSED, "reason" => refusal.code.name()).increment(1);
            refuse::in_its_language(stream, session.tls.as_deref(), &refusal).await;
            None
        }
    }
}

async fn accepted(stream: TcpStream, service: impl Routes, mut session: Session) {
    let Some(first) = first_byte(&stream, &mut session).await else { return };
    // Answers are small and written whole: waiting for more would only delay them.
    let _ = stream.set_nodelay(true);
    let timeout = session.limits.handshake_timeout;
    match detect_tls::accept(stream, first, session.peer, session.tls.as_deref(), timeout).await {
        Ok(Accepted::Plain(stream)) => talk(stream, service, session, false).await,
        Ok(Accepted::Secured(stream)) => talk(stream, service, session, true).await,
        Err(Some((stream, error))) => refuse::say(stream, &error).await,
        Err(None) => {}
    }
}

/// Requests one after the other, and the end.
async fn talk(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    service: impl Routes,
    session: Session,
    secure: bool,
) {
    let Session { peer, place, gate, limits, named, mut draining, cut, .. } = session;
    let service = TowerToHyperService::new(service);
    let peer = Peer { address: peer, secure, named };
    let shared = Shared { place: Arc::new(place), gate, limits: Arc::clone(&limits), cut };
    let answer = service_fn(move |request| {
        let (service, shared) = (service.clone(), shared.clone());
        Box::pin(async move {
            answer(service, request, peer, shared).await.map(|response| over_tls(response, peer))
        })
    });
    let socket = Socket::new(stream, limits.write_timeout);
    let mut connection = builder(&limits).serve_connection(TokioIo::new(socket), answer);
    let mut announced = false;
    let ended = loop {
        tokio::select! {
            ended = poll_fn(|cx| connection.poll_without_shutdown(cx)) => break ended,
            _ = draining.wait_for(|draining| *draining), if !announced => {
                announced = true;
                std::pin::Pin::new(&mut connection).graceful_shutdown();
            }
        }
    };
    let parts = connection.into_parts();
    let socket = parts.io.into_inner();
    match ended {
        Err(error) if error.is_timeout() && !parts.read_buf.is_empty() => {
            refuse::say(socket, &ApiError::request_timeout()).await;
        }
        Err(error) if error.is_timeout() => {}
        Err(error) if error.is_parse() && socket.has_swallowed() => {
            refuse::say(socket, &ApiError::malformed_request(error)).await;
        }
        _ => refuse::linger(socket).await,
    }
    drop(parts.service);
}

/// Data that the requests of a connection share.
#[derive(Clone)]
struct Shared {
    place: Arc<Place>,
    gate: Arc<Gate>,
    limits: Arc<Limits>,
    cut: watch::Receiver<bool>,
}

impl Shared {
    /// The place that a request of a caller takes.
    fn admitted(&self, caller: SocketAddr) -> Result<Arc<Admitted>, ApiError> {
        match &*self.place {
            Place::Own(admitted) => Ok(Arc::clone(admitted)),
            Place::Proxy(_) => self.gate.admit(caller.ip()).map(Arc::new),
        }
    }

    /// Resolves when the place of a request is given to another one; if the place is the connection's, the connection
    /// ends.
    fn evicted(&self, admitted: &Admitted) -> impl Future<Output = ()> + use<> {
        or_never(matches!(*self.place, Place::Proxy(_)).then(|| admitted.evicted()))
    }
}

/// Waits for the peer's first byte; `None` if there was none, or the server stops.
async fn first_byte(stream: &TcpStream, session: &mut Session) -> Option<u8> {
    tokio::select! {
        first = tokio::time::timeout(session.limits.first_byte_timeout, detect_tls::first_byte(stream)) => {
            first.ok().flatten()
        }
        _ = session.draining.wait_for(|draining| *draining) => None,
    }
}

fn builder(limits: &Limits) -> http1::Builder {
    let mut builder = http1::Builder::new();
    // hyper panics below its own least buffer; `Limits::bounded` has seen to that.
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        .max_buf_size(limits.max_header_bytes);
    builder
}

/// Peer of a connection.
#[derive(Clone, Copy)]
struct Peer {
    address: SocketAddr,
    secure: bool,
    named: bool,
}

/// Over TLS a browser is instructed to always use TLS; one that connected by an address, or with an untrusted
/// certificate, ignores it.
fn over_tls(mut response: Response, peer: Peer) -> Response {
    if peer.secure {
        let headers = response.headers_mut();
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    response
}

impl Peer {
    fn is_here(&self) -> bool {
        !self.named && self.address.ip().is_loopback()
    }
}

/// Result of a handler.
enum Handled {
    Answered(Result<Response, Infallible>),
    /// Its place was given to another one before its whole request had arrived.
    Evicted,
    Cut,
}

/// One request: names it, hands it to warp, and turns a panic anywhere below into a JSON 500.
async fn answer(
    service: TowerToHyperService<impl Routes>,
    mut request: http::Request<Incoming>,
    peer: Peer,
    shared: Shared,
) -> Result<Response, Infallible> {
    let request_id = headers::request_id(request.headers());
    let (names, networks) = (&shared.limits.allowed_hosts, &shared.limits.allowed_networks);
    let fit = headers::framing(request.headers())
        .and_then(|()| hosts::check(request.version(), request.uri(), request.headers(), names, networks));
    let caller = shared.limits.proxies.caller(peer.address, request.headers());
    let admitted = match fit.and_then(|()| shared.admitted(caller)) {
        Ok(admitted) => admitted,
        Err(error) => {
            ::metrics::counter!(metrics::REFUSED, "reason" => error.code.name()).increment(1);
            return Ok(refusal(&error, &request_id));
        }
    };
    // Dropped with this future when the peer hangs up.
    let (_listens, hung_up) = HungUp::new();
    let info = ConnectionInfo {
        peer: caller,
        local: peer.is_here() && !forwarded::is_forwarded(request.headers()),
        secure: peer.secure,
        uri: request.uri().clone(),
        request_id: request_id.clone(),
        // The layers below do not read them from the request itself.
        headers: Arc::new(std::mem::take(request.headers_mut())),
        slot: admitted.slot(),
        hung_up,
    };
    request.extensions_mut().insert(info);
    let evicted = shared.evicted(&admitted);
    let mut cut = shared.cut;
    // Not in hyper's future, which is dropped at any await when the peer hangs up.
    let handled = tokio::spawn(async move {
        // A handler without its peer still counts for its caller: there are never more handlers than places.
        let _admitted = admitted;
        tokio::select! {
            response = hyper::service::Service::call(&service, request) => Handled::Answered(response),
            () = evicted => Handled::Evicted,
            _ = cut.wait_for(|cut| *cut) => Handled::Cut,
        }
    });
    match handled.await {
        Ok(Handled::Answered(response)) => response,
        Ok(Handled::Evicted) => {
            ::metrics::counter!(metrics::REFUSED, "reason" => "evicted").increment(1);
            Ok(refusal(&admission::full(), &request_id))
        }
        Ok(Handled::Cut) => {
            Ok(refusal(&ApiError::unavailable("the server is stopping", STOPPED_RETRY_S), &request_id))
        }
        Err(error) if error.is_panic() => {
            Ok(refused(&ApiError::internal("a handler panicked"), &request_id).into_response())
        }
        Err(_) => Ok(refusal(&ApiError::unavailable("the server is stopping", STOPPED_RETRY_S), &request_id)),
    }
}

/// The failure, and the end of the connection: whatever body came with the request is not read.
fn refusal(error: &ApiError, request_id: &HeaderValue) -> Response {
    let mut response = refused(error, request_id);
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response.into_response()
}
