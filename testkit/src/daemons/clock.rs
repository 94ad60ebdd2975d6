//! A wrong clock for one process: libfaketime, which `cargo xtask test` installs.

use domain::model::base::time::UtcMs;
use jiff::{Span, Timestamp, tz::TimeZone};
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use tempfile::TempDir;

/// Environment variable with the library, if it is not where Debian puts it.
pub const GIVEN: &str = "LIBFAKETIME";
/// Debian's folders have a level for the architecture.
const LIBRARIES: &str = "/usr/lib";
const NAME: &str = "faketime/libfaketimeMT.so.1";

/// A clock that can be changed while programs use it.
pub struct Clock {
    library: PathBuf,
    folder: TempDir,
    /// Offset in seconds.
    off: AtomicI64,
}

/// Path of libfaketime.
pub fn library() -> Option<PathBuf> {
    let given = std::env::var_os(GIVEN).map(PathBuf::from);
    let machines = std::fs::read_dir(LIBRARIES).into_iter().flatten().flatten();
    given.or_else(|| machines.map(|machine| machine.path().join(NAME)).find(|path| path.is_file()))
}

impl Clock {
    /// Returns `None` and prints this if the library is not installed, because then the test proves nothing.
    pub fn find() -> Option<Self> {
        let library = library();
        if library.is_none() {
            println!("NOT RUN: libfaketime is not here; `cargo xtask test` installs it");
        }
        let clock = Self { library: library?, folder: tempfile::tempdir().unwrap(), off: AtomicI64::new(0) };
        clock.set(Span::new());
        Some(clock)
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("offset")
    }

    /// Sets the offset of the clock from now on.
    pub fn set(&self, off: Span) {
        let now = edge::clock::now().timestamp();
        let there = now.to_zoned(TimeZone::UTC).checked_add(off).unwrap().timestamp();
        self.turn(there.as_second() - now.as_second());
    }

    /// Sets the clock to this moment, from which it continues.
    pub fn set_to(&self, there: Timestamp) {
        self.turn(there.as_second() - edge::clock::now().timestamp().as_second());
    }

    pub fn now(&self) -> UtcMs {
        UtcMs(edge::clock::now().0 + 1_000 * self.off.load(Ordering::Relaxed))
    }

    fn turn(&self, seconds: i64) {
        self.off.store(seconds, Ordering::Relaxed);
        let partial = self.folder.path().join("partial");
        std::fs::write(&partial, format!("{seconds:+}s\n")).unwrap();
        std::fs::rename(partial, self.file()).unwrap();
    }

    /// Environment of a program that uses this clock. Pauses and time limits are not affected.
    pub fn environment(&self) -> Vec<(String, String)> {
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        [
            ("LD_PRELOAD", text(self.library.clone())),
            ("FAKETIME_TIMESTAMP_FILE", text(self.file())),
            ("FAKETIME_NO_CACHE", "1".to_owned()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }
}
