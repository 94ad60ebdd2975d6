//! The login limiter's memory over restarts: a small file, written at most once a second.
//!
//! Not a commit: a stranger's wrong guesses must not grow the journal or wait beside sales. What the
//! last second added may be lost with the power; whoever guesses can't cut that.

use crate::http::Shop;
use edge::limiter::LoginLimiter;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How often the file is brought up to date.
const KEEP_EVERY: Duration = Duration::from_secs(1);
/// The largest file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Where it lies.
pub fn file(folder: &Path) -> PathBuf {
    folder.join("guesses.json")
}

/// Goes on from the file, if there is one that can be read.
pub fn load(limiter: &LoginLimiter, file: &Path) {
    let read = match fs::metadata(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return,
        Ok(meta) if meta.len() > FILE_BYTES_MAX => Err(io::Error::other("it is too large")),
        Ok(_) => fs::read(file),
        Err(error) => Err(error),
    };
    let gone_on = read.and_then(|text| limiter.go_on(&text).map_err(io::Error::other));
    if let Err(error) = gone_on {
        tracing::warn!(file = %file.display(), %error, "wrong log-ins from before are forgotten");
    }
}

/// Keeps the file up to date until it is dropped.
pub async fn keep(shop: Arc<Shop>, file: PathBuf) {
    let mut tick = tokio::time::interval(KEEP_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        save(&shop, &file).await;
    }
}

/// Brings the file up to date.
pub async fn save(shop: &Arc<Shop>, file: &Path) {
    let Some(text) = shop.limiter.to_keep() else { return };
    let path = file.to_owned();
    let written = tokio::task::spawn_blocking(move || write(&path, &text)).await;
    if let Err(error) = written.map_err(io::Error::other).flatten() {
        tracing::warn!(file = %file.display(), %error, "wrong log-ins are not remembered over a restart");
    }
}

fn write(file: &Path, text: &[u8]) -> io::Result<()> {
    let draft = file.with_extension("new");
    let mut new = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
    new.write_all(text)?;
    new.sync_data()?;
    fs::rename(&draft, file)?;
    file.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}
