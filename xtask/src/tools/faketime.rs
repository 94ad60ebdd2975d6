//! Requirements of some tests outside of this repository, installed if missing: libfaketime for wrong clocks, strace
//! for programs that are killed at a system call.

use crate::tools::apt;
use anyhow::Context;
use std::path::PathBuf;
use testkit::clock;

/// Names the library, for the tests too.
pub const GIVEN: &str = clock::GIVEN;

/// Path of the library, installed if need be.
pub async fn library() -> anyhow::Result<PathBuf> {
    if let Some(found) = clock::library().filter(|_| apt::program("strace").is_some()) {
        return Ok(found);
    }
    let hint = "libfaketime or strace is not installed and could not be installed with apt-get: install both, \
        or set LIBFAKETIME to the file of libfaketime";
    apt::install(&["libfaketime", "strace"], hint).await?;
    clock::library().context(hint)
}
