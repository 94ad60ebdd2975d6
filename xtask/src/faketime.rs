//! What some tests need beside this repository, installed where it is missing: libfaketime for clocks that are
//! wrong, strace for programs that are killed at a system call.

use anyhow::{Context, ensure};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// Names the library, for the tests too.
pub const GIVEN: &str = "LIBFAKETIME";
/// Debian's folders have one level for the kind of machine.
const LIBRARIES: &str = "/usr/lib";
const NAME: &str = "faketime/libfaketimeMT.so.1";
const INSTALL_SCRIPT: &str = "set -e; export DEBIAN_FRONTEND=noninteractive; apt-get update -qq; \
    apt-get install -y -qq --no-install-recommends libfaketime strace";
/// Installing takes at most this long.
const INSTALL: Duration = Duration::from_secs(300);

/// Where the library is, installed if need be.
pub async fn library() -> anyhow::Result<PathBuf> {
    if let Some(found) = find().filter(|_| strace()) {
        return Ok(found);
    }
    println!("installing libfaketime and strace with apt-get");
    let root = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self")?) == 0;
    let mut install = Command::new(if root { "sh" } else { "sudo" });
    if !root {
        install.args(["-n", "sh"]);
    }
    install.args(["-c", INSTALL_SCRIPT]).stdin(Stdio::null()).kill_on_drop(true);
    let hint = "libfaketime or strace is not here and could not be installed with apt-get: install both, or name \
                the file of the one in LIBFAKETIME";
    let status = tokio::time::timeout(INSTALL, install.status()).await.context(hint)?.context(hint)?;
    ensure!(status.success(), "{hint} ({status})");
    find().context(hint)
}

fn strace() -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join("strace").is_file())
}

fn find() -> Option<PathBuf> {
    let given = std::env::var_os(GIVEN).map(PathBuf::from);
    let machines = std::fs::read_dir(LIBRARIES).into_iter().flatten().flatten();
    given.or_else(|| machines.map(|machine| machine.path().join(NAME)).find(|path| path.is_file()))
}
