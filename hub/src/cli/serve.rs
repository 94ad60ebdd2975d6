//! `serve` and `migrate`

use crate::app;
use crate::config::Config;
use crate::state::hub;
use anyhow::Context;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// Serves until it is told to stop.
pub async fn run(config: &Config) -> anyhow::Result<()> {
    edge::telemetry::init(config.log.format, &config.log.level)?;
    let hub = hub::open(config).await?;
    let listen = config.http.listen;
    let listener = TcpListener::bind(listen).await.with_context(|| format!("{listen}"))?;
    let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let stop = async move {
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
        }
        tracing::info!("stopping");
    };
    tracing::info!(hub_id = hub.identity.hub_id, address = %listener.local_addr()?, "serving");
    app::serve(hub, app::listener_config(config, listener)?, stop).await
}

/// Brings the tables to this version.
pub async fn migrate(config: &Config) -> anyhow::Result<()> {
    let (db, identity) = hub::open_db(config).await?;
    db.close().await;
    println!("the tables of hub {} are up to date", identity.hub_id);
    Ok(())
}
