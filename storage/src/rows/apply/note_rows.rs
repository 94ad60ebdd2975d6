//! Notes for people, counted without being read: records that the hub could not apply, values that lost.

use super::sync_rows::put;
use crate::rows::RowOp;
use crate::rows::table::Table;
use domain::model::base::time::UtcMs;
use domain::model::hub::sync::local::Change;
use serde_json::Value;
use sled::IVec;

/// The operations of a note, appended.
pub fn ops(change: &Change, out: &mut Vec<RowOp>) -> Result<(), String> {
    match change {
        Change::Parked { note } => put(parked_key(&note.epoch, note.seq), note, out)?,
        Change::Unparked { epoch, seq } => out.push(RowOp { key: parked_key(epoch, *seq), value: None }),
        Change::Conflict { id, conflict } => {
            put(Table::Conflict.key(id), conflict, out)?;
            let time = format!("{:020}", resolved_at(conflict).0.max(0));
            out.push(RowOp { key: Table::ConflictTime.pair(&time, id), value: Some(IVec::default()) });
        }
        _ => {}
    }
    Ok(())
}

/// A note without a time counts as the oldest.
fn resolved_at(conflict: &Value) -> UtcMs {
    let at = conflict.get("resolved_at").cloned().unwrap_or_default();
    serde_json::from_value(at).unwrap_or_default()
}

fn parked_key(epoch: &str, seq: u64) -> Vec<u8> {
    Table::Parked.key(&parked_place(epoch, seq))
}

/// Key of a parked record in its list.
pub fn parked_place(epoch: &str, seq: u64) -> String {
    format!("{epoch}\0{seq:020}")
}
