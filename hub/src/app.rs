//! The running hub: assembly, background work and shutdown.

use crate::config::Config;
use crate::db::failure::Failure;
use crate::db::outage;
use crate::night::jobs;
use crate::routes::ROUTES;
use crate::state::hub::Hub;
use crate::state::idempotency;
use crate::state::notify;
use crate::table::hub::Identity;
use crate::table::webhooks::delivery;
use crate::table::{event_log, notice};
use crate::webhooks::sender;
use crate::{feed, ingest};
use anyhow::bail;
use domain::model::base::time::UtcMs;
use domain::rules::base::trusted_time::TrustedTime;
use edge::clock;
use edge::identity::saved_state;
use edge::server::ListenerConfig;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// Period between checks for other processes' changes of the feed and notices for screens.
const FEED_PERIOD: Duration = Duration::from_millis(500);
/// Period between retries of records that wait for others, without a poke.
const RETRY_PERIOD: Duration = Duration::from_secs(60);
/// Period between writes of the marks to the disk.
const MARKS_PERIOD: Duration = Duration::from_secs(1);
/// Period between writes of the stores that were heard.
const SEEN_PERIOD: Duration = Duration::from_secs(5);
/// Period between sweeps of stored answers.
const SWEEP_PERIOD: Duration = Duration::from_secs(3600);

/// Listener for requests, by the settings.
///
/// # Errors
/// A certificate or key that can't be used.
pub fn listener_config(config: &Config, listener: TcpListener) -> anyhow::Result<ListenerConfig> {
    let limits = edge::Limits { max_import_bytes: config.limits.import_bytes, ..config.http.limits() };
    Ok(ListenerConfig { listener, tls: config.http.tls()?, limits })
}

/// Serves until `shutdown` resolves: no new connections, long polls end, what runs may finish.
///
/// # Errors
/// A table of routes that can't be served; a database that was replaced, so that this process has to start again.
pub async fn serve(
    hub: Arc<Hub>,
    listener_config: ListenerConfig,
    shutdown: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    let mut background = tokio::spawn(background(Arc::clone(&hub)));
    let looking = background.abort_handle();
    let compacting = tokio::spawn(compact(Arc::clone(&hub)));
    let nights = tokio::spawn(jobs::keep(Arc::clone(&hub)));
    let sending = tokio::spawn(sender::keep(Arc::clone(&hub)));
    let remembering = tokio::spawn(saved_state::keep(Arc::clone(&hub), hub.folder.clone()));
    let hangups =
        tokio::spawn(edge::server::sighup::reload_on_sighup(listener_config.tls.clone(), Arc::clone(&hub)));
    notify::ready("serving");
    let stopping = hub.stopping.clone();
    let reported = async move {
        tokio::select! {
            () = shutdown => {}
            _ = &mut background => {}
        }
        notify::stopping();
        stopping.send_replace(true);
    };
    let drained = edge::server::run(listener_config, &ROUTES, Arc::clone(&hub), reported).await?;
    if drained.cut > 0 {
        tracing::warn!(cut = drained.cut, "connections were closed at the end of the drain time");
    }
    let replaced = looking.is_finished();
    looking.abort();
    compacting.abort();
    nights.abort();
    remembering.abort();
    // It ends with `stopping`, and hands its webhooks over.
    let _ = sending.await;
    saved_state::write_pending_refusals(&*hub).await;
    saved_state::save(&*hub, &hub.folder).await;
    hangups.abort();
    hub.db.close().await;
    if replaced {
        bail!("the database was replaced: restart this hub");
    }
    Ok(())
}

/// Whether the database is of another generation than this process: it was restored, and another process has
/// found out.
async fn replaced(hub: &Hub) -> bool {
    match Identity::load(hub.db.pool()).await {
        Ok(found) => found.is_some_and(|found| found.generation != hub.identity.generation),
        Err(_) => false,
    }
}

