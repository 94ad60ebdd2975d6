//! The service manager's protocol: ready, stopping, more time, and a watchdog that means something.

use sd_notify::NotifyState;
use std::time::Duration;
use storage::Storage;

/// How often opening asks for more time, and how much it asks for.
const OPENING_PERIOD: Duration = Duration::from_secs(5);
const OPENING_EXTENSION: Duration = Duration::from_secs(30);
/// A writer that does not answer within this is taken for stuck.
const WRITER_DEADLINE: Duration = Duration::from_secs(10);

/// The daemon accepts requests.
pub fn ready(status: &str) {
    tell(&[NotifyState::Ready, NotifyState::Status(status)]);
}

/// The daemon drains.
pub fn stopping() {
    tell(&[NotifyState::Stopping, NotifyState::Status("draining")]);
}

/// Asks for more time while the journal is checked or the index rebuilt.
pub async fn while_opening<T>(opening: impl Future<Output = T>) -> T {
    let mut opening = std::pin::pin!(opening);
    let mut ticks = tokio::time::interval(OPENING_PERIOD);
    let extension_us = u32::try_from(OPENING_EXTENSION.as_micros()).unwrap_or(u32::MAX);
    loop {
        tokio::select! {
            opened = &mut opening => return opened,
            _ = ticks.tick() => tell(&[
                NotifyState::Status("checking the journal"),
                NotifyState::ExtendTimeoutUsec(extension_us),
            ]),
        }
    }
}

/// Pings the watchdog for as long as the journal's writer answers: a process that can't write durably
/// does not serve, however alive it looks.
pub async fn watchdog(storage: Storage) {
    let Some(timeout) = sd_notify::watchdog_enabled() else { return };
    let mut ticks = tokio::time::interval(timeout / 3);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match tokio::time::timeout(WRITER_DEADLINE, storage.barrier()).await {
            Ok(Ok(())) => tell(&[NotifyState::Watchdog]),
            Ok(Err(closed)) => return tracing::debug!(%closed, "no more watchdog pings"),
            Err(_) => tracing::error!("the journal's writer does not answer: no watchdog ping"),
        }
    }
}

fn tell(state: &[NotifyState<'_>]) {
    // Without a service manager this does nothing.
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(%error, "the service manager could not be told");
    }
}
