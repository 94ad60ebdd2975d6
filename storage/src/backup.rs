//! Backups: copies of a store's data, taken while writes continue.
//!
//! The rows are copied first (a snapshot), then the journal up to a commit that contains all of them. The copy is made
//! under a temporary name, verified like a store, and listed with its hashes. It gets its name last, so that a folder
//! with that name is always complete.

mod copy;
mod free_space;
pub mod restore;

use crate::error::StorageError;
use crate::folder::format;
use crate::folder::layout::{Layout, is_filled, make_dir, remove, replace, sync_dir};
use crate::handle::Storage;
use crate::journal::history::part::remake;
use crate::journal::segment::Segment;
use crate::recovery::verify::{Progress, verify};
use crate::snapshot;
use domain::model::base::ids::StoreId;
use domain::model::base::time::UtcMs;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Component, Path, PathBuf};

pub(crate) use copy::{copy, copy_listed};

/// Longest `backup.json` that is read (16 MiB, some hundred thousand files).
const LIST_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Contents of a backup, stored in it as `backup.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backup {
    /// Version of this list.
    pub format_version: u32,
    /// Store of the backup.
    pub store_id: StoreId,
    /// When the backup was taken.
    pub made_at: UtcMs,
    /// The last commit in it.
    pub lsn: u64,
    /// The epoch at that commit.
    pub epoch: String,
    /// Sequence number of the last record at that commit.
    pub seq: u64,
    /// Whether the backup includes keys.
    pub keys: bool,
    /// Every file of the backup.
    pub files: Vec<BackupFile>,
}

/// A file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupFile {
    /// Relative to the folder.
    pub path: PathBuf,
    /// Length in bytes.
    pub bytes: u64,
    /// SHA-256 in lower-case hex.
    pub sha256: String,
}

impl Backup {
    /// Reads `backup.json` of a backup.
    ///
    /// # Errors
    /// The file does not exist, or this program can't read it.
    pub fn load(folder: &Path) -> Result<Self, StorageError> {
        let path = Layout(folder.to_owned()).backup();
        let refused = |what: String| StorageError::Refused { path: folder.to_owned(), what };
        let bytes = copy::read_plain(folder, Path::new("backup.json"), LIST_BYTES_MAX)
            .map_err(|error| refused(format!("this is not a backup: backup.json can't be read: {error}")))?;
        let list: Self = serde_json::from_slice(&bytes)
            .map_err(|error| StorageError::damaged(&path, 0, error.to_string()))?;
        format::check(&path, list.format_version, format::BACKUP)?;
        match list.files.iter().find(|file| !is_backup_path(&file.path)) {
            Some(file) => {
                let what = format!("it names {}, which no backup holds", file.path.display());
                Err(StorageError::damaged(&path, 0, what))
            }
            None => Ok(list),
        }
    }

    /// The folders of the files, relative to the backup.
    pub(crate) fn folders(&self) -> BTreeSet<PathBuf> {
        self.files.iter().filter_map(|file| file.path.parent()).map(Path::to_owned).collect()
    }
}

/// Whether [`Storage::backup`] writes a file of this path. A restore copies no other files into a store's folder.
fn is_backup_path(path: &Path) -> bool {
    let parts: Option<Vec<&str>> = path
        .components()
        .map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    let numbered = |name: &str, ends: &[&str]| {
        name.split_once('.').is_some_and(|(number, end)| number.parse::<u64>().is_ok() && ends.contains(&end))
    };
    match parts.as_deref() {
        Some(["store.json" | "install.key"]) => true,
        Some(["keys", name]) => name.ends_with(".pem"),
        Some(["journal", name]) => numbered(name, &["seg", "idx"]),
        Some(["snapshots", name]) => numbered(name, &["snap"]),
        _ => false,
    }
}

impl Storage {
    /// Copies the store into `target`, which must be new or empty, while writes continue. `keys` names the key files
    /// of the program, relative to the folder; with `None` the backup has no keys, not even the installation's. This
    /// takes long and blocks the thread.
    ///
    /// # Errors
    /// `target` is not empty, the disk has no room, the copy fails verification, or the store stops meanwhile.
    /// `target` has no backup then.
    pub fn backup(
        &self,
        target: &Path,
        keys: Option<&[PathBuf]>,
        now: UtcMs,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Backup, StorageError> {
        refuse_inside(&self.shared().layout, target)?;
        self.room_for_backup(parent(target))?;
        let partial = create_partial(target)?;
        let run = BackupRun {
            storage: self,
            to: Layout(partial.clone()),
            files: Vec::new(),
            done: 0,
            total: 0,
            progress,
        };
        let list = run.run(keys, now).inspect_err(|_| {
            // An incomplete backup is useless. If it can't be removed, the next backup refuses and names it.
            let _ = fs::remove_dir_all(&partial);
        })?;
        fs::rename(&partial, target).map_err(StorageError::io("name", target))?;
        // The folder of backups may be new itself.
        make_dir(parent(target))?;
        Ok(list)
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Refuses a target inside the store's own folders: the next start would take the backup for the store's files.
fn refuse_inside(layout: &Layout, target: &Path) -> Result<(), StorageError> {
    let above = target.ancestors().skip(1).find_map(|folder| {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        fs::canonicalize(folder).ok()
    });
    let own = [layout.journal(), layout.rows(), layout.snapshots(), layout.scratch(), layout.0.join("keys")];
    let inside = own
        .iter()
        .filter_map(|own| fs::canonicalize(own).ok())
        .find(|own| above.as_ref().is_some_and(|above| above.starts_with(own)));
    match inside {
        None => Ok(()),
        Some(own) => {
            let what = format!("it is in {}, the store's own folder: choose another folder", own.display());
            Err(StorageError::Refused { path: target.to_owned(), what })
        }
    }
}

/// Creates the folder under its temporary name.
fn create_partial(target: &Path) -> Result<PathBuf, StorageError> {
    let refused =
        |path: &Path, what: &str| Err(StorageError::Refused { path: path.to_owned(), what: what.to_owned() });
    if is_filled(target)? {
        return refused(target, "it is not empty: a backup needs a folder of its own");
    }
    let Some(name) = target.file_name() else {
        return refused(target, "a backup needs a folder with a name");
    };
    let partial = target.with_file_name(format!("{}.partial", name.to_string_lossy()));
    match fs::DirBuilder::new().mode(0o700).create(&partial) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            refused(&partial, "left over from a backup that was interrupted: remove it")
        }
        made => made.map(|()| partial.clone()).map_err(StorageError::io("make", &partial)),
    }
}

/// A backup while it is made.
struct BackupRun<'a> {
    storage: &'a Storage,
    to: Layout,
    files: Vec<BackupFile>,
    /// Bytes copied so far.
    done: u64,
    /// Bytes of the journal.
    total: u64,
    progress: &'a mut dyn FnMut(Progress),
}

impl BackupRun<'_> {
    fn run(mut self, keys: Option<&[PathBuf]>, now: UtcMs) -> Result<Backup, StorageError> {
        let shared = self.storage.shared();
        let from = shared.layout.clone();
        for folder in [self.to.journal(), self.to.snapshots()] {
            fs::DirBuilder::new().mode(0o700).create(&folder).map_err(StorageError::io("make", &folder))?;
        }
        let start = shared.rows.flush()?;
        let snapshot = self.to.snapshot(start.lsn);
        snapshot::write(&snapshot, &shared.store_id.0, start, &shared.rows)?;
        self.list_file(&snapshot)?;
        // The mark is read after the snapshot was written, so every commit of the snapshot is before it.
        let mark = shared.rows.mark();
        let segments = self.storage.shared().history.segments();
        let segments: Vec<_> =
            segments.iter().filter(|segment| segment.head.first_lsn <= mark.segment).collect();
        self.total = segments.iter().map(|segment| segment.len).sum();
        free_space::refuse_without(shared, &self.to.0, self.total)?;
        self.copy_file(&from.manifest(), None)?;
        for segment in segments {
            let first_lsn = segment.head.first_lsn;
            if first_lsn == mark.segment {
                self.copy_file(&segment.path, Some(mark.offset))?;
            } else {
                self.copy_file(&segment.path, None)?;
                self.copy_index(&from, first_lsn)?;
            }
        }
        if let Some(keys) = keys {
            self.copy_file(&from.install_key(), None)?;
            for key in keys {
                self.copy_key(&from.0.join(key))?;
            }
        }
        self.finish(mark.lsn, mark.records, keys.is_some(), now)
    }

    /// Copies the index of a sealed segment, or builds it if the store has not written it yet.
    fn copy_index(&mut self, from: &Layout, first_lsn: u64) -> Result<(), StorageError> {
        let index = from.index(first_lsn);
        if index.exists() {
            return self.copy_file(&index, None);
        }
        let copied = self.to.index(first_lsn);
        remake(&Segment::open(&self.to.segment(first_lsn))?, &copied, None)?;
        self.list_file(&copied)
    }

    /// Copies a key file, if it exists.
    fn copy_key(&mut self, path: &Path) -> Result<(), StorageError> {
        if !path.exists() {
            return Ok(());
        }
        let relative = self.relative(path, &self.storage.shared().layout.0);
        if let Some(folder) = self.to.0.join(relative).parent().filter(|folder| !folder.exists()) {
            fs::DirBuilder::new().mode(0o700).create(folder).map_err(StorageError::io("make", folder))?;
        }
        self.copy_file(path, None)
    }

    fn relative(&self, path: &Path, root: &Path) -> PathBuf {
        path.strip_prefix(root).unwrap_or(path).to_owned()
    }

    /// Copies a file of the store, or its first `upto` bytes, and lists it.
    fn copy_file(&mut self, path: &Path, upto: Option<u64>) -> Result<(), StorageError> {
        let relative = self.relative(path, &self.storage.shared().layout.0);
        let Self { storage, to, done, total, progress, .. } = self;
        let copied = copy(path, upto, &to.0.join(&relative), &mut |bytes| {
            *done += bytes;
            // Checked after each part, since the store and other programs write to the disk meanwhile.
            free_space::refuse_without(storage.shared(), &to.0, 0)?;
            progress(Progress { step: "copy", done: *done, total: (*total).max(*done) });
            storage.refuse_when_stopping()
        })?;
        self.files.push(copied.into_entry(relative));
        Ok(())
    }

    /// Lists a file that was written directly into the backup.
    fn list_file(&mut self, path: &Path) -> Result<(), StorageError> {
        let relative = self.relative(path, &self.to.0);
        copy::protect(path)?;
        self.files.push(copy::hash(path)?.into_entry(relative));
        Ok(())
    }

    fn finish(
        mut self,
        lsn: u64,
        records: crate::journal::record_head::RecordHead,
        keys: bool,
        made_at: UtcMs,
    ) -> Result<Backup, StorageError> {
        let report = verify(&self.to.0, &mut |step| (self.progress)(Progress { step: "verify", ..step }))?;
        if let Some(problem) = report.problems.first() {
            let what =
                format!("the copy failed verification ({} problems): {problem}", report.problems.len());
            return Err(StorageError::damaged(&self.to.0, 0, what));
        }
        if report.head_lsn != lsn {
            let what = format!("the copy ends at lsn {}, not {lsn}", report.head_lsn);
            return Err(StorageError::damaged(&self.to.0, 0, what));
        }
        // `verify` has created these files; they are not part of the backup.
        for file in [self.to.lock(), self.to.high_water()] {
            remove(&file)?;
        }
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        let store_id = self.storage.store_id().clone();
        let (epoch, seq, files) = (records.epoch, records.seq, self.files);
        let list = Backup { format_version: format::BACKUP, store_id, made_at, lsn, epoch, seq, keys, files };
        let text = serde_json::to_vec_pretty(&list).unwrap_or_default();
        list.folders().iter().try_for_each(|folder| sync_dir(&self.to.0.join(folder)))?;
        replace(&self.to.backup(), &text)?;
        Ok(list)
    }
}
