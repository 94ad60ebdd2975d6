//! What some tests need beside this repository, installed where it is missing: libfaketime for clocks that are
//! wrong, strace for programs that are killed at a system call.

use crate::tools::apt;
use anyhow::Context;
use std::path::PathBuf;

/// Names the library, for the tests too.
pub const GIVEN: &str = "LIBFAKETIME";
/// Debian's folders have one level for the kind of machine.
const LIBRARIES: &str = "/usr/lib";
const NAME: &str = "faketime/libfaketimeMT.so.1";

/// Where the library is, installed if need be.
pub async fn library() -> anyhow::Result<PathBuf> {
    if let Some(found) = find().filter(|_| apt::program("strace").is_some()) {
        return Ok(found);
    }
    let hint = "libfaketime or strace is not installed and could not be installed with apt-get: install both, \
        or set LIBFAKETIME to the file of libfaketime";
    apt::install(&["libfaketime", "strace"], hint).await?;
    find().context(hint)
}

fn find() -> Option<PathBuf> {
    let given = std::env::var_os(GIVEN).map(PathBuf::from);
    let machines = std::fs::read_dir(LIBRARIES).into_iter().flatten().flatten();
    given.or_else(|| machines.map(|machine| machine.path().join(NAME)).find(|path| path.is_file()))
}
