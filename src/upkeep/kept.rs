//! Backups requested by a page: folders named by their time, of which the last few are kept.

use domain::model::base::time::UtcMs;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Suffix of a folder's name while it is being made.
const PARTIAL: &str = ".partial";

/// The folder of a backup that begins now.
pub fn name(now: UtcMs) -> String {
    now.timestamp().strftime("%Y%m%dT%H%M%S%3fZ").to_string().replace('.', "")
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupFolder {
    pub folder: PathBuf,
    /// When it was begun, from its name.
    pub made_at: UtcMs,
    /// Bytes of its files.
    pub bytes: u64,
}

/// The backups below `folder`, the newest first; empty if there are none yet.
///
/// # Errors
/// The folder can't be read.
pub fn list(folder: &Path) -> io::Result<Vec<BackupFolder>> {
    let named = match entries(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        found => found?,
    };
    let kept = named.into_iter().filter_map(|(name, folder)| Some((time_of(&name)?, folder)));
    let sized = kept.map(|(made_at, folder)| Ok(BackupFolder { bytes: size(&folder)?, made_at, folder }));
    let mut found = sized.collect::<io::Result<Vec<_>>>()?;
    found.sort_by_key(|kept| std::cmp::Reverse(kept.made_at));
    Ok(found)
}

fn size(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0_u64;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let of = entry.metadata()?;
        let part = if of.is_dir() { size(&entry.path())? } else { of.len() };
        bytes = bytes.saturating_add(part);
    }
    Ok(bytes)
}

/// When a folder of this name was begun; `None` for other names.
fn time_of(name: &str) -> Option<UtcMs> {
    let (seconds, rest) = name.split_at_checked(15).filter(|_| is_name(name))?;
    let at = DateTime::strptime("%Y%m%dT%H%M%S", seconds).ok()?.to_zoned(TimeZone::UTC).ok()?;
    let ms: i64 = rest.strip_suffix('Z')?.parse().ok()?;
    Some(UtcMs(at.timestamp().as_millisecond().saturating_add(ms)))
}

/// Whether this program creates files with this name. Other files belong to someone else and are left alone.
fn is_name(name: &str) -> bool {
    name.len() == 19
        && name.char_indices().all(|(at, c)| match at {
            8 => c == 'T',
            18 => c == 'Z',
            _ => c.is_ascii_digit(),
        })
}

/// Removes the remains of interrupted backups. No other one may be under way.
///
/// # Errors
/// The folder can't be read, or a part of it can't be removed.
pub fn clear(folder: &Path) -> io::Result<()> {
    for (name, path) in entries(folder)? {
        if name.strip_suffix(PARTIAL).is_some_and(is_name) {
            fs::remove_dir_all(path)?;
        }
    }
    Ok(())
}

/// Removes the oldest, so that `keep` stay; `made`, the last one, stays whatever its time.
///
/// # Errors
/// The folder can't be read, or a part of it can't be removed.
pub fn prune(folder: &Path, made: &Path, keep: usize) -> io::Result<()> {
    let mut older = entries(folder)?;
    older.retain(|(name, path)| is_name(name) && path != made);
    older.sort();
    let gone = older.len().saturating_sub(keep.saturating_sub(1));
    older.into_iter().take(gone).try_for_each(|(_, path)| fs::remove_dir_all(path))
}

fn entries(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let named = |entry: io::Result<fs::DirEntry>| {
        entry.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
    };
    fs::read_dir(folder)?.map(named).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn the_last_few_stay_and_so_does_what_is_not_ours() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let hour = |n: i64| name(UtcMs(1_795_140_394_739 + n * 3_600_000));
        // One was made while the clock was years ahead.
        let names = [hour(1), hour(2), hour(3), hour(90_000)];
        let partial = format!("{}{PARTIAL}", hour(4));
        for name in names.iter().map(String::as_str).chain([partial.as_str(), "mine", "mine.partial"]) {
            fs::create_dir(at(name)).unwrap();
        }
        clear(folder.path()).unwrap();
        fs::write(at(&names[1]).join("rows"), [0; 7]).unwrap();
        let listed = list(folder.path()).unwrap();
        assert_eq!(listed.iter().map(|kept| kept.bytes).collect::<Vec<_>>(), [0, 0, 7, 0]);
        assert_eq!(listed.iter().map(|kept| name(kept.made_at)).rev().collect::<Vec<_>>(), names);
        assert_eq!(list(&at("nowhere")).unwrap(), []);
        prune(folder.path(), &at(&names[2]), 2).unwrap();
        let mut left: Vec<String> =
            entries(folder.path()).unwrap().into_iter().map(|(name, _)| name).collect();
        left.sort();
        assert_eq!(left, [names[2].as_str(), names[3].as_str(), "mine", "mine.partial"]);
        prune(folder.path(), &at(&names[2]), 1).unwrap();
        assert!(at(&names[2]).exists() && !at(&names[3]).exists());
    }
}
