//! Signals that stop the program. On SIGTERM and SIGINT it finishes running requests, then exits.

use std::io;
use tokio::signal::unix::{SignalKind, signal};

/// A future that resolves at the first SIGTERM or SIGINT.
///
/// # Errors
/// The signal handlers could not be installed.
pub fn stop_requested() -> io::Result<impl Future<Output = ()>> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
