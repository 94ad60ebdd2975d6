//! Opens a folder after any kind of exit, rebuilds the files that are derived from the journal, and verifies both.

pub mod bring_up;
pub mod journal_end;
pub mod open;
pub mod rebuild;
pub mod verify;
