//! Opening the hub while its database may be away: requests are answered with 503, and the hub tries again.

use crate::config::Config;
use crate::db::failure::is_away;
use crate::db::{Engine, outage};
use crate::state::hub::{self, Hub};
use crate::state::notify;
use edge::server::{self, ListenerConfig};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// Pause after the first try.
const PAUSE_MIN: Duration = Duration::from_millis(500);
/// The longest pause: a database that is back is found within this.
const PAUSE_MAX: Duration = Duration::from_secs(5);

/// Opens the hub of these settings. `None` if the process was stopped before its database was available.
///
/// # Errors
/// Errors that waiting does not resolve, such as a refused password, a database that does not exist, or tables of
/// another version.
pub async fn open(
    config: &Config,
    listener_config: &ListenerConfig,
    stop: &mut watch::Receiver<bool>,
) -> anyhow::Result<Option<Arc<Hub>>> {
    let error = match hub::open(config).await {
        Ok(hub) => return Ok(Some(hub)),
        Err(error) => error,
    };
    let (reason, reasons) = watch::channel(waited_for(config, error)?);
    notify::ready(&reason.borrow());
    let (opened, until) = oneshot::channel::<()>();
    let waiting = listener_config.another()?;
    let answering = tokio::spawn(server::unready(waiting, reasons, async move { drop(until.await) }));
    let result = tokio::select! {
        result = keep_trying(config, &reason) => result.map(Some),
        _ = stop.wait_for(|stop| *stop) => Ok(None),
    };
    drop(opened);
    answering.await?;
    result
}

async fn keep_trying(config: &Config, reason: &watch::Sender<String>) -> anyhow::Result<Arc<Hub>> {
    let mut pause = PAUSE_MIN;
    loop {
        tokio::time::sleep(pause).await;
        pause = pause.saturating_mul(2).min(PAUSE_MAX);
        match hub::open(config).await {
            Ok(hub) => {
                outage::over();
                return Ok(hub);
            }
            Err(error) => {
                reason.send_replace(waited_for(config, error)?);
            }
        }
    }
}

/// The reason for which the hub waits.
///
/// # Errors
/// The error, if waiting does not mend it.
fn waited_for(config: &Config, error: anyhow::Error) -> anyhow::Result<String> {
    let server = Engine::of(&config.database.url) == Some(Engine::Postgres);
    let away =
        error.chain().find_map(|cause| cause.downcast_ref::<sqlx::Error>()).filter(|error| is_away(error));
    match away.filter(|_| server) {
        Some(away) => {
            outage::note(away);
            Ok(format!("the hub waits for its database: {away}"))
        }
        None => Err(error),
    }
}
