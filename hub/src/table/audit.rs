//! The audit log: what people of head office and its commands did, in one hash chain, and what stores told of
//! theirs.

use crate::columns;
use domain::model::base::ids::UserId;
use domain::model::base::time::UtcMs;
use domain::model::hub::chain;
use domain::model::people::audit::AuditEntry;
use edge::ids;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::AnyConnection;

/// What the chain goes over: an entry of head office with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chained {
    /// Its place.
    pub position: i64,
    /// `evt_…`
    pub audit_id: String,
    /// Who did what.
    #[serde(flatten)]
    pub entry: AuditEntry,
}

/// Writes down what somebody did here; never a secret. An empty id: whoever runs the machine. The store that it
/// concerns is `store_id` of the details.
///
/// The row of the chain's end is locked until the transaction ends: this is among the last statements of every
/// transaction, after the rows and lanes that the change itself needs.
pub async fn append(
    connection: &mut AnyConnection,
    user_id: &UserId,
    action: &str,
    details: &Value,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    let sql = "UPDATE audit_head SET position = position + 1 WHERE singleton = 1 RETURNING position, hash";
    let head = sqlx::query(sql).fetch_one(&mut *connection).await?;
    let (position, before): (i64, String) = columns!(head => (position, hash));
    let entry = AuditEntry::unapproved(user_id, action, now, details.clone());
    let chained = Chained { position, audit_id: ids::new("evt_"), entry };
    let record = serde_json::to_string(&chained).map_err(|error| sqlx::Error::Encode(error.into()))?;
    let hash = chain::next(&before, &record);
    let sql = "INSERT INTO own_audit (position, audit_id, store_id, user_id, action, at, day, record, hash) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let query = sqlx::query(sql).bind(position).bind(&chained.audit_id).bind(concerned(details));
    let query = query.bind(user_id.as_str()).bind(action).bind(now.0).bind(day(now));
    query.bind(record).bind(&hash).execute(&mut *connection).await?;
    let sql = "UPDATE audit_head SET hash = $1 WHERE singleton = 1";
    sqlx::query(sql).bind(hash).execute(connection).await.map(drop)
}

/// The store that an entry of head office is about; empty: none.
pub fn concerned(details: &Value) -> &str {
    details.get("store_id").and_then(Value::as_str).unwrap_or_default()
}

/// The day of an entry of head office, which has no time zone.
pub fn day(at: UtcMs) -> String {
    at.timestamp().to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
}
