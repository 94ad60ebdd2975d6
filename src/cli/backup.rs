//! `backup DIR`

use super::carry_out::carry_out;
use crate::config::Config;
use crate::control::Order;
use anyhow::Context;
use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize)]
struct Made {
    lsn: u64,
    epoch: String,
    seq: u64,
    files: u64,
    bytes: u64,
}

/// Backs the store up, beside the daemon or stopped.
pub fn run(config: &Config, folder: &Path, keys: bool) -> anyhow::Result<()> {
    let folder = std::path::absolute(folder).with_context(|| format!("{}", folder.display()))?;
    let order = Order::Backup { folder: folder.clone(), keys };
    let Made { lsn, epoch, seq, files, bytes } = serde_json::from_value(carry_out(config, order)?)?;
    println!(
        "{} contains lsn {lsn}, epoch {epoch} up to {seq}: {files} files, {bytes} bytes, verified",
        folder.display()
    );
    if keys {
        println!("the backup contains the store's keys: protect it as you protect the keys");
    }
    Ok(())
}
