//! A clock that is wrong, for one process: libfaketime, which `cargo xtask test` installs.

use jiff::{Span, tz::TimeZone};
use std::path::PathBuf;
use tempfile::TempDir;

/// Says where the library is, if not where Debian puts it.
const GIVEN: &str = "LIBFAKETIME";
/// Debian's folders have one level for the kind of machine.
const LIBRARIES: &str = "/usr/lib";
const NAME: &str = "faketime/libfaketimeMT.so.1";

/// A clock whose hands can be moved while programs look at it.
pub struct Clock {
    library: PathBuf,
    folder: TempDir,
}

impl Clock {
    /// None where the library is not installed: said aloud, since then a test proves nothing.
    pub fn find() -> Option<Self> {
        let given = std::env::var_os(GIVEN).map(PathBuf::from);
        let machines = std::fs::read_dir(LIBRARIES).into_iter().flatten().flatten();
        let library =
            given.or_else(|| machines.map(|machine| machine.path().join(NAME)).find(|path| path.is_file()));
        if library.is_none() {
            println!("NOT RUN: libfaketime is not here; `cargo xtask test` installs it");
        }
        let clock = Self { library: library?, folder: tempfile::tempdir().unwrap() };
        clock.set(Span::new());
        Some(clock)
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("offset")
    }

    /// From now on the clock is off by this much.
    pub fn set(&self, off: Span) {
        let now = edge::clock::now().timestamp();
        let there = now.to_zoned(TimeZone::UTC).checked_add(off).unwrap().timestamp();
        let seconds = there.as_second() - now.as_second();
        let partial = self.folder.path().join("partial");
        std::fs::write(&partial, format!("{seconds:+}s\n")).unwrap();
        std::fs::rename(partial, self.file()).unwrap();
    }

    /// What a program needs to look at this clock. Pauses and time limits are not its business.
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
