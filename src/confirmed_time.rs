//! The latest confirmed time, in a small file of the data folder. A start continues from it, so that a clock that
//! jumped before the restart is not trusted because of its commits.

use actors::StoreHandle;
use domain::model::base::time::UtcMs;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Interval at which the file is written: within `domain::rules::base::trusted_time::KEPT_WITHIN_MS`.
const KEEP_EVERY: Duration = Duration::from_secs(60);

fn file(folder: &Path) -> PathBuf {
    folder.join("confirmed_time.json")
}

/// The stored time. `None` if there is none, or the file can't be read.
pub fn kept(folder: &Path) -> Option<UtcMs> {
    let path = file(folder);
    let read = match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        read => read.and_then(|text| serde_json::from_slice(&text).map_err(io::Error::other)),
    };
    read.map_err(|error| {
        tracing::warn!(file = %path.display(), %error, "the confirmed time can't be read and is ignored")
    })
    .ok()
}

/// Keeps the file up to date until it is dropped.
pub async fn keep(store: StoreHandle, folder: PathBuf) {
    let mut tick = tokio::time::interval(KEEP_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        save(&store, &folder).await;
    }
}

/// Writes the file.
pub async fn save(store: &StoreHandle, folder: &Path) {
    let (path, at) = (file(folder), store.confirmed_time());
    let written = tokio::task::spawn_blocking(move || write(&path, at)).await;
    if let Err(error) = written.map_err(io::Error::other).flatten() {
        tracing::warn!(%error, "the confirmed time could not be saved: it is lost at a restart");
    }
}

fn write(path: &Path, at: UtcMs) -> io::Result<()> {
    let draft = path.with_extension("new");
    let mut new = File::create(&draft)?;
    new.write_all(&serde_json::to_vec(&at)?)?;
    new.sync_data()?;
    fs::rename(&draft, path)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn the_stored_time_is_read_and_a_damaged_file_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(kept(folder.path()), None);
        write(&file(folder.path()), UtcMs(1_795_140_394_739)).unwrap();
        assert_eq!(kept(folder.path()), Some(UtcMs(1_795_140_394_739)));
        fs::write(file(folder.path()), "x").unwrap();
        assert_eq!(kept(folder.path()), None);
    }
}
