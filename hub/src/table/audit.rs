//! The audit log: actions of people of head office and of its commands, in one hash chain, and the entries that stores
//! reported.

use crate::columns;
use crate::table::event_log::{self, NewEvent};
use crate::table::notice;
use domain::model::base::ids::UserId;
use domain::model::base::time::UtcMs;
use domain::model::hub::chain;
use domain::model::people::audit::AuditEntry;
use edge::ids;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sqlx::AnyConnection;
use std::collections::BTreeSet;

/// Entry of head office with its place, as hashed by the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chained {
    /// Place of the entry in the chain.
    pub position: i64,
    /// ID of the entry, `evt_…`.
    pub audit_id: String,
    /// Action, user and time of the entry.
    #[serde(flatten)]
    pub entry: AuditEntry,
}

/// Writes an action of a user here; never a secret. An empty ID means the operator. The store that it concerns is
/// `store_id` of the details. Screens and the event log are notified of the change.
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
    let sql = "INSERT INTO own_audit (position, audit_id, store_id, user_id, action, at, day, object_id, record, hash) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    let query = sqlx::query(sql).bind(position).bind(&chained.audit_id).bind(concerned(details));
    let query = query.bind(user_id.as_str()).bind(action).bind(now.0).bind(day(now));
    let object_id = object(details).map(|(_, id)| id).unwrap_or_default();
    query.bind(object_id).bind(record).bind(&hash).execute(&mut *connection).await?;
    let sql = "UPDATE audit_head SET hash = $1 WHERE singleton = 1";
    sqlx::query(sql).bind(hash).execute(&mut *connection).await?;
    let (object_type, object_id) = object(details).unwrap_or_default();
    let event = NewEvent {
        event_id: chained.audit_id,
        kind: action.to_owned(),
        object_type: object_type.to_owned(),
        object_id: object_id.to_owned(),
        occurred_at: now,
    };
    event_log::write_action(connection, position, concerned(details), event).await?;
    notice::tell_action(connection, action, details).await
}

/// Time of head office's last entry. `None` if there is none.
pub async fn last_at(connection: &mut AnyConnection) -> Result<Option<UtcMs>, sqlx::Error> {
    let sql = "SELECT MAX(at) FROM own_audit";
    let at: Option<i64> = sqlx::query_scalar(sql).fetch_one(connection).await?;
    Ok(at.map(UtcMs))
}

/// Last moment of head office's own records in this database, when it was last found to be restored. `None`
/// if it never was.
pub async fn written_until(connection: &mut AnyConnection) -> Result<Option<UtcMs>, sqlx::Error> {
    let sql = "SELECT record FROM own_audit WHERE action = 'generation.begun' ORDER BY position DESC LIMIT 1";
    let record: Option<String> = sqlx::query_scalar(sql).fetch_optional(connection).await?;
    let chained: Option<Chained> = record.and_then(|record| serde_json::from_str(&record).ok());
    let until = chained.and_then(|chained| chained.entry.details.get("written_until").cloned());
    Ok(until.and_then(|until| serde_json::from_value(until).ok()))
}

/// Fields of documents that change with every change.
const ALWAYS_CHANGE: [&str; 1] = ["updated_at"];

/// Details of a change with the fields of its document that differ, as they were (`before`) and as they are (`after`); with
/// neither where nothing does.
pub fn with_change<T: Serialize>(mut details: Value, documents: [&T; 2]) -> Value {
    let [before, after] = documents.map(|document| match serde_json::to_value(document) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    });
    let differs =
        |name: &&String| before.get(*name) != after.get(*name) && !ALWAYS_CHANGE.contains(&name.as_str());
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).filter(differs).collect();
    let side = |of: &Map<String, Value>| -> Map<String, Value> {
        names.iter().map(|name| ((*name).clone(), of.get(*name).cloned().unwrap_or_default())).collect()
    };
    if let Some(details) = details.as_object_mut().filter(|_| !names.is_empty()) {
        details
            .extend([("before".to_owned(), side(&before).into()), ("after".to_owned(), side(&after).into())]);
    }
    details
}

/// Objects that an entry may be about, by the name of its ID among the details: the closest comes first.
const OBJECTS: [(&str, &str); 41] = [
    ("match_id", "match"),
    ("exception_id", "exception"),
    ("close_id", "close"),
    ("invoice_id", "invoice"),
    ("credit_note_id", "credit_note"),
    ("payment_id", "payment"),
    ("statement_id", "statement"),
    ("settlement_id", "settlement"),
    ("source_id", "source"),
    ("entry_id", "entry"),
    ("export_id", "journal_export"),
    ("po_id", "purchase_order"),
    ("receiving_id", "receiving"),
    ("supplier_return_id", "supplier_return"),
    ("transfer_id", "transfer"),
    ("adjustment_id", "adjustment"),
    ("opname_id", "opname"),
    ("row_id", "supplier_price"),
    ("supplier_id", "supplier"),
    ("promotion_id", "promotion"),
    ("price_id", "price"),
    ("parked_id", "parked"),
    ("conflict_id", "conflict"),
    ("credential_id", "passkey"),
    ("transaction_id", "transaction"),
    ("return_id", "return"),
    ("hold_id", "hold"),
    ("deposit_id", "deposit"),
    ("cash_id", "cash_movement"),
    ("shift_id", "shift"),
    ("member_id", "member"),
    ("user_id", "user"),
    ("register_id", "register"),
    ("sku", "product"),
    ("method", "payment_method"),
    ("account", "account"),
    ("date", "day"),
    ("month", "period"),
    ("webhook_id", "webhook"),
    ("receipt_no", "receipt"),
    ("store_id", "store"),
];

/// Type and ID of the object of an entry. `None` if it has no ID.
pub fn object(details: &Value) -> Option<(&'static str, &str)> {
    OBJECTS.iter().find_map(|(name, kind)| Some((*kind, details.get(name)?.as_str()?)))
}

/// Store that an entry of head office is about. Empty for none.
pub fn concerned(details: &Value) -> &str {
    details.get("store_id").and_then(Value::as_str).unwrap_or_default()
}

/// The day of an entry of head office, which has no time zone.
pub fn day(at: UtcMs) -> String {
    at.timestamp().to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
}
