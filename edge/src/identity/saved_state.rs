//! State that must survive a restart and is not in a journal: wrong log-ins, and the latest certain time. Two small
//! files of the data folder, written at most once a second.
//!
//! Not commits: an attacker's wrong guesses must not grow the journal or delay sales. The last second may be lost in a
//! power cut; a password guesser can't cause one.

use crate::identity::Accounts;
use crate::identity::limiter::LoginLimiter;
use domain::model::base::time::UtcMs;
use domain::model::people::audit::AuditEntry;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Interval at which the files are brought up to date.
const KEEP_EVERY: Duration = Duration::from_secs(1);
/// After every this many writes also the clock: tokens live an hour, a minute of grace is little.
const CLOCK_EVERY: u32 = 60;
/// The largest file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

fn guesses_file(folder: &Path) -> PathBuf {
    folder.join("guesses.json")
}

fn clock_file(folder: &Path) -> PathBuf {
    folder.join("clock.json")
}

/// Continues from the stored wrong log-ins, if there are any that can be read.
pub fn load(limiter: &LoginLimiter, folder: &Path) {
    let file = guesses_file(folder);
    let gone_on = read(&file).and_then(|text| match text {
        Some(text) => limiter.restore(&text).map_err(io::Error::other),
        None => Ok(()),
    });
    if let Err(error) = gone_on {
        tracing::warn!(file = %file.display(), %error, "the file of earlier failed log-ins can't be read: they \
            no longer count");
    }
}

/// The latest time that this installation has seen, as far as it was kept.
pub fn latest(folder: &Path) -> Option<UtcMs> {
    let file = clock_file(folder);
    let kept = read(&file).and_then(|text| match text {
        Some(text) => serde_json::from_slice::<UtcMs>(&text).map(Some).map_err(io::Error::other),
        None => Ok(None),
    });
    kept.unwrap_or_else(|error| {
        tracing::warn!(file = %file.display(), %error, "the file of the latest known time can't be read: the \
            time is ignored");
        None
    })
}

/// Keeps the files up to date until it is dropped.
pub async fn keep<S: Accounts>(state: Arc<S>, folder: PathBuf) {
    let mut tick = tokio::time::interval(KEEP_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut ticks = 0_u32;
    loop {
        tick.tick().await;
        save_guesses(&*state, &folder).await;
        write_down(&*state, state.identity().refusals.due(state.identity().now())).await;
        if ticks.is_multiple_of(CLOCK_EVERY) {
            save_clock(&*state, &folder).await;
        }
        ticks = ticks.wrapping_add(1);
    }
}

/// Writes the files.
pub async fn save<S: Accounts>(state: &S, folder: &Path) {
    save_guesses(state, folder).await;
    save_clock(state, folder).await;
}

/// Writes the counted refusals into the audit log before they are due, because the program ends.
pub async fn write_pending_refusals<S: Accounts>(state: &S) {
    write_down(state, state.identity().refusals.rest(state.identity().now())).await;
}

async fn write_down<S: Accounts>(state: &S, entries: Vec<AuditEntry>) {
    let rows = entries.len();
    if rows > 0
        && let Err(error) = state.audit(entries).await
    {
        tracing::warn!(rows, error = error.message, "refusals are missing in the audit log");
    }
}

async fn save_guesses<S: Accounts>(state: &S, folder: &Path) {
    if let Some(text) = state.identity().limiter.to_save() {
        save_file(guesses_file(folder), text).await;
    }
}

async fn save_clock<S: Accounts>(state: &S, folder: &Path) {
    let now = serde_json::to_vec(&state.identity().now());
    save_file(clock_file(folder), now.unwrap_or_default()).await;
}

async fn save_file(file: PathBuf, text: Vec<u8>) {
    let path = file.clone();
    let written = tokio::task::spawn_blocking(move || write(&path, &text)).await;
    if let Err(error) = written.map_err(io::Error::other).flatten() {
        tracing::warn!(file = %file.display(), %error, "the file can't be written: its content is lost at a restart");
    }
}

fn read(file: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::metadata(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Ok(meta) if meta.len() > FILE_BYTES_MAX => Err(io::Error::other("it is too large")),
        Ok(_) => fs::read(file).map(Some),
        Err(error) => Err(error),
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
