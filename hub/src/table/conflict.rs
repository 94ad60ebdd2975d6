//! `conflicts`: values that lost against another one.

use super::Cells;
use crate::conflict::View;
use sqlx::any::AnyRow;
use sqlx::{Error, Row};

/// What [`read`] reads.
pub const COLUMNS: &str =
    "conflict_id, resource, id, field, winner, lost_value, kept_value, store_id, resolved_at, restored_at";

/// A row.
///
/// # Errors
/// It is damaged.
pub fn read(row: &AnyRow) -> Result<View, Error> {
    Ok(View {
        conflict_id: row.try_get("conflict_id")?,
        resource: row.try_get("resource")?,
        id: row.try_get("id")?,
        field: row.try_get("field")?,
        winner: row.try_get("winner")?,
        lost: row.json("lost_value")?,
        kept: row.json("kept_value")?,
        store_id: row.try_get("store_id")?,
        resolved_at: row.instant("resolved_at")?,
        restored_at: row.maybe_instant("restored_at")?,
    })
}
