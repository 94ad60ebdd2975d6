//! SIGTERM and SIGINT both mean: drain, then end.

use std::io;
use tokio::signal::unix::{SignalKind, signal};

/// Resolves at the first of the two.
///
/// # Errors
/// The handlers could not be installed.
pub fn stop() -> io::Result<impl Future<Output = ()>> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
