//! The wall around the embedded engine.
//!
//! The journal is the truth: append-only segments of frames, one frame per commit, made durable in
//! groups. The engine holds current rows only and is rebuilt from the journal whenever it is in doubt.
//! Nothing outside this crate sees a type of the engine.
//!
//! The words are those of docs/glossary.md.

mod backup;
mod body;
mod bytes;
mod commit;
mod error;
mod format;
mod frame;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
mod handle;
mod highwater;
mod history;
mod index;
mod journal;
mod layout;
mod lazy;
mod lock;
mod manifest;
mod open;
mod options;
mod outbox;
mod rebuild;
mod restore;
mod rows;
mod scrub;
mod sealer;
mod segment;
mod shared;
mod snapshot;
mod supply;
mod verify;
mod writer;

pub use backup::{Backup, BackupFile};
pub use commit::{Commit, Durable, Keyed, Noticed, Ready, StoredAnswer};
pub use error::{NotSubmitted, NotWritable, StorageError, Unconfirmed};
pub use handle::{COMMANDS_MAX, OWN_COMMITS_MAX, Stats, Storage, WRITER_DEADLINE};
pub use history::documents::{AuditOf, Listed};
pub use layout::make_dir;
pub use options::Options;
pub use outbox::Head;
pub use rebuild::rebuild_index;
pub use restore::{Restoring, restore};
pub use rows::read::SEARCH_KEYS_MAX;
pub use rows::scratch::Scratch;
pub use verify::{Progress, VerifyReport, verify};
