//! Restore drills: the newest backup is restored into a scratch folder beside it, verified, and removed again.
//!
//! The command does this in a process of its own, at the low priority of its unit, so it never slows the daemon down.
//! The daemon reads only the result, a small file beside the backups.

use super::Step;
use super::kept::{self, BackupFolder};
use crate::config::Config;
use crate::exit::{Exit, IN_USE};
use crate::folder;
use actors::StoreHandle;
use anyhow::Context;
use domain::wire::sync::BackupDrill;
use edge::clock;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// The result of the last drill.
const RESULT: &str = "drill.json";
/// Folder of the copy while it is checked. It is removed afterwards, also by the next drill if one is interrupted.
const SCRATCH: &str = "drill.scratch";
/// Interval at which the daemon reads the result.
const READ_EVERY: Duration = Duration::from_secs(5);
/// Longest reason that is kept, in characters.
const PROBLEM_CHARS_MAX: usize = 500;

/// The result of the last drill. `None` if there was none, or its file can't be read.
pub fn last(backups: &Path) -> Option<BackupDrill> {
    let path = backups.join(RESULT);
    let read = match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        read => read.and_then(|text| serde_json::from_slice(&text).map_err(io::Error::other)),
    };
    read.map_err(|error| {
        tracing::warn!(file = %path.display(), %error, "the result of the restore drill can't be read")
    })
    .ok()
}

/// Reports each new result, and damage that the background check finds, to head office until it is dropped.
pub async fn report(store: StoreHandle, backups: PathBuf) {
    let mut reported = (read_last(&backups).await, store.storage().damage());
    let mut looks = tokio::time::interval(READ_EVERY);
    looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        looks.tick().await;
        let now = (read_last(&backups).await, store.storage().damage());
        if now != reported {
            store.say_hello().await;
            reported = now;
        }
    }
}

/// [`last`] on another thread, because the disk may be slow.
async fn read_last(backups: &Path) -> Option<BackupDrill> {
    let backups = backups.to_owned();
    tokio::task::spawn_blocking(move || last(&backups)).await.unwrap_or_default()
}

/// Restores and verifies the newest backup, and keeps the result.
///
/// # Errors
/// Exit code 73 if another drill runs, or the result can't be kept. A failed drill is a result.
pub fn run(config: &Config, progress: &mut dyn FnMut(Step)) -> anyhow::Result<BackupDrill> {
    let backups = folder::backups(config);
    storage::make_dir(&backups).map_err(folder::in_use)?;
    let _turn = take_turn(&backups)?;
    let scratch = backups.join(SCRATCH);
    remove(&scratch).with_context(|| scratch.display().to_string())?;
    let begun = Instant::now();
    let newest = kept::list(&backups).with_context(|| backups.display().to_string())?.into_iter().next();
    let checked = match &newest {
        None => Err(format!("there is no backup in {}: run store-router backup", backups.display())),
        Some(backup) => {
            check_free_space(config, backup).and_then(|()| check(config, backup, &scratch, progress))
        }
    };
    // If the time ran out, the copy may still grow; the next drill removes the rest.
    if let Err(error) = remove(&scratch) {
        tracing::warn!(%error, "the copy of a restore drill could not be removed");
    }
    let finished_at = clock::now();
    let before = last(&backups).and_then(|drill| drill.succeeded_at);
    let result = BackupDrill {
        finished_at,
        duration_ms: begun.elapsed().as_millis().try_into().unwrap_or(u64::MAX),
        backup_made_at: newest.map(|backup| backup.made_at),
        records_count: *checked.as_ref().unwrap_or(&0),
        succeeded_at: if checked.is_ok() { Some(finished_at) } else { before },
        problem: checked.err().map(|problem| problem.chars().take(PROBLEM_CHARS_MAX).collect()),
    };
    write(&backups.join(RESULT), &result).with_context(|| backups.join(RESULT).display().to_string())?;
    Ok(result)
}

/// Locks the folder of backups against a second drill. The lock ends when the file is dropped or the process ends.
fn take_turn(backups: &Path) -> anyhow::Result<File> {
    let folder = File::open(backups).with_context(|| backups.display().to_string())?;
    match folder.try_lock() {
        Ok(()) => Ok(folder),
        Err(TryLockError::WouldBlock) => Err(Exit::new(IN_USE, "another restore drill is running").into()),
        Err(TryLockError::Error(error)) => Err(error).with_context(|| backups.display().to_string()),
    }
}

/// Refuses a drill that would use the space that selling needs.
fn check_free_space(config: &Config, backup: &BackupFolder) -> Result<(), String> {
    let options = folder::options(config);
    let spare = options.min_free_bytes.saturating_add(options.segment_bytes);
    let needed = backup.bytes.saturating_add(spare);
    let disk = rustix::fs::statvfs(&backup.folder).map_err(|error| error.to_string())?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    if free >= needed {
        return Ok(());
    }
    Err(format!(
        "not enough space: a restore drill needs {needed} bytes, and {free} are free ({})",
        backup.folder.display()
    ))
}

/// Messages of the checking thread.
enum Report {
    Working(Step),
    Ended(Result<u64, String>),
}

/// Checks a backup within the time limit. Returns the number of records.
fn check(
    config: &Config,
    backup: &BackupFolder,
    scratch: &Path,
    progress: &mut dyn FnMut(Step),
) -> Result<u64, String> {
    let limit = config.backup.drill_limit;
    let (report, reports) = mpsc::channel();
    let (from, to, end) = (backup.folder.clone(), scratch.to_owned(), Instant::now() + limit.duration());
    // A thread of its own: reading a disk that does not answer can't be interrupted. It ends with the process.
    std::thread::spawn(move || {
        let ended = restore(&from, &to, &report);
        let _ = report.send(Report::Ended(ended));
    });
    loop {
        match reports.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(Report::Working(step)) => progress(step),
            Ok(Report::Ended(ended)) => return ended,
            Err(RecvTimeoutError::Timeout) => {
                return Err(format!("it was not finished within {limit} (backup.drill_limit)"));
            }
            Err(RecvTimeoutError::Disconnected) => return Err("the drill failed unexpectedly".to_owned()),
        }
    }
}

fn restore(from: &Path, to: &Path, report: &Sender<Report>) -> Result<u64, String> {
    let restoring = storage::restore(from, to, &mut |step| {
        let _ = report.send(Report::Working(step.into()));
    });
    restoring.map(|restoring| restoring.records).map_err(|error| error.brief())
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

fn write(path: &Path, result: &BackupDrill) -> io::Result<()> {
    let draft = path.with_extension("new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
    file.write_all(&serde_json::to_vec(result)?)?;
    file.sync_data()?;
    fs::rename(&draft, path)
}
