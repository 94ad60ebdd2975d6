//! `conflicts`: values that lost against another one.

use super::Cells;
use crate::conflict::View;
use sqlx::any::AnyRow;
use sqlx::{Error, Row};
use std::collections::BTreeMap;

/// What [`read`] reads.
pub const COLUMNS: &str =
    "conflict_id, resource, id, field, winner, lost_value, kept_value, store_id, resolved_at, restored_at";

/// A row.
///
/// # Errors
/// It is damaged.
pub fn read(row: &AnyRow) -> Result<View, Error> {
    let field: String = row.try_get("field")?;
    Ok(View {
        kind: "conflict",
        conflict_id: row.try_get("conflict_id")?,
        resource: row.try_get("resource")?,
        id: row.try_get("id")?,
        winner: row.try_get("winner")?,
        lost_fields: BTreeMap::from([(field.clone(), row.json("lost_value")?)]),
        kept_fields: BTreeMap::from([(field, row.json("kept_value")?)]),
        store_id: row.try_get("store_id")?,
        resolved_at: row.instant("resolved_at")?,
        restored_at: row.maybe_instant("restored_at")?,
    })
}
