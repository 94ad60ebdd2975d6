//! One connection: first byte, requests one after the other, and a close that loses no answer. Each request is
//! handled in a task of its own, so that a peer that hangs up drops no handler half-way.

use super::{
    admission::Admitted,
    detect_tls::{self, Accepted},
    refuse,
    stream::Socket,
};
use crate::api::error::ApiError;
use crate::api::reply::refused;
use crate::api::request::{HungUp, headers};
use crate::api::router::ConnectionInfo;
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
    pub admitted: Admitted,
    pub tls: Option<Arc<Tls>>,
    pub limits: Arc<Limits>,
    pub draining: watch::Receiver<bool>,
    /// Becomes true when handlers have to end at once.
    pub cut: watch::Receiver<bool>,
}

/// Serves a connection to its end, or until its place is given to another one.
pub async fn serve(stream: TcpStream, service: impl Routes, session: Session) {
    let evicted = session.admitted.evicted();
    tokio::select! {
        () = accepted(stream, service, session) => {}
        () = evicted => ::metrics::counter!(metrics::REFUSED, "reason" => "evicted").increment(1),
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
    let Session { peer, admitted, limits, mut draining, cut, .. } = session;
    let service = TowerToHyperService::new(service);
    let peer = Peer { address: peer, secure };
    let shared = Shared { admitted: Arc::new(admitted), limits: Arc::clone(&limits), cut };
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
    /// A handler whose peer is gone still counts as its connection: handlers are never more than places.
    admitted: Arc<Admitted>,
    limits: Arc<Limits>,
    cut: watch::Receiver<bool>,
}

/// Waits for the peer to say something; `None` if it did not, or the server stops.
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
}

/// Over TLS a browser is instructed to always use TLS; one that came by an address, or over a certificate it does not
/// trust, does not listen.
fn over_tls(mut response: Response, peer: Peer) -> Response {
    if peer.secure {
        let headers = response.headers_mut();
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    response
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
    if let Err(error) = fit {
        ::metrics::counter!(metrics::REFUSED, "reason" => error.code.name()).increment(1);
        return Ok(refusal(&error, &request_id));
    }
    // Dropped with this future when the peer hangs up.
    let (_listens, hung_up) = HungUp::new();
    let info = ConnectionInfo {
        peer: peer.address,
        secure: peer.secure,
        uri: request.uri().clone(),
        request_id: request_id.clone(),
        // Nobody below reads them of the request itself.
        headers: Arc::new(std::mem::take(request.headers_mut())),
        slot: shared.admitted.slot(),
        hung_up,
    };
    request.extensions_mut().insert(info);
    let Shared { admitted, mut cut, .. } = shared;
    // Not in hyper's future: that is dropped wherever it waits when the peer hangs up.
    let handled = tokio::spawn(async move {
        let _admitted = admitted;
        tokio::select! {
            response = hyper::service::Service::call(&service, request) => Some(response),
            _ = cut.wait_for(|cut| *cut) => None,
        }
    });
    match handled.await {
        Ok(Some(response)) => response,
        Ok(None) => {
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
