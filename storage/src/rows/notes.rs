//! Notes for people, counted without being read: records that the hub could not apply, values that lost.

use super::RowOp;
use super::sync::put;
use super::table::Table;
use crate::error::StorageError;
use crate::handle::Storage;
use domain::sync::local::{Change, ConflictNote, ParkedNote};
use domain::time::UtcMs;
use serde_json::Value;

type Read<T> = Result<T, StorageError>;

/// The operations of a note, appended.
pub(super) fn ops(change: &Change, out: &mut Vec<RowOp>) -> Result<(), String> {
    match change {
        Change::Parked { note } => put(parked_key(&note.epoch, note.seq), note, out)?,
        Change::Unparked { epoch, seq } => out.push(RowOp { key: parked_key(epoch, *seq), value: None }),
        Change::Conflict { id, conflict } => {
            put(Table::Conflict.key(id), conflict, out)?;
            let time = format!("{:020}", resolved_at(conflict).0.max(0));
            out.push(RowOp { key: Table::ConflictTime.pair(&time, id), value: Some(Vec::new()) });
        }
        _ => {}
    }
    Ok(())
}

/// One that does not say when is the oldest.
fn resolved_at(conflict: &Value) -> UtcMs {
    let at = conflict.get("resolved_at").cloned().unwrap_or_default();
    serde_json::from_value(at).unwrap_or_default()
}

fn parked_key(epoch: &str, seq: u64) -> Vec<u8> {
    Table::Parked.key(&parked_place(epoch, seq))
}

/// Where a parked record stands in their list.
fn parked_place(epoch: &str, seq: u64) -> String {
    format!("{epoch}\0{seq:020}")
}

impl Storage {
    /// Records that the hub could not apply when they were pushed, in order of epoch and seq, after one of
    /// them.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn parked(&self, after: Option<(&str, u64)>, limit: usize) -> Read<Vec<ParkedNote>> {
        let after = after.map(|(epoch, seq)| parked_place(epoch, seq));
        self.sync_rows(Table::Parked, "", after.as_deref(), limit)
    }

    /// How many of them there are.
    pub fn parked_count(&self) -> u64 {
        self.rows().mark().sums.count(Table::Parked as usize)
    }

    /// A value that lost.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn conflict(&self, id: &str) -> Read<Option<ConflictNote>> {
        let text: Option<String> = self.rows().row(Table::Conflict, id)?;
        text.map(|text| self.parsed(&text)).transpose()
    }

    /// Values that lost, in order of id.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn conflicts(&self, after: Option<&str>, limit: usize) -> Read<Vec<ConflictNote>> {
        self.sync_rows(Table::Conflict, "", after, limit)
    }

    /// How many of them there are, and the newest, the last decided first.
    ///
    /// # Errors
    /// The rows can't be read.
    pub fn newest_conflicts(&self, limit: usize) -> Read<(u64, Vec<ConflictNote>)> {
        let (table, next) = ([Table::ConflictTime as u8], [Table::ConflictTime as u8 + 1]);
        let keys = self.rows().range_back(&table, &next, limit)?;
        let ids = keys.iter().filter_map(|(key, _)| key.splitn(2, |byte| *byte == 0).nth(1));
        let notes = ids.map(|id| self.conflict(&String::from_utf8_lossy(id)));
        let notes = notes.filter_map(Result::transpose).collect::<Read<_>>()?;
        Ok((self.rows().mark().sums.count(Table::Conflict as usize), notes))
    }
}
