//! A disk that can stand still: an ext4 image on a loop device, frozen for a while.

use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::process::Command;

/// Its size; the file is sparse, so only what is written takes room.
const BYTES: u64 = 4 << 30;

/// A mounted image; dropped, it is thawed and unmounted.
pub struct Disk(PathBuf);

impl Disk {
    /// A new file system in this folder.
    ///
    /// # Errors
    /// This machine can't mount one.
    pub async fn mount(folder: &Path) -> anyhow::Result<Self> {
        let (image, mount) = (folder.join("disk.img"), folder.join("disk"));
        std::fs::File::create(&image)?.set_len(BYTES)?;
        std::fs::create_dir_all(&mount)?;
        tool(Command::new("mkfs.ext4").args(["-q", "-F", "-m", "0"]).arg(&image)).await?;
        tool(Command::new("mount").args(["-o", "loop"]).arg(&image).arg(&mount)).await?;
        Ok(Self(mount))
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Nothing is written for so long.
    pub async fn stalls_for(&self, pause: Duration) -> anyhow::Result<()> {
        tool(Command::new("fsfreeze").arg("--freeze").arg(&self.0)).await?;
        tokio::time::sleep(pause).await;
        tool(Command::new("fsfreeze").arg("--unfreeze").arg(&self.0)).await
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let quietly = |name: &str, args: &[&str]| {
            // One that is not frozen can't be thawed, which is well.
            let _ = std::process::Command::new(name).args(args).arg(&self.0).output();
        };
        quietly("fsfreeze", &["--unfreeze"]);
        quietly("umount", &["--lazy"]);
    }
}

async fn tool(command: &mut Command) -> anyhow::Result<()> {
    let shown = format!("{:?}", command.as_std());
    let output = command.output().await.with_context(|| shown.clone())?;
    if !output.status.success() {
        bail!("{shown}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}
