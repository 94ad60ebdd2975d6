//! The service manager's protocol: ready, its state in words, stopping, and a watchdog.

use sd_notify::NotifyState;
use tokio::task::JoinHandle;

/// Requests are answered from now on, even if only with 503 while the database is away.
pub fn ready(status: &str) {
    let status = status.to_owned();
    drop(send(move || sd_notify::notify(&[NotifyState::Ready, NotifyState::Status(&status)])));
}

/// The hub ends.
pub fn stopping() {
    drop(send(|| sd_notify::notify(&[NotifyState::Stopping, NotifyState::Status("draining")])));
}

/// Pings the watchdog for as long as the process runs its tasks. A database that is away is no reason to restart.
pub async fn watchdog() {
    let Some(timeout) = sd_notify::watchdog_enabled() else { return };
    let mut ticks = tokio::time::interval(timeout / 3);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let _ = send(|| sd_notify::notify(&[NotifyState::Watchdog])).await;
    }
}

/// Sends on a thread that may wait: a service manager that is slow to read must not hold up requests. Without one this
/// does nothing.
fn send(message: impl FnOnce() -> std::io::Result<()> + Send + 'static) -> JoinHandle<()> {
    tokio::task::spawn_blocking(|| {
        if let Err(error) = message() {
            tracing::warn!(%error, "the service manager could not be notified");
        }
    })
}
