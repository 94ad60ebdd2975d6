//! Transfers: goods on their way to another store.

mod line;

pub use line::{Resolution, Resolved, TransferLine};
