//! The units of systemd: whether they can be loaded, and how much of the machine they leave open.

use crate::tools::starts;
use crate::workspace::{Binaries, Profile, build, root};
use anyhow::{Context, ensure};
use std::path::{Path, PathBuf};
use tokio::process::Command;

const UNITS: &str = "systemd";
/// Folder in which the units expect the binaries.
const INSTALLED: &str = "/usr/bin/";
/// The most exposure that a unit may have, in tenths, as `systemd-analyze security` counts.
const EXPOSURE_MAX: &str = "15";

/// Whether there is anything to ask.
pub async fn can_be_checked() -> bool {
    starts("systemd-analyze").await
}

/// `systemd-analyze verify` of copies of the units that name the binaries just built, since it asks
/// whether each command can be run; then `security` with the most that is allowed.
pub async fn check() -> anyhow::Result<bool> {
    let copies = tempfile::tempdir()?;
    let files = copy(copies.path(), &build(Profile::Dev).await?)?;
    let mut fine = analyse(&["verify"], &files).await?;
    for file in &files {
        let threshold = format!("--threshold={EXPOSURE_MAX}");
        fine &= analyse(&["security", "--offline=true", "--no-pager", &threshold], &[file]).await?;
    }
    Ok(fine)
}

async fn analyse(args: &[&str], files: &[impl AsRef<Path>]) -> anyhow::Result<bool> {
    let mut command = Command::new("systemd-analyze");
    command.args(args).args(files.iter().map(AsRef::as_ref)).kill_on_drop(true);
    let said = command.output().await.context("systemd-analyze")?;
    let text = String::from_utf8_lossy(&said.stdout);
    // Only the verdict of the long table, unless it is a bad one.
    let shown: Vec<&str> =
        if said.status.success() { text.lines().rev().take(1).collect() } else { vec![&text] };
    eprint!("{}\n{}", shown.join("\n"), String::from_utf8_lossy(&said.stderr));
    Ok(said.status.success())
}

fn copy(to: &Path, binaries: &Binaries) -> anyhow::Result<Vec<PathBuf>> {
    let built = binaries.store.parent().context("the binaries are in no folder")?;
    let mut copies = Vec::new();
    for entry in std::fs::read_dir(root().join(UNITS))? {
        let entry = entry?;
        if entry.path().extension().is_none_or(|extension| extension != "service") {
            continue;
        }
        let unit = std::fs::read_to_string(entry.path())?;
        let copy = to.join(entry.file_name());
        std::fs::write(&copy, unit.replace(INSTALLED, &format!("{}/", built.display())))?;
        copies.push(copy);
    }
    ensure!(!copies.is_empty(), "no units in {UNITS}");
    Ok(copies)
}
