//! Errors of the folder, always with the file, the place and advice.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{io, path::Path, path::PathBuf, sync::Arc};

/// Advice about damage that must not be repaired by guessing.
pub const CHOICES: &str = "nothing was changed. Keep a copy of the whole folder; then either restore a backup, \
    or start with a new folder, enrol it again and let head office send back its records";

/// Advice about a file of a newer program.
const NEWER_FORMAT: &str =
    "A newer version wrote it: start that version, or restore a backup that this one made";
/// Advice about a file of an older program.
const OLDER_FORMAT: &str = "An older version wrote it, and this one can't upgrade it: continue with the older \
    version, or create a new folder with `store-router init` and enrol the store again";

/// A failure of the machine below the store; never a refusal of a rule.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StorageError {
    /// Another process has the folder.
    #[error("{} is in use by another process", path.display())]
    Locked {
        /// The data folder.
        path: PathBuf,
    },
    /// `init` found a store.
    #[error("{} already holds a store", path.display())]
    Exists {
        /// The data folder.
        path: PathBuf,
    },
    /// There is no store here.
    #[error("{} holds no store: run `store-router init` first", path.display())]
    Missing {
        /// The data folder.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("could not {what} {}: {source}{}", path.display(), advice(source.kind()))]
    Io {
        /// `read`, `write`, `sync`, …
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's error.
        source: Arc<io::Error>,
    },
    /// Bytes that can't be right and must not be lost silently.
    #[error("{} is damaged at offset {offset}: {what}; {CHOICES}", path.display())]
    Damaged {
        /// The damaged file.
        path: PathBuf,
        /// Offset of the damage in bytes.
        offset: u64,
        /// Description of the damage.
        what: String,
    },
    /// Durable data is gone.
    #[error("{} ends at lsn {head}, but {witness} says that lsn {known} was durable; {CHOICES}", path.display())]
    Lost {
        /// Folder of the journal.
        path: PathBuf,
        /// The journal's last lsn.
        head: u64,
        /// The last lsn that is known to have been durable.
        known: u64,
        /// The source of that lsn: the high-water mark or the mark of the rows.
        witness: String,
    },
    /// Written by another version of the program.
    #[error(
        "{} has format version {found}, this program reads version {known}; nothing was changed. {}",
        path.display(),
        if found > known { NEWER_FORMAT } else { OLDER_FORMAT }
    )]
    Format {
        /// The file or folder.
        path: PathBuf,
        /// Format version of the file.
        found: u32,
        /// The version that this program reads.
        known: u32,
    },
    /// The request is forbidden; nothing was changed.
    #[error("{}: {what}", path.display())]
    Refused {
        /// The data folder.
        path: PathBuf,
        /// The reason, and advice.
        what: String,
    },
    /// A copy would take the space that is needed to continue; nothing was changed.
    #[error(
        "{}: {needed} bytes are needed for a copy and to continue selling, but {free} are free: free some \
         space, or remove older backups",
        path.display()
    )]
    NoRoom {
        /// Intended path of the copy.
        path: PathBuf,
        /// Bytes that are free there.
        free: u64,
        /// Bytes that have to be.
        needed: u64,
    },
    /// The engine of the current rows failed; a restart rebuilds it from the journal.
    #[error("the rows in {} failed: {what}; a restart rebuilds them from the journal", path.display())]
    Rows {
        /// Folder of the engine.
        path: PathBuf,
        /// The engine's error message.
        what: String,
    },
    /// A defect in a storage thread; durable data stays durable.
    #[error("the thread {thread} panicked; a restart continues from the data on the disk")]
    Panicked {
        /// Name of the thread.
        thread: &'static str,
    },
}

/// Advice if the disk itself is the obstacle: nothing is damaged.
fn advice(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::StorageFull => {
            "; the disk is full. Free some space and start again: nothing that was acknowledged is lost"
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            "; the file system is read-only. Check the disk and mount it for writing: nothing that was \
             acknowledged is lost"
        }
        _ => "",
    }
}

