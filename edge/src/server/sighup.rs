//! Reads files again at SIGHUP that may change while the program runs.

use crate::identity::Accounts;
use crate::server::tls::Tls;
use crate::telemetry;
use std::fmt::Display;
use std::io;
use std::sync::Arc;
use tokio::signal::unix::{SignalKind, signal};

/// Reads the certificate and the keys of tokens again at every SIGHUP, for as long as it is polled. A file that can't
/// be read changes nothing, and is logged.
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

/// Sets `log.level` again at every SIGHUP, for as long as it is polled. `level` reads it. A level that can't be read
/// changes nothing, and is logged.
///
/// # Errors
/// The handler could not be installed.
pub async fn follow_log_level<E: Display>(level: impl Fn() -> Result<String, E>) -> io::Result<()> {
    let mut hangups = signal(SignalKind::hangup())?;
    while hangups.recv().await.is_some() {
        match level() {
            Ok(level) => match telemetry::set_level(&level) {
                Ok(()) => tracing::info!("SIGHUP: log.level is {level}"),
                Err(error) => {
                    tracing::error!(%error, "SIGHUP: log.level could not be set; the old one stays in use")
                }
            },
            Err(error) => {
                tracing::error!(%error, "SIGHUP: the settings could not be read; the old log.level stays in use")
            }
        }
    }
    Ok(())
}
