//! Logs: one line per event on standard error, for people or for machines.

use serde::{Deserialize, Serialize};
use std::io::{self, Stderr, Write};
use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::reload::{self, Handle};
use tracing_subscriber::{EnvFilter, Registry, fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// Names of the levels, and `off`.
const LEVELS: [&str; 6] = ["error", "warn", "info", "debug", "trace", "off"];
/// Names the journal that standard error is connected to, as `device:inode`. systemd sets it.
const JOURNAL: &str = "JOURNAL_STREAM";

/// The filter in use, which [`set_level`] replaces.
static FILTER: OnceLock<Handle<EnvFilter, Registry>> = OnceLock::new();

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
    #[error(
        "log.level {0:?} is neither a level (error, warn, info, debug, trace, off) nor a list of target=level"
    )]
    Level(String),
    /// Another logger is already installed.
    #[error("logs are set up already")]
    Installed,
    /// Logs were not set up by [`init`].
    #[error("logs are not set up")]
    NotInstalled,
}

/// Starts logging, panics included. `level` is a level (`info`) or a list (`info,edge=debug`).
///
/// # Errors
/// An unreadable level, or a second call in one process.
pub fn init(format: LogFormat, level: &str) -> Result<(), TelemetryError> {
    let (filter, handle) = reload::Layer::new(filter(level)?);
    let registry = tracing_subscriber::registry().with(filter);
    // No colours: they would be the same escape characters that a path or a name must not bring.
    let lines = fmt::layer().with_writer(Output { has_priorities: is_to_journal() }).with_ansi(false);
    let installed = match format {
        LogFormat::Pretty => registry.with(lines.compact()).try_init(),
        LogFormat::Json => registry.with(lines.json().flatten_event(true)).try_init(),
    };
    installed.map_err(|_| TelemetryError::Installed)?;
    drop(FILTER.set(handle));
    std::panic::set_hook(Box::new(|panic| {
        let thread = std::thread::current();
        tracing::error!(thread = thread.name().unwrap_or("unnamed"), "panic: {panic}");
    }));
    Ok(())
}

/// Changes the level of the running program. `level` is as in [`init`].
///
/// # Errors
/// An unreadable level, or logs that [`init`] did not set up; then nothing changes.
pub fn set_level(level: &str) -> Result<(), TelemetryError> {
    let handle = FILTER.get().ok_or(TelemetryError::NotInstalled)?;
    handle.reload(filter(level)?).map_err(|_| TelemetryError::NotInstalled)
}

/// The filter of a level or of a list of `target=level`.
///
/// # Errors
/// A word that is no level: the filter itself would take it for the name of a module, and log nothing else.
pub fn filter(level: &str) -> Result<EnvFilter, TelemetryError> {
    let is_known = |directive: &str| {
        let (target, level) = directive.trim().rsplit_once('=').unwrap_or(("", directive));
        let is_level = LEVELS.iter().any(|known| known.eq_ignore_ascii_case(level.trim()));
        is_level && !target.contains(char::is_whitespace)
    };
    let known = level.split(',').all(is_known);
    let filter = EnvFilter::try_new(level).ok().filter(|_| known);
    filter.ok_or_else(|| TelemetryError::Level(level.to_owned()))
}

/// Whether standard error is the journal, and was not redirected.
fn is_to_journal() -> bool {
    let (Ok(named), Ok(stderr)) = (std::env::var(JOURNAL), std::fs::metadata("/proc/self/fd/2")) else {
        return false;
    };
    named == format!("{}:{}", stderr.dev(), stderr.ino())
}

/// Standard error. The journal takes the priority of a line from its beginning (`sd-daemon(3)`).
struct Output {
    has_priorities: bool,
}

impl<'a> MakeWriter<'a> for Output {
    type Writer = Lines<Stderr>;

    fn make_writer(&'a self) -> Self::Writer {
        Lines { out: io::stderr(), prefix: "" }
    }

    fn make_writer_for(&'a self, event: &Metadata<'_>) -> Self::Writer {
        let prefix = if self.has_priorities { priority(*event.level()) } else { "" };
        Lines { out: io::stderr(), prefix }
    }
}

/// The level as a priority of syslog.
fn priority(level: Level) -> &'static str {
    match level {
        Level::ERROR => "<3>",
        Level::WARN => "<4>",
        Level::INFO => "<6>",
        _ => "<7>",
    }
}

/// A writer that makes each event one line of printable text. No path, user name, header or error can begin a line,
/// send control sequences to a terminal or change the reading direction. It is used for both formats; the escapes are
/// those of JSON, so that JSON stays valid.
struct Lines<W> {
    out: W,
    /// Begins each line.
    prefix: &'static str,
}

impl<W: Write> Write for Lines<W> {
    /// `event` is a whole one: that is how the formatting layer writes.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let line = printable(text.strip_suffix('\n').unwrap_or(&text));
        let line = format!("{}{line}\n", self.prefix);
        self.out.write_all(line.as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
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

/// Line and paragraph separators, marks and overrides of the reading direction, and characters without width.
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
    fn a_word_that_is_no_level_is_refused() {
        for level in ["info", "WARN", "off", "info,edge=debug", "edge::api=trace, error"] {
            filter(level).unwrap();
        }
        for level in ["warning", "verbose", "", "info,", "info,edge", "edge=loud", "info edge=debug"] {
            filter(level).unwrap_err();
        }
    }

    #[test]
    fn no_text_leaves_its_line_in_any_format() {
        let evil =
            "a\nINFO forged\r\u{1b}[31m\u{7f}\u{85}\u{9b}2J\u{2028}b\u{2029}\u{202e}c\u{2066}\0 é 日本 \"q\"";
        for format in [LogFormat::Pretty, LogFormat::Json] {
            let kept = Kept::default();
            let writer = kept.clone();
            let lines =
                fmt::layer().with_writer(move || Lines { out: writer.clone(), prefix: "" }).with_ansi(false);
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