/// Looks for other processes' changes, and sweeps; ends only when the database was replaced.
async fn background(hub: Arc<Hub>) {
    let mut upgraded = false;
    let mut look = tokio::time::interval(FEED_PERIOD);
    let mut sweep = tokio::time::interval(SWEEP_PERIOD);
    let mut seen = tokio::time::interval(SEEN_PERIOD);
    let mut retry = tokio::time::interval(RETRY_PERIOD);
    let mut sync = tokio::time::interval(MARKS_PERIOD);
    // What is swept can't be brought back: a clock that jumps ahead sweeps nothing.
    let mut trusted = TrustedTime::starting_at(UtcMs(0), 0);
    let mut certain = || {
        let passed_ms = i64::try_from(hub.started.elapsed().as_millis()).unwrap_or(i64::MAX);
        trusted.now(clock::now(), passed_ms)
    };
    loop {
        tokio::select! {
            _ = look.tick() => {
                match hub.waits.look(hub.db.pool()).await {
                    Ok(()) => outage::over(),
                    Err(error) => outage::warn(&error, "the feed could not be read"),
                }
                if let Err(error) = hub.screens.look(&hub.db).await {
                    outage::warn(&error, "the notices for open pages could not be read");
                }
                if let Err(error) = event_log::give_numbers(&hub.db).await {
                    outage::warn(&error, "new events of the event log could not be numbered");
                }
                if replaced(&hub).await {
                    tracing::error!("the database was replaced: this process ends, so that it restarts with the \
                        new one");
                    return;
                }
            },
            _ = seen.tick() => if let Err(error) = hub.seen.write(&hub.db).await {
                outage::warn(&error, "the times at which stores were last seen could not be stored");
            },
            _ = sync.tick() => if let Err(error) = hub.cursors.sync() {
                tracing::error!(%error, "the marks file can't be written to the disk");
            },
            _ = retry.tick() => upgraded = try_again(&hub, upgraded).await,
            _ = sweep.tick() => swept(&hub, certain()).await,
        }
    }
}

/// Forgets stored answers and notices that are old enough.
async fn swept(hub: &Hub, now: UtcMs) {
    match idempotency::sweep(&hub.db, now).await {
        Ok(0) => {}
        Ok(swept) => tracing::info!(swept, "expired stored answers were deleted"),
        Err(error) => outage::warn(&error, "expired stored answers could not be deleted"),
    }
    if let Err(error) = notice::sweep(&hub.db, now).await {
        outage::warn(&error, "old notices for open pages could not be deleted");
    }
    if let Err(error) = event_log::sweep(&hub.db, now).await {
        outage::warn(&error, "old events of the event log could not be deleted");
    }
    if let Err(error) = sweep_deliveries(hub, now).await {
        outage::warn(&error, "old deliveries of webhooks could not be deleted");
    }
}

async fn sweep_deliveries(hub: &Hub, now: UtcMs) -> Result<(), sqlx::Error> {
    loop {
        let mut write = hub.db.write().await?;
        let has_more = delivery::sweep(&mut write, now).await?;
        write.commit().await?;
        if !has_more {
            return Ok(());
        }
    }
}

fn warn(failure: &Failure, what: &'static str) {
    match failure {
        Failure::Sql(error) => outage::warn(error, what),
        Failure::Refused(_) => tracing::warn!(error = %failure, "{what}"),
    }
}

/// Parked records once more; all of them until that has succeeded once, as after an upgrade. The first tick is at
/// the start.
async fn try_again(hub: &Hub, upgraded: bool) -> bool {
    let all = if upgraded { Ok(()) } else { ingest::replay::after_upgrade(hub).await };
    if let Err(error) = &all {
        warn(error, "not all parked records could be retried after an upgrade");
    }
    if let Err(error) = ingest::replay::overdue(hub).await {
        warn(&error, "waiting records could not be retried");
    }
    all.is_ok()
}

/// Compacts the feed now and every hour.
async fn compact(hub: Arc<Hub>) {
    let mut tick = tokio::time::interval(feed::compact::PERIOD);
    loop {
        tick.tick().await;
        let compactor = feed::compact::Compactor { db: &hub.db, retain: hub.feed_retain };
        match compactor.run(clock::now()).await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "the feed was compacted"),
            Err(error) => outage::warn(&error, "the feed could not be compacted"),
        }
    }
}
