//! Logs: one line per event on standard error, for people or for machines.

use serde::{Deserialize, Serialize};
use std::io::IsTerminal;
use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// How log lines look: `log.format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// For people.
    #[default]
    Pretty,
    /// One JSON object a line.
    Json,
}

/// Logs could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// `log.level` is not understood.
    #[error("log.level {0:?} is neither a level nor a list of target=level")]
    Level(String),
    /// Something else logs already.
    #[error("logs are set up already")]
    Installed,
}

/// Starts logging, panics included. `level` is a level (`info`) or a list (`info,edge=debug`).
///
/// # Errors
/// An unreadable level, or a second call in one process.
pub fn init(format: LogFormat, level: &str) -> Result<(), TelemetryError> {
    let filter = EnvFilter::try_new(level).map_err(|_| TelemetryError::Level(level.to_owned()))?;
    let registry = tracing_subscriber::registry().with(filter);
    let lines = fmt::layer().with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal());
    let installed = match format {
        LogFormat::Pretty => registry.with(lines.compact()).try_init(),
        LogFormat::Json => registry.with(lines.json().flatten_event(true)).try_init(),
    };
    installed.map_err(|_| TelemetryError::Installed)?;
    std::panic::set_hook(Box::new(|panic| {
        let thread = std::thread::current();
        tracing::error!(thread = thread.name().unwrap_or("unnamed"), "panic: {panic}");
    }));
    Ok(())
}
