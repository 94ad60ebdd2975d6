//! Programs of the previous version, built from this repository's history by `cargo xtask test`
//! (`tests/previous-version` says which): they write records and files as shops in the field have them.

use super::process;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Names the folder of both programs.
const FOLDER: &str = "PREVIOUS_VERSION";

static PROGRAMS: LazyLock<Option<[PathBuf; 2]>> = LazyLock::new(|| {
    let folder = PathBuf::from(std::env::var_os(FOLDER)?);
    Some(["store-router", "cloud-hub"].map(|name| {
        let program = folder.join(name);
        assert!(program.is_file(), "{FOLDER} names a folder without {name}");
        program
    }))
});

/// Which build a program is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Build {
    /// That of these tests.
    Current,
    /// The version before.
    Previous,
}

impl Build {
    /// Its store.
    pub fn store_router(self) -> &'static Path {
        match self {
            Self::Current => process::store_router(),
            Self::Previous => &programs()[0],
        }
    }

    /// Its hub.
    pub fn cloud_hub(self) -> &'static Path {
        match self {
            Self::Current => process::cloud_hub(),
            Self::Previous => &programs()[1],
        }
    }
}

fn programs() -> &'static [PathBuf; 2] {
    PROGRAMS.as_ref().expect("asked before")
}

/// Whether there is a previous version to test against. If not, that is said, past the harness's capture: a
/// run without it is no proof.
pub fn is_here(test: &str) -> bool {
    let here = PROGRAMS.is_some();
    if !here {
        let _ =
            writeln!(std::io::stderr(), "{test}: NOT RUN, {FOLDER} names no programs (cargo xtask previous)");
    }
    here
}
