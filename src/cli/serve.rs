//! `serve`: the daemon.

use crate::app::{App, signals};
use crate::config::load::{Loaded, load};
use anyhow::Context;
use edge::server::sighup::follow_log_level;
use edge::settings::load::environment;
use edge::telemetry;
use std::time::Duration;
use tokio::net::TcpListener;

/// Time that work on other threads may hold up the end of the process.
const RUNTIME_DEADLINE: Duration = Duration::from_secs(1);

/// Serves until a signal requests the end.
pub fn run(loaded: &Loaded) -> anyhow::Result<()> {
    let log = &loaded.config.log;
    telemetry::init(log.format, &log.level)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(serve(loaded));
    runtime.shutdown_timeout(RUNTIME_DEADLINE);
    ended
}

async fn serve(loaded: &Loaded) -> anyhow::Result<()> {
    let stop = signals::stop_requested().context("can't listen for signals")?;
    // The folder first: beside a running daemon the answer is 73, not a port that is taken.
    let app = App::open(loaded).await?;
    let file = loaded.file.clone();
    let level = move || load(file.as_deref(), environment()).map(|loaded| loaded.config.log.level);
    tokio::spawn(follow_log_level(level));
    let listen = loaded.config.http.listen;
    let listener =
        TcpListener::bind(listen).await.with_context(|| format!("http.listen: can't listen on {listen}"))?;
    app.run(listener, stop).await
}
