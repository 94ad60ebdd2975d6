//! Opening a folder after whatever happened, making anew what is made from the journal, and verifying both.

pub mod bring_up;
pub mod journal_end;
pub mod open;
pub mod rebuild;
pub mod verify;
