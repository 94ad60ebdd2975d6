//! SIGHUP: what is in files and may change while the program runs is read again.

use crate::identity::Accounts;
use crate::server::tls::Tls;
use std::io;
use std::sync::Arc;
use tokio::signal::unix::{SignalKind, signal};

/// Reads the certificate and the keys of tokens again at every SIGHUP, for as long as it is polled. What can't
/// be read stays as it was, and is logged.
///
/// # Errors
/// The handler could not be installed.
pub async fn reload_on_sighup<S: Accounts>(tls: Option<Arc<Tls>>, state: Arc<S>) -> io::Result<()> {
    let mut hangups = signal(SignalKind::hangup())?;
    while hangups.recv().await.is_some() {
        match state.identity().keys.reload() {
            Ok(()) => tracing::info!("SIGHUP: the token keys were reloaded"),
            Err(error) => {
                tracing::error!(%error, "SIGHUP: the token keys could not be reloaded; the old ones stay in use")
            }
        }
        match tls.as_deref().map(Tls::reload) {
            None => tracing::info!("SIGHUP: there is no certificate to reload"),
            Some(Ok(())) => tracing::info!("SIGHUP: the certificate was reloaded"),
            Some(Err(error)) => {
                tracing::error!(%error, "SIGHUP: the certificate could not be reloaded; the old one stays in use")
            }
        }
    }
    Ok(())
}
