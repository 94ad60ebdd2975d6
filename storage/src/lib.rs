//! The wall around the embedded engine.
//!
//! The journal is the truth: append-only segments of frames, one frame per commit, made durable in
//! groups. The engine holds current rows only and is rebuilt from the journal whenever it is in doubt.
//! Nothing outside this crate sees a type of the engine.
//!
//! Terms are those of docs/glossary.md.

#![warn(missing_docs)]

mod backup;
mod bytes;
mod error;
mod folder;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
mod handle;
mod journal;
mod options;
mod read;
mod recovery;
mod rows;
mod snapshot;
mod writer;

pub use backup::restore::{Restoring, restore};
pub use backup::{Backup, BackupFile};
pub use error::{NotSubmitted, NotWritable, StorageError, Unconfirmed};
pub use folder::layout::make_dir;
pub use handle::{COMMANDS_MAX, OWN_COMMITS_MAX, Stats, Storage, WRITER_DEADLINE};
pub use journal::scrub::ScrubState;
pub use options::Options;
pub use read::Listed;
pub use read::log::AuditOf;
pub use recovery::rebuild::rebuild_index;
pub use recovery::verify::{Progress, VerifyReport, verify};
pub use rows::scratch::Scratch;
pub use rows::typed::SEARCH_KEYS_MAX;
pub use writer::commit::{Commit, Durable, Keyed, Noticed, Ready, StoredAnswer};
pub use writer::shared::JournalHead;
