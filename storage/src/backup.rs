//! Backups: a copy of everything that counts, taken while writes continue.
//!
//! Rows first (a snapshot), then the journal up to a commit that contains all of them. The copy is made
//! under another name, verified as a store of its own, listed with its hashes, and only then given its
//! name: what has the name is whole.

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

/// The longest list of files that is read (16 MiB, some hundred thousand files).
const LIST_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// What a backup holds: `backup.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backup {
    /// Version of this list.
    pub format_version: u32,
    /// Store whose data it holds.
    pub store_id: StoreId,
    /// When it was taken.
    pub made_at: UtcMs,
    /// The last commit in it.
    pub lsn: u64,
    /// The epoch at that commit.
    pub epoch: String,
    /// The last record there.
    pub seq: u64,
    /// Whether keys are in it.
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
    /// The list of a backup.
    ///
    /// # Errors
    /// There is none, or this program can't read it.
    pub fn load(folder: &Path) -> Result<Self, StorageError> {
        let path = Layout(folder.to_owned()).backup();
        let refused = |what: String| StorageError::Refused { path: folder.to_owned(), what };
        let bytes = copy::read_plain(folder, Path::new("backup.json"), LIST_BYTES_MAX)
            .map_err(|error| refused(format!("this is not a backup: backup.json can't be read: {error}")))?;
        let list: Self = serde_json::from_slice(&bytes)
            .map_err(|error| StorageError::damaged(&path, 0, error.to_string()))?;
        format::check(&path, list.format_version, format::BACKUP)?;
        match list.files.iter().find(|file| !is_of_a_store(&file.path)) {
            Some(file) => {
                let what = format!("it names {}, which no backup holds", file.path.display());
                Err(StorageError::damaged(&path, 0, what))
            }
            None => Ok(list),
        }
    }

    /// The folders of its files, relative to it.
    pub(crate) fn folders(&self) -> BTreeSet<PathBuf> {
        self.files.iter().filter_map(|file| file.path.parent()).map(Path::to_owned).collect()
    }
}

/// Whether a path is one that [`Storage::backup`] writes: nothing else is put into a store's folder.
fn is_of_a_store(path: &Path) -> bool {
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
    /// Copies the store into `target`, which must be new or empty, while writes continue. `keys` names the
    /// key files of the program, relative to the folder; with none the backup holds no keys, not even the
    /// installation's. Blocks for long.
    ///
    /// # Errors
    /// `target` is not empty, there is no room, the copy does not verify, or the store stops meanwhile;
    /// nothing has the name of a backup then.
    pub fn backup(
        &self,
        target: &Path,
        keys: Option<&[PathBuf]>,
        now: UtcMs,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Backup, StorageError> {
        refuse_inside(&self.shared().layout, target)?;
        self.room_for_backup(parent(target))?;
        let partial = begin(target)?;
        let made = Work {
            storage: self,
            to: Layout(partial.clone()),
            files: Vec::new(),
            done: 0,
            total: 0,
            progress,
        };
        let list = made.run(keys, now).inspect_err(|_| {
            // Half a backup is of no use; should it stay, the next one says so.
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

/// A backup must not lie among the store's own files: a later start would take it for one of them.
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

/// The folder under its temporary name.
fn begin(target: &Path) -> Result<PathBuf, StorageError> {
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

struct Work<'a> {
    storage: &'a Storage,
    to: Layout,
    files: Vec<BackupFile>,
    done: u64,
    total: u64,
    progress: &'a mut dyn FnMut(Progress),
}

impl Work<'_> {
    fn run(mut self, keys: Option<&[PathBuf]>, now: UtcMs) -> Result<Backup, StorageError> {
        let shared = self.storage.shared();
        let from = shared.layout.clone();
        for folder in [self.to.journal(), self.to.snapshots()] {
            fs::DirBuilder::new().mode(0o700).create(&folder).map_err(StorageError::io("make", &folder))?;
        }
        let start = shared.rows.flush()?;
        let snapshot = self.to.snapshot(start.lsn);
        snapshot::write(&snapshot, &shared.store_id.0, start, &shared.rows)?;
        self.list(&snapshot)?;
        // Everything that the snapshot holds is before this mark, and durable.
        let mark = shared.rows.mark();
        let segments = self.storage.shared().history.segments();
        let segments: Vec<_> =
            segments.iter().filter(|segment| segment.head.first_lsn <= mark.segment).collect();
        self.total = segments.iter().map(|segment| segment.len).sum();
        free_space::refuse_without(shared, &self.to.0, self.total)?;
        self.file(&from.manifest(), None)?;
        for segment in segments {
            let first_lsn = segment.head.first_lsn;
            if first_lsn == mark.segment {
                self.file(&segment.path, Some(mark.offset))?;
            } else {
                self.file(&segment.path, None)?;
                self.index(&from, first_lsn)?;
            }
        }
        if let Some(keys) = keys {
            self.file(&from.install_key(), None)?;
            for key in keys {
                self.key(&from.0.join(key))?;
            }
        }
        self.finish(mark.lsn, mark.records, keys.is_some(), now)
    }

    /// The index of a sealed segment, made anew where the store has not written it yet.
    fn index(&mut self, from: &Layout, first_lsn: u64) -> Result<(), StorageError> {
        let index = from.index(first_lsn);
        if index.exists() {
            return self.file(&index, None);
        }
        let copied = self.to.index(first_lsn);
        remake(&Segment::open(&self.to.segment(first_lsn))?, &copied, None)?;
        self.list(&copied)
    }

    fn key(&mut self, path: &Path) -> Result<(), StorageError> {
        if !path.exists() {
            return Ok(());
        }
        let relative = self.relative(path, &self.storage.shared().layout.0);
        if let Some(folder) = self.to.0.join(relative).parent().filter(|folder| !folder.exists()) {
            fs::DirBuilder::new().mode(0o700).create(folder).map_err(StorageError::io("make", folder))?;
        }
        self.file(path, None)
    }

    fn relative(&self, path: &Path, root: &Path) -> PathBuf {
        path.strip_prefix(root).unwrap_or(path).to_owned()
    }

    fn file(&mut self, path: &Path, upto: Option<u64>) -> Result<(), StorageError> {
        let relative = self.relative(path, &self.storage.shared().layout.0);
        let Self { storage, to, done, total, progress, .. } = self;
        let copied = copy(path, upto, &to.0.join(&relative), &mut |bytes| {
            *done += bytes;
            // Tills, and other users of this disk, keep writing meanwhile.
            free_space::refuse_without(storage.shared(), &to.0, 0)?;
            progress(Progress { step: "copy", done: *done, total: (*total).max(*done) });
            storage.refuse_when_stopping()
        })?;
        self.files.push(copied.listed(relative));
        Ok(())
    }

    /// Lists a file that was written in place.
    fn list(&mut self, path: &Path) -> Result<(), StorageError> {
        let relative = self.relative(path, &self.to.0);
        copy::protect(path)?;
        self.files.push(copy::hash(path)?.listed(relative));
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
        // Looking at it left these behind; they are no part of a backup.
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
