//! One connection: first byte, requests one after the other, and a close that loses no answer.

use super::{
    admission::Admitted,
    detect_tls::{self, Accepted},
    refuse,
    stream::Socket,
};
use crate::api::error::ApiError;
use crate::api::reply::refused;
use crate::api::request::headers;
use crate::api::router::ConnectionInfo;
use crate::limits::Limits;
use crate::metrics;
use crate::server::hosts;
use crate::server::tls::Tls;
use futures_util::FutureExt;
use http::{HeaderValue, header};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use std::{convert::Infallible, future::poll_fn, net::SocketAddr, panic::AssertUnwindSafe, sync::Arc};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    sync::watch,
};
use warp::{Reply, reply::Response};

/// What a connection carries besides its bytes.
pub struct Session {
    pub peer: SocketAddr,
    pub admitted: Admitted,
    pub tls: Option<Arc<Tls>>,
    pub limits: Arc<Limits>,
    pub draining: watch::Receiver<bool>,
}

/// Serves a connection to its end.
pub async fn serve<W>(stream: TcpStream, service: W, mut session: Session)
where
    W: tower::Service<http::Request<Incoming>, Response = Response, Error = Infallible>
        + Clone
        + Send
        + Unpin
        + 'static,
    W::Future: Send,
{
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
async fn talk<W, T>(stream: T, service: W, session: Session, secure: bool)
where
    W: tower::Service<http::Request<Incoming>, Response = Response, Error = Infallible>
        + Clone
        + Send
        + Unpin
        + 'static,
    W::Future: Send,
    T: AsyncRead + AsyncWrite + Unpin,
{
    let Session { peer, admitted, limits, mut draining, .. } = session;
    let service = TowerToHyperService::new(service);
    let held_to = Arc::clone(&limits);
    let answer = service_fn(move |request| {
        let (service, limits) = (service.clone(), Arc::clone(&held_to));
        let peer = Peer { address: peer, secure };
        Box::pin(async move {
            answer(service, request, peer, limits).await.map(|response| over_tls(response, peer))
        })
    });
    let socket = Socket::new(stream, limits.write_timeout);
    let mut connection = builder(&limits).serve_connection(TokioIo::new(socket), answer);
    let mut told = false;
    let ended = loop {
        tokio::select! {
            ended = poll_fn(|cx| connection.poll_without_shutdown(cx)) => break ended,
            _ = draining.wait_for(|draining| *draining), if !told => {
                told = true;
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
    drop(admitted);
}

/// Waits for the peer to say something; none: it did not, or the server stops.
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

/// Who speaks on a connection, and how.
#[derive(Clone, Copy)]
struct Peer {
    address: SocketAddr,
    secure: bool,
}

/// Over TLS a browser is told never to come without; one that came by an address, or over a certificate it does not
/// trust, does not listen.
fn over_tls(mut response: Response, peer: Peer) -> Response {
    if peer.secure {
        let headers = response.headers_mut();
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    response
}

/// One request: names it, hands it to warp, and turns a panic anywhere below into a JSON 500.
async fn answer<W>(
    service: TowerToHyperService<W>,
    mut request: http::Request<Incoming>,
    peer: Peer,
    limits: Arc<Limits>,
) -> Result<Response, Infallible>
where
    W: tower::Service<http::Request<Incoming>, Response = Response, Error = Infallible>
        + Clone
        + Send
        + Unpin
        + 'static,
    W::Future: Send,
{
    let request_id = headers::request_id(request.headers());
    let (names, networks) = (&limits.allowed_hosts, &limits.allowed_networks);
    let fit = headers::framing(request.headers())
        .and_then(|()| hosts::check(request.version(), request.uri(), request.headers(), names, networks));
    if let Err(error) = fit {
        ::metrics::counter!(metrics::REFUSED, "reason" => error.code.name()).increment(1);
        return Ok(refusal(&error, &request_id));
    }
    let Peer { address, secure } = peer;
    let info = ConnectionInfo {
        peer: address,
        secure,
        uri: request.uri().clone(),
        request_id: request_id.clone(),
        // Nobody below reads them of the request itself.
        headers: Arc::new(std::mem::take(request.headers_mut())),
    };
    request.extensions_mut().insert(info);
    let answered = AssertUnwindSafe(async { hyper::service::Service::call(&service, request).await });
    match answered.catch_unwind().await {
        Ok(response) => response,
        Err(_) => Ok(refused(&ApiError::internal("a handler panicked"), &request_id).into_response()),
    }
}

/// The failure, and the end of the connection: whatever body came with the request is not read.
fn refusal(error: &ApiError, request_id: &HeaderValue) -> Response {
    let mut response = refused(error, request_id);
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response.into_response()
}
