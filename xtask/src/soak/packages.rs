//! Debian packages in new roots: installed, used by the manual, upgraded and removed.

use crate::tools::apt;
use anyhow::{Context, ensure};
use std::path::Path;
use std::time::Duration;
use tokio::process::Command;

/// Releases of Debian for which the packages are meant.
const SUITES: [&str; 2] = ["bookworm", "trixie"];
/// A new root with everything in it takes at most this long.
const DEADLINE: Duration = Duration::from_secs(20 * 60);
/// Does the work inside of the root.
const SCRIPT: &str = include_str!("packages.sh");

/// Tries the packages of a folder in each release. It needs root, for `debootstrap` and `chroot`.
///
/// # Errors
/// A root can't be made.
pub async fn run(packages: &Path) -> anyhow::Result<bool> {
    if apt::program("debootstrap").is_none() {
        apt::install(&["debootstrap"], "debootstrap could not be installed with apt-get").await?;
    }
    let mut fine = true;
    for suite in SUITES {
        let root = tempfile::tempdir()?;
        println!("packages in a new root of Debian {suite}");
        fine &= tokio::time::timeout(DEADLINE, in_root(suite, root.path(), packages)).await??;
    }
    Ok(fine)
}

async fn in_root(suite: &str, root: &Path, packages: &Path) -> anyhow::Result<bool> {
    let mut made = Command::new("debootstrap");
    made.args(["--variant=minbase", suite]).arg(root).stdout(std::process::Stdio::null()).kill_on_drop(true);
    ensure!(made.status().await.context("debootstrap")?.success(), "debootstrap {suite} failed");
    for entry in std::fs::read_dir(packages).with_context(|| packages.display().to_string())? {
        let path = entry?.path();
        if let Some(name) = path.file_name().filter(|_| path.extension().is_some_and(|end| end == "deb")) {
            std::fs::copy(&path, root.join("root").join(name))?;
        }
    }
    std::fs::copy("/etc/resolv.conf", root.join("etc/resolv.conf"))?;
    std::fs::write(root.join("root/packages.sh"), SCRIPT)?;
    // Mounts of a namespace of its own end with it.
    let script = "mount -t proc proc \"$0/proc\" && exec chroot \"$0\" sh /root/packages.sh";
    let mut tried = Command::new("unshare");
    tried
        .args(["--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script])
        .arg(root)
        .kill_on_drop(true);
    Ok(tried.status().await.context("unshare")?.success())
}
