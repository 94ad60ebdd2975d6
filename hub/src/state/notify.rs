//! The service manager's protocol: ready, its state in words, stopping, and a watchdog.

use sd_notify::NotifyState;

/// Requests are answered from now on, even if only with 503 while the database is away.
pub fn ready(status: &str) {
    notify_systemd(&[NotifyState::Ready, NotifyState::Status(status)]);
}

/// The hub ends.
pub fn stopping() {
    notify_systemd(&[NotifyState::Stopping, NotifyState::Status("draining")]);
}

/// Pings the watchdog for as long as the process runs its tasks. A database that is away is no reason to restart.
pub async fn watchdog() {
    let Some(timeout) = sd_notify::watchdog_enabled() else { return };
    let mut ticks = tokio::time::interval(timeout / 3);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        notify_systemd(&[NotifyState::Watchdog]);
    }
}

fn notify_systemd(state: &[NotifyState<'_>]) {
    // Without a service manager this does nothing.
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(%error, "the service manager could not be notified");
    }
}
