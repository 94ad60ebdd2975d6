//! `epochs`: the hub's cursor per epoch of a store.

use super::Cells;
use crate::ingest::Cursor;
use sqlx::any::AnyRow;
use sqlx::{Error, Row};

/// What [`read`] reads.
pub const COLUMNS: &str = "epoch, seq, hash, stable_seq, resume_seq";

/// A row: the epoch, and how far the hub is in it.
///
/// # Errors
/// It is damaged.
pub fn read(row: &AnyRow) -> Result<(String, Cursor), Error> {
    let cursor = Cursor {
        seq: row.unsigned("seq")?,
        hash: row.try_get("hash")?,
        stable_seq: row.unsigned("stable_seq")?,
        resume_seq: row.unsigned("resume_seq")?,
    };
    Ok((row.try_get("epoch")?, cursor))
}
