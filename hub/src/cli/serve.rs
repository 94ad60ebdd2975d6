//! `serve` and `migrate`

use super::Loaded;
use crate::app;
use crate::config::Config;
use crate::state::{hub, notify, opening};
use anyhow::Context;
use edge::server::sighup::follow_log_level;
use edge::settings::load;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Serves until SIGTERM or SIGINT.
pub async fn run(loaded: &Loaded) -> anyhow::Result<()> {
    let config = &loaded.config;
    edge::telemetry::init(config.log.format, &config.log.level)?;
    let mut stop = stop()?;
    let listen = config.http.listen;
    let listener = TcpListener::bind(listen).await.with_context(|| format!("{listen}"))?;
    let address = listener.local_addr()?;
    let listener_config = app::listener_config(config, listener)?;
    tokio::spawn(notify::watchdog());
    let file = loaded.file.clone();
    let read = move || load::load::<Config>(file.as_deref(), load::environment());
    let level = move || read().map(|loaded| loaded.config.log.level);
    tokio::spawn(follow_log_level(level));
    let Some(hub) = opening::open(config, &listener_config, &mut stop).await? else { return Ok(()) };
    tracing::info!(hub_id = hub.identity.hub_id, %address, "serving");
    let stopped = async move { drop(stop.wait_for(|stop| *stop).await) };
    app::serve(hub, listener_config, stopped).await
}

/// Becomes true at SIGTERM or SIGINT.
fn stop() -> anyhow::Result<watch::Receiver<bool>> {
    let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let (sender, stop) = watch::channel(false);
    tokio::spawn(async move {
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
        }
        tracing::info!("stopping");
        sender.send_replace(true);
    });
    Ok(stop)
}

/// Brings the tables to this version.
pub async fn migrate(config: &Config) -> anyhow::Result<()> {
    let (db, identity) = hub::open_db(config).await?;
    db.close().await;
    println!("the tables of hub {} are up to date", identity.hub_id);
    Ok(())
}
