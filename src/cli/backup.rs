//! `backup [DIR]`

use super::carry_out::carry_out;
use crate::config::Config;
use crate::control::Order;
use crate::folder;
use anyhow::Context;
use serde::Deserialize;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Made {
    folder: PathBuf,
    lsn: u64,
    epoch: String,
    seq: u64,
    files: u64,
    bytes: u64,
}

/// Backs the store up, beside the daemon or stopped: into `folder`, or beside the backups that are kept.
pub fn run(config: &Config, folder: Option<&Path>, keys: bool) -> anyhow::Result<()> {
    folder::has_store(config)?;
    let kept = folder::backups(config);
    let folder = folder.unwrap_or(&kept);
    let keep = (folder == kept).then_some(config.backup.keep);
    let folder = std::path::absolute(folder).with_context(|| format!("{}", folder.display()))?;
    if keep.is_some() && !folder.exists() {
        storage::make_dir(&folder).map_err(folder::in_use)?;
    }
    let order = Order::Backup { folder, keep, keys };
    let Made { folder, lsn, epoch, seq, files, bytes } = serde_json::from_value(carry_out(config, order)?)?;
    println!(
        "{} contains lsn {lsn}, epoch {epoch} up to {seq}: {files} files, {bytes} bytes, verified",
        folder.display()
    );
    if keys {
        println!("the backup contains the store's keys: protect it as you protect the keys");
    }
    Ok(())
}
