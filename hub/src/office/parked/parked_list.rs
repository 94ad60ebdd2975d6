//! Parked records as a list shows them.

use crate::columns;
use domain::model::base::time::UtcMs;
use domain::rules::hub::sync::mending::{self, ParkedState};
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::any::AnyRow;
use sqlx::{AnyPool, AssertSqlSafe};

/// A parked record as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ParkedRecord")]
pub struct View {
    /// ID of the parked record, for `/api/parked/:id/replay`.
    pub parked_id: String,
    /// Store that sent the record.
    pub store_id: String,
    /// Epoch of the store's records.
    pub epoch: String,
    /// Sequence number of the record in its epoch.
    pub seq: i64,
    /// ID of the event. Empty if it could not be read.
    pub event_id: String,
    /// Type of the event. Empty if it could not be read.
    #[serde(rename = "type")]
    pub kind: String,
    /// Object that the event belongs to. Null if it is not known.
    pub aggregate: Option<String>,
    /// Amount of the event, in minor currency units. Null if it is not known.
    pub amount: Option<i64>,
    /// Stable code of the reason for parking.
    pub code: String,
    /// Reason for parking, for people.
    pub message: String,
    /// When the record was parked.
    pub parked_at: UtcMs,
    /// Who has to act.
    pub state: ParkedState,
    /// ID of the document that the store sent in place of the record's. Null if it sent none.
    pub replaced_by: Option<String>,
    /// User of the store who corrected the document. Null if nobody did.
    pub resubmitted_by: Option<String>,
    /// When the corrected document arrived. Null if none did.
    pub replaced_at: Option<UtcMs>,
}

/// Filters of a list: of a store and of a code, where they are not empty; replaced ones or those that are parked.
#[derive(Clone, Copy)]
pub struct Filter<'a> {
    pub store_id: &'a str,
    pub code: &'a str,
    pub replaced: bool,
}

/// Records after an ID, by ID.
pub async fn list(pool: &AnyPool, of: Filter<'_>, after: &str, limit: i64) -> Result<Vec<View>, sqlx::Error> {
    let (table, more) = match of.replaced {
        true => ("replaced", ", replaced_by, resubmitted_by, replaced_at"),
        false => ("parked", ""),
    };
    let sql = format!(
        "SELECT parked_id, store_id, epoch, seq, event_id, kind, aggregate, amount, code, message, parked_at{more} \
         FROM {table} WHERE (store_id = $1 OR $1 = '') AND parked_id > $2 AND (code = $3 OR $3 = '') \
         ORDER BY parked_id LIMIT $4"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(of.store_id).bind(after).bind(of.code).bind(limit);
    query.fetch_all(pool).await?.iter().map(|row| view(row, of.replaced)).collect()
}

fn view(row: &AnyRow, replaced: bool) -> Result<View, sqlx::Error> {
    let (code, kind): (String, String) = columns!(row => (code, kind));
    let (state, (replaced_by, resubmitted_by, replaced_at)) = match replaced {
        true => (ParkedState::Replaced, columns!(row => (replaced_by, resubmitted_by, replaced_at))),
        false => (mending::state(&code, &kind), (None, None, None)),
    };
    Ok(columns!(row => View {
        parked_id, store_id, epoch, seq, event_id, aggregate, amount, message, parked_at;
        code = code, kind = kind, state = state, replaced_by = replaced_by, resubmitted_by = resubmitted_by,
        replaced_at = replaced_at
    }))
}

/// Whether a record was parked until another one took its place.
pub async fn is_replaced(pool: &AnyPool, parked_id: &str) -> Result<bool, sqlx::Error> {
    let sql = "SELECT COUNT(*) FROM replaced WHERE parked_id = $1";
    let count: i64 = sqlx::query_scalar(sql).bind(parked_id).fetch_one(pool).await?;
    Ok(count > 0)
}
