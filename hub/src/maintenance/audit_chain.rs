//! Holds head office's own entries against their chain.

use crate::columns;
use crate::table::audit::{Chained, concerned, day, object};
use domain::model::hub::chain;
use domain::model::hub::chain::GENESIS;
use sqlx::any::AnyRow;
use sqlx::{AnyPool, Row};

/// Entries that are read at once.
const PAGE: i64 = 500;

/// Problem of the first entry that is not as it was written. `None` if all are.
pub async fn first_problem(pool: &AnyPool) -> Result<Option<String>, sqlx::Error> {
    // The end is read first: entries appended meanwhile come after it.
    let sql = "SELECT position, hash FROM audit_head WHERE singleton = 1";
    let Some(head) = sqlx::query(sql).fetch_optional(pool).await? else {
        return Ok(Some("audit: the end of the chain is missing".to_owned()));
    };
    let (end, last): (i64, String) = columns!(head => (position, hash));
    let (mut position, mut hash) = (0_i64, GENESIS.to_owned());
    while position < end {
        let sql = "SELECT position, hash, record, audit_id, store_id, user_id, action, at, day, object_id FROM own_audit \
                   WHERE position > $1 AND position <= $2 ORDER BY position LIMIT $3";
        let rows = sqlx::query(sql).bind(position).bind(end).bind(PAGE).fetch_all(pool).await?;
        if rows.is_empty() {
            break;
        }
        for row in &rows {
            let next = position.saturating_add(1);
            let (found, reported): (i64, String) = columns!(row => (position, hash));
            if found != next {
                return Ok(Some(format!("audit: entry {next} is missing")));
            }
            let record: String = row.try_get("record")?;
            if chain::next(&hash, &record) != reported {
                return Ok(Some(format!("audit: entry {next} was changed")));
            }
            if !agrees(row, &record)? {
                return Ok(Some(format!(
                    "audit: entry {next} is listed with other values than its record has"
                )));
            }
            (position, hash) = (next, reported);
        }
    }
    if position != end {
        return Ok(Some(format!("audit: the entries after {position} are missing; there were {end}")));
    }
    if hash != last {
        return Ok(Some(format!("audit: entry {position} does not match the end of the chain")));
    }
    Ok(None)
}

/// Whether the searched columns agree with the record.
fn agrees(row: &AnyRow, record: &str) -> Result<bool, sqlx::Error> {
    let Ok(Chained { position, audit_id, entry }) = serde_json::from_str(record) else { return Ok(false) };
    let texts = [
        ("audit_id", audit_id.as_str()),
        ("store_id", concerned(&entry.details)),
        ("user_id", entry.user_id.as_str()),
        ("action", entry.action.as_str()),
        ("day", &day(entry.at)),
        ("object_id", object(&entry.details).map(|(_, id)| id).unwrap_or_default()),
    ];
    for (column, expected) in texts {
        if row.try_get::<String, _>(column)? != expected {
            return Ok(false);
        }
    }
    Ok(row.try_get::<i64, _>("position")? == position && row.try_get::<i64, _>("at")? == entry.at.0)
}