/// Runs a thread's work; its panic is a failure like any other.
pub(crate) fn caught<T>(
    thread: &'static str,
    work: impl FnOnce() -> Result<T, StorageError>,
) -> Result<T, StorageError> {
    // Unfinished work is thrown away: the process ends, and a restart decides from the disk.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(StorageError::Panicked { thread }))
}

impl StorageError {
    /// The process's exit code: 73 in use, 74 disk or damage, 1 for the rest.
    pub fn exit_code(&self) -> i32 {
        match self {
            Self::Locked { .. } => 73,
            Self::Exists { .. } | Self::Missing { .. } | Self::Refused { .. } | Self::NoRoom { .. } => 1,
            Self::Io { .. }
            | Self::Damaged { .. }
            | Self::Lost { .. }
            | Self::Format { .. }
            | Self::Rows { .. }
            | Self::Panicked { .. } => 74,
        }
    }

    /// For `map_err` on file operations.
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { what, path: path.to_owned(), source: Arc::new(source) }
    }

    /// Damage at a place.
    pub(crate) fn damaged(path: &Path, offset: u64, what: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), offset, what: what.into() }
    }

    /// The problem without the choices: for damage that repairs itself, or of a copy.
    pub fn brief(&self) -> String {
        match self {
            Self::Damaged { path, offset, what } => format!("{} at offset {offset}: {what}", path.display()),
            other => other.to_string(),
        }
    }

    /// Whether the engine's own lock was held.
    pub(crate) fn is_engine_lock(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.to_string().contains("could not acquire lock"))
    }

    /// Whether the file may not be used by this user.
    pub(crate) fn is_denied(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::PermissionDenied)
    }

    /// Whether the engine in `rows` is at fault, and not room or permissions.
    pub(crate) fn is_of_engine(&self, rows: &Path) -> bool {
        match self {
            Self::Rows { .. } => true,
            Self::Io { path, .. } => path == rows && !self.is_full() && !self.is_denied(),
            _ => false,
        }
    }

    /// Whether the disk was full.
    pub(crate) fn is_full(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::StorageFull)
    }
}

/// The writer did not confirm: the submission may or may not be durable. An owner whose memory depends on it has to
/// load its memory again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unconfirmed {
    /// The storage was closed, or it failed and no longer answers; a restart decides.
    #[error("the storage is closed")]
    Closed,
    /// The disk took longer than the time limit.
    #[error("the disk does not answer in time")]
    Late,
}

/// A commit did not reach the writer: nothing changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotSubmitted {
    /// It is too long, or can't be encoded: a defect of the caller.
    #[error("the commit can't be stored: {0}")]
    Unstorable(String),
    /// The storage was closed.
    #[error("the storage is closed")]
    Closed,
}

/// Why nothing may be written now; retryable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotWritable {
    /// The disk is nearly full.
    #[error(
        "the disk is nearly full: {free} bytes are free, but {needed} are needed; free some space and try again"
    )]
    LowSpace {
        /// Free bytes on the disk.
        free: u64,
        /// The setting `min_free_bytes`.
        needed: u64,
    },
    /// The data folder can't be read: it was moved or removed, or its disk is gone.
    #[error("the data folder {} can't be used ({why}): put it back and start again; later sales may be \
        lost", path.display())]
    Gone {
        /// The data folder.
        path: PathBuf,
        /// The system's error.
        why: String,
    },
    /// The next journal segment could not be made.
    #[error("no space for the next journal segment ({why}); free some space and try again")]
    NoSegment {
        /// The disk's error.
        why: String,
    },
    /// The writer stopped; the process is about to exit.
    #[error("the storage failed; the store restarts")]
    Failed,
}

#[cfg(test)]
mod tests {
    use super::{StorageError, caught};

    #[test]
    fn a_panic_is_a_failure_that_ends_the_process() {
        let failed = caught("journal-writer", || -> Result<(), StorageError> { panic!("asked to") });
        assert_eq!(failed.map_err(|error| error.exit_code()), Err(74));
        assert_eq!(caught("journal-writer", || Ok(1)).ok(), Some(1));
    }
}
