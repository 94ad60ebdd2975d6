//! Finds the entries in the books of a store's document.

use crate::columns;
use crate::projection::payables::credit_note;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyPool;
use sqlx::any::AnyRow;

/// An entry that a document made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DocumentEntry {
    /// ID of the entry, `jrn_…`.
    entry_id: String,
    /// Day of the entry in the books. A day after the document's own day means that the entry is late.
    entry_date: Date,
}

/// Query parameters of a document.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OfStore {
    /// Store that reported the document. Needed only if two stores have reported the same ID.
    pub store_id: Option<String>,
}

/// The entries of a document, the first of each book first; for a supplier return, also those of its credit note.
pub async fn of(pool: &AnyPool, store_id: &str, id: &str) -> Result<Vec<DocumentEntry>, sqlx::Error> {
    let sql = "SELECT entry_id, entry_date FROM journal WHERE cause_id IN ($1, $3) AND cause_store_id = $2 \
               ORDER BY store_id, entry_no";
    let query = sqlx::query(sql).bind(id).bind(store_id).bind(credit_note::of_return(id));
    let rows = query.fetch_all(pool).await?;
    let entry = |row: &AnyRow| Ok(columns!(row => DocumentEntry { entry_id, entry_date }));
    rows.iter().map(entry).collect()
}
