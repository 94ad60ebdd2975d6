//! Restoring a backup into an empty folder.
//!
//! A marker is in the folder until everything is done, so that an incomplete restore is never opened. Between
//! [`restore`] and [`Restoring::finish`] the program begins a new epoch, and does its other work.

use crate::backup::{Backup, copy_listed};
use crate::error::StorageError;
use crate::folder::format::MIGRATIONS;
use crate::folder::layout::{Layout, is_filled, make_dir, remove, replace, sync_dir};
use crate::folder::manifest::make_key;
use crate::handle::Storage;
use crate::options::Options;
use crate::recovery::verify::{Progress, VerifyReport, verify_copy};
use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

/// A folder that was filled from a backup and is not yet to be used.
#[derive(Debug)]
pub struct Restoring {
    layout: Layout,
    /// The backup that was restored.
    pub backup: Backup,
    /// Number of records that were verified in the copy.
    pub records: u64,
    /// Whether the folder was created by the restore.
    is_new: bool,
}

/// Copies a backup into `target`, which must be new or empty, and verifies the copy.
///
/// # Errors
/// It is not a backup, `target` is not empty, or a file differs from the list: then `target` is unchanged. After an
/// interruption it holds a part, which the error names, and is not usable.
pub fn restore(
    source: &Path,
    target: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<Restoring, StorageError> {
    let backup = Backup::load(source)?;
    let layout = Layout(target.to_owned());
    if is_filled(target)? {
        let what = "it is not empty: a restore does not change an existing store".to_owned();
        return Err(StorageError::Refused { path: target.to_owned(), what });
    }
    let mut restoring = Restoring { is_new: !target.exists(), layout, backup, records: 0 };
    match restoring.fill(source, progress) {
        Ok(report) => {
            restoring.records = report.records;
            Ok(restoring)
        }
        Err(error) => {
            // If that fails too, the marker is still there.
            let _ = restoring.discard();
            Err(error)
        }
    }
}

impl Restoring {
    fn fill(&self, source: &Path, progress: &mut dyn FnMut(Progress)) -> Result<VerifyReport, StorageError> {
        let Self { layout, backup, .. } = self;
        let target = &layout.0;
        make_dir(target)?;
        let private = fs::Permissions::from_mode(0o700);
        fs::set_permissions(target, private).map_err(StorageError::io("protect", target))?;
        replace(&layout.restoring(), b"")?;
        let total = backup.files.iter().map(|file| file.bytes).sum();
        let mut done = 0;
        for file in &backup.files {
            let to = target.join(&file.path);
            if let Some(folder) = to.parent().filter(|folder| !folder.exists()) {
                let make = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
                make.map_err(StorageError::io("make", folder))?;
            }
            copy_listed(source, file, &to, &mut |bytes| {
                done += bytes;
                progress(Progress { step: "copy", done, total });
                Ok(())
            })?;
        }
        backup.folders().iter().try_for_each(|folder| sync_dir(&target.join(folder)))?;
        if !backup.keys {
            make_key(layout)?;
        }
        let report = verify_copy(target, &mut |step| progress(Progress { step: "verify", ..step }))?;
        match report.problems.first() {
            None if report.head_lsn == backup.lsn => Ok(report),
            None => {
                let what = format!("it ends at lsn {}, the backup says {}", report.head_lsn, backup.lsn);
                Err(StorageError::damaged(source, 0, what))
            }
            Some(problem) => {
                Err(StorageError::damaged(source, 0, format!("it failed verification: {problem}")))
            }
        }
    }

    /// Removes the restored files. The marker is removed last: a part of a restore is never without it.
    ///
    /// # Errors
    /// The disk refuses; the marker is still there.
    pub fn discard(self) -> Result<(), StorageError> {
        let target = &self.layout.0;
        let marker = self.layout.restoring();
        let entries = fs::read_dir(target).map_err(StorageError::io("list", target))?;
        for entry in entries {
            let path = entry.map_err(StorageError::io("list", target))?.path();
            let removed = match path.is_dir() {
                true => fs::remove_dir_all(&path),
                false if path == marker => Ok(()),
                false => fs::remove_file(&path),
            };
            removed.map_err(StorageError::io("remove", &path))?;
        }
        remove(&marker)?;
        if self.is_new { fs::remove_dir(target).map_err(StorageError::io("remove", target)) } else { Ok(()) }
    }

    /// Opens the store for the work before the first sale.
    ///
    /// # Errors
    /// The errors of [`Storage::open`].
    pub fn open(&self, options: &Options) -> Result<Storage, StorageError> {
        Storage::open_any(&self.layout.0, options, &MIGRATIONS)
    }

    /// Removes the marker, after all work is done and the store is closed again.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn finish(self) -> Result<Backup, StorageError> {
        // The rows were made from the snapshot, so no earlier rows are lost with this folder.
        let aside = self.layout.rows().with_extension("damaged");
        if aside.exists() {
            fs::remove_dir_all(&aside).map_err(StorageError::io("remove", &aside))?;
        }
        remove(&self.layout.restoring())?;
        sync_dir(&self.layout.0)?;
        Ok(self.backup)
    }
}
