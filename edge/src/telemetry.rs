//! Logs: one line per event on standard error, for people or for machines.

use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// Format of log lines: `log.format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// Text for people.
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
    // No colours: they would be the same escape characters that a path or a name must not bring.
    let lines = fmt::layer().with_writer(|| Lines(io::stderr())).with_ansi(false);
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

/// A writer that makes each event one line of printable text. No path, user name, header or error can begin a line,
/// send control sequences to a terminal or change the reading direction. It is used for both formats; the escapes are
/// those of JSON, so that JSON stays valid.
struct Lines<W>(W);

impl<W: Write> Write for Lines<W> {
    /// `event` is a whole one: that is how the formatting layer writes.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let mut line = printable(text.strip_suffix('\n').unwrap_or(&text));
        line.push('\n');
        self.0.write_all(line.as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// `text` with every character escaped that ends a line, is a control character, or changes how others are shown.
fn printable(text: &str) -> String {
    let mut line = String::with_capacity(text.len().saturating_add(1));
    for c in text.chars() {
        match c {
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\t' => line.push_str("\\t"),
            c if c.is_control() || hides(c) => line.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => line.push(c),
        }
    }
    line
}

/// Line and paragraph separators, marks and overrides of the reading direction, and what has no width.
fn hides(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use std::sync::{Arc, Mutex};

    /// Output that is written, kept in memory.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn no_text_leaves_its_line_in_any_format() {
        let evil =
            "a\nINFO forged\r\u{1b}[31m\u{7f}\u{85}\u{9b}2J\u{2028}b\u{2029}\u{202e}c\u{2066}\0 é 日本 \"q\"";
        for format in [LogFormat::Pretty, LogFormat::Json] {
            let kept = Kept::default();
            let writer = kept.clone();
            let lines = fmt::layer().with_writer(move || Lines(writer.clone())).with_ansi(false);
            let log = || {
                tracing::warn!(path = evil, user = ?evil, error = %evil, "{evil}");
                tracing::info!("second");
            };
            match format {
                LogFormat::Pretty => tracing::subscriber::with_default(
                    tracing_subscriber::registry().with(lines.compact()),
                    log,
                ),
                LogFormat::Json => tracing::subscriber::with_default(
                    tracing_subscriber::registry().with(lines.json().flatten_event(true)),
                    log,
                ),
            }
            let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
            let lines: Vec<&str> = text.strip_suffix('\n').unwrap().split('\n').collect();
            assert_eq!(lines.len(), 2, "{text}");
            assert!(!text.chars().any(|c| (c.is_control() && c != '\n') || hides(c)), "{text:?}");
            assert!(text.contains("é 日本"), "{text}");
            if format == LogFormat::Json {
                let first: serde_json::Value = serde_json::from_str(lines.first().unwrap()).unwrap();
                assert_eq!(first.get("path").unwrap(), evil);
            }
        }
    }
}
