//! The service manager's protocol: ready, stopping, more time, and a watchdog that means something.

use actors::StoreHandle;
use sd_notify::NotifyState;
use std::time::Duration;
use tokio::task::JoinHandle;

/// Interval at which opening asks for more time, and the time that it asks for.
const OPENING_PERIOD: Duration = Duration::from_secs(5);
const OPENING_EXTENSION: Duration = Duration::from_secs(30);
/// An owner through which no command gets within this is taken for stuck.
const OWNER_DEADLINE: Duration = Duration::from_secs(10);

/// The daemon accepts requests.
pub fn ready(status: &str) {
    let status = status.to_owned();
    drop(send(move || sd_notify::notify(&[NotifyState::Ready, NotifyState::Status(&status)])));
}

pub fn stopping() {
    drop(send(|| sd_notify::notify(&[NotifyState::Stopping, NotifyState::Status("draining")])));
}

/// Asks for more time while the journal is checked or the index rebuilt.
pub async fn while_opening<T>(opening: impl Future<Output = T>) -> T {
    let mut opening = std::pin::pin!(opening);
    let mut ticks = tokio::time::interval(OPENING_PERIOD);
    let extension_us = u32::try_from(OPENING_EXTENSION.as_micros()).unwrap_or(u32::MAX);
    loop {
        tokio::select! {
            opened = &mut opening => return opened,
            _ = ticks.tick() => drop(send(move || sd_notify::notify(&[
                NotifyState::Status("checking the journal"),
                NotifyState::ExtendTimeoutUsec(extension_us),
            ]))),
        }
    }
}

/// Pings the watchdog for as long as commands get through every owner and the journal's writer: a process that
/// can't write durably does not serve, however alive it looks.
pub async fn watchdog(store: StoreHandle) {
    let Some(timeout) = sd_notify::watchdog_enabled() else { return };
    let mut ticks = tokio::time::interval(timeout / 3);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let stuck = store.stuck(OWNER_DEADLINE).await;
        if stuck.is_empty() {
            let _ = send(|| sd_notify::notify(&[NotifyState::Watchdog])).await;
        } else {
            tracing::error!(?stuck, "commands are not processed: no watchdog ping");
        }
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
