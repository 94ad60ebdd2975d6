//! The server: own accept loop, because warp's has no timeouts, no caps and no end to its drain.
//!
//! Shutdown has one order: stop accepting, let requests in flight finish, close at the deadline.

use crate::api::route::{Authority, Route};
use crate::api::router::Router;
use crate::limits::Limits;
use crate::network::KnownAddresses;
use crate::server::tls::Tls;
use crate::{metrics, network};
use std::{future::Future, os::fd::AsFd, pin::pin, sync::Arc, time::Duration};
use tokio::{
    net::TcpListener,
    sync::watch,
    task::{JoinError, JoinSet},
};

pub(crate) mod admission;
pub mod certificate;
pub mod command;
mod connection;
mod detect_tls;
pub mod doctor;
pub mod hosts;
mod proxy_protocol;
mod refuse;
pub mod sighup;
mod stream;
pub mod tls;
mod unready;

pub use crate::api::router::RouteError;

/// Time that accepting rests after it failed, mostly for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// End of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drained {
    /// Connections, at least one per request, that were cut because they did not finish by the deadline.
    pub cut: usize,
}

/// Address of the listener, and its limits.
pub struct ListenerConfig {
    /// Socket that accepts connections.
    pub listener: TcpListener,
    /// If set, plain HTTP is answered to loopback only: tills on the same box.
    pub tls: Option<Arc<Tls>>,
    /// Everything that has a size or a time.
    pub limits: Limits,
}

impl ListenerConfig {
    /// A listener without TLS.
    pub fn plain(listener: TcpListener, limits: Limits) -> Self {
        Self { listener, tls: None, limits }
    }

    /// Another listener on the same socket: connections that one does not accept wait for the other.
    ///
    /// # Errors
    /// The process has no more file descriptors.
    pub fn another(&self) -> std::io::Result<Self> {
        let listener = std::net::TcpListener::from(self.listener.as_fd().try_clone_to_owned()?);
        let listener = TcpListener::from_std(listener)?;
        Ok(Self { listener, tls: self.tls.clone(), limits: self.limits.clone() })
    }
}

/// Serves the table at the listener until `shutdown` resolves, then drains.
///
/// # Errors
/// [`RouteError`] for a table that can't be served; nothing was accepted then.
pub async fn run<S: Authority>(
    listener_config: ListenerConfig,
    routes: &'static [Route<S>],
    state: Arc<S>,
    shutdown: impl Future<Output = ()>,
) -> Result<Drained, RouteError> {
    metrics::install();
    let ListenerConfig { listener, tls, limits } = listener_config;
    let limits = Arc::new(limits.bounded());
    let known = Arc::new(KnownAddresses::default());
    state.usual_addresses().into_iter().for_each(|address| known.seen(address));
    let router = Arc::new(Router::new(routes, state, Arc::clone(&limits), Arc::clone(&known))?);
    let service = warp::service(router.filter());
    Ok(serve(listener, (tls, limits, known), service, shutdown).await)
}

/// Answers every request with 503 until `shutdown` resolves, for a program that can't work yet. The answer at `/health`
/// and below has the reason.
pub async fn unready(
    listener_config: ListenerConfig,
    reason: watch::Receiver<String>,
    shutdown: impl Future<Output = ()>,
) {
    metrics::install();
    let ListenerConfig { listener, tls, limits } = listener_config;
    let service = warp::service(unready::filter(reason));
    serve(listener, (tls, Arc::new(limits.bounded()), Arc::default()), service, shutdown).await;
}

/// Accepts connections until `shutdown` resolves, then drains.
async fn serve(
    listener: TcpListener,
    (tls, limits, known): (Option<Arc<Tls>>, Arc<Limits>, Arc<KnownAddresses>),
    service: impl connection::Routes,
    shutdown: impl Future<Output = ()>,
) -> Drained {
    let (drain, draining) = watch::channel(false);
    // Each running handler holds a receiver: when none is left, all have ended.
    let (cut, _) = watch::channel(false);
    let gate = Arc::new(admission::Gate::new(&limits, known));
    let mut connections = JoinSet::new();
    let mut upkeep = tokio::time::interval(metrics::UPKEEP_PERIOD);
    let mut shutdown = pin!(shutdown);
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    let peer = network::unmapped(peer);
                    match gate.enter(peer.ip()) {
                        Ok(place) => {
                            let session = connection::Session {
                                peer, place, named: false, gate: Arc::clone(&gate), tls: tls.clone(),
                                limits: Arc::clone(&limits), draining: draining.clone(), cut: cut.subscribe(),
                            };
                            connections.spawn(connection::serve(stream, service.clone(), session));
                        }
                        Err(refusal) => refuse::answer(stream, refusal, tls.clone(), &gate, &mut connections),
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(ended) = connections.join_next(), if !connections.is_empty() => report(ended),
            _ = upkeep.tick() => metrics::upkeep(),
        }
    }
    drop(listener);
    drain.send_replace(true);
    let finished = async {
        while let Some(ended) = connections.join_next().await {
            report(ended);
        }
        // Handlers whose peers are gone.
        cut.closed().await;
    };
    let in_time = tokio::time::timeout(limits.drain_timeout, finished).await.is_ok();
    let left = if in_time { 0 } else { connections.len().max(1) };
    connections.shutdown().await;
    cut.send_replace(true);
    cut.closed().await;
    Drained { cut: left }
}

/// A connection that ended by a panic outside of any handler: a defect of the edge itself.
fn report(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!(%error, "a connection panicked");
    }
}
