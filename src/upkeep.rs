//! Long work on the running store: verification and backup, one at a time, off the async threads.

pub mod drill;
pub mod job;
pub mod kept;
pub mod outcome;
pub mod step;

pub use step::Step;

use crate::exit::{Exit, FAILED};
use crate::folder;
use anyhow::Context;
use edge::clock;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use storage::{Backup, Progress, Storage, VerifyReport};
use tokio::sync::{Semaphore, watch};

/// Progress of long work; `None` before it began.
pub type Progressing = watch::Sender<Option<Progress>>;

/// Verification and backup of one store.
#[derive(Debug, Clone)]
pub struct Upkeep {
    storage: Storage,
    turn: Arc<Semaphore>,
}

impl Upkeep {
    /// Upkeep of a store.
    pub fn new(storage: Storage) -> Self {
        Self { storage, turn: Arc::new(Semaphore::new(1)) }
    }

    /// Verifies the store beside selling.
    ///
    /// # Errors
    /// Another long work runs, or the store can't be read or stops.
    pub async fn verify(&self, progress: Progressing) -> anyhow::Result<VerifyReport> {
        self.run(progress, |storage, tell| storage.verify(tell)).await
    }

    /// Backs the store up into a new or empty folder, with its keys or without.
    ///
    /// # Errors
    /// Another long work runs, or no backup was made and why.
    pub async fn backup(&self, target: &Path, keys: bool, progress: Progressing) -> anyhow::Result<Backup> {
        let target = target.to_owned();
        let files: Option<Vec<PathBuf>> = keys.then(|| folder::KEY_FILES.map(PathBuf::from).to_vec());
        self.run(progress, move |storage, tell| storage.backup(&target, files.as_deref(), clock::now(), tell))
            .await
    }

    /// Backs the store up into a folder of its own below `backups`, and keeps the last `keep` of them.
    ///
    /// # Errors
    /// The errors of [`Self::backup`].
    pub async fn backup_below(
        &self,
        backups: &Path,
        keep: usize,
        keys: bool,
        progress: Progressing,
    ) -> anyhow::Result<(PathBuf, Backup)> {
        let (backups, now) = (backups.to_owned(), clock::now());
        let target = backups.join(kept::name(now));
        let files: Option<Vec<PathBuf>> = keys.then(|| folder::KEY_FILES.map(PathBuf::from).to_vec());
        let cleared = |result: std::io::Result<()>| {
            if let Err(error) = result {
                tracing::warn!(%error, "older backups could not be removed");
            }
        };
        let made = self.run(progress, move |storage, tell| {
            cleared(kept::clear(&backups));
            let made = storage.backup(&target, files.as_deref(), now, tell)?;
            cleared(kept::prune(&backups, &target, keep));
            Ok((target, made))
        });
        made.await
    }

    /// Checks that there is space for a backup in a folder beside the space that selling needs.
    ///
    /// # Errors
    /// There is too little space, or it can't be determined.
    pub fn check_free_space(&self, folder: &Path) -> Result<(), storage::StorageError> {
        self.storage.room_for_backup(folder)
    }

    async fn run<T: Send + 'static>(
        &self,
        progress: Progressing,
        work: impl FnOnce(&Storage, &mut dyn FnMut(Progress)) -> Result<T, storage::StorageError> + Send + 'static,
    ) -> anyhow::Result<T> {
        let turn = Arc::clone(&self.turn).try_acquire_owned().map_err(|_| {
            Exit::new(FAILED, "another verification or backup is running: wait until it ends")
        })?;
        let storage = self.storage.clone();
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work(&storage, &mut |step| {
                progress.send_replace(Some(step));
            })
        });
        done.await.context("the work panicked")?.map_err(folder::in_use)
    }
}
