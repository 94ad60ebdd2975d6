//! The records of a store that its balances contain, read from the same state of the database as the balances.

use crate::columns;
use crate::db::insert;
use crate::feed::read::Found;
use domain::wire::feed::{Coverage, Covered};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};
use std::collections::HashMap;

/// Most parked events that a page lists as missing; with more of them, only the store's status reports it.
pub const MISSING_MAX: usize = 1_000;
/// Most ends of epochs and parked events that are read for all stores together; with more, each store reads its own.
const SHARED_ROWS_MAX: usize = 50_000;

/// The members whose balances are among these changes, in order.
fn members(rows: &[Found]) -> Vec<&str> {
    let mut members: Vec<&str> = rows.iter().filter_map(Found::member).collect();
    members.sort_unstable();
    members.dedup();
    members
}

/// Coverage for one store; empty if no change is a balance.
pub(crate) async fn of(
    connection: &mut AnyConnection,
    store_id: &str,
    rows: &[Found],
) -> Result<Coverage, sqlx::Error> {
    let members = members(rows);
    if members.is_empty() {
        return Ok(Coverage::default());
    }
    let sql = "SELECT epoch, seq, hash FROM epochs WHERE store_id = $1 AND seq > 0 ORDER BY opened_at, epoch";
    let ends = sqlx::query(sql).bind(store_id).fetch_all(&mut *connection).await?;
    let includes = ends.iter().map(covered).collect::<Result<_, _>>()?;
    let sql = format!(
        "SELECT p.event_id FROM parked p LEFT JOIN member_merges g ON g.member_id = p.member_id \
         WHERE p.store_id = $1 AND p.event_id <> '' AND (p.member_id IS NULL \
         OR COALESCE(g.merged_into, p.member_id) IN ({})) ORDER BY p.parked_at, p.epoch, p.seq LIMIT $2",
        insert::list(3, members.len())
    );
    let query = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).persistent(false).bind(store_id);
    let mut query = query.bind(i64::try_from(MISSING_MAX).unwrap_or(i64::MAX));
    for member in members {
        query = query.bind(member);
    }
    Ok(Coverage { includes, missing: query.fetch_all(connection).await? })
}

fn covered(row: &AnyRow) -> Result<Covered, sqlx::Error> {
    Ok(columns!(row => Covered { epoch, seq, hash }))
}

/// Coverage for every store at once. `None` if it is too large.
pub(crate) async fn of_all(
    connection: &mut AnyConnection,
    rows: &[Found],
) -> Result<Option<HashMap<String, Coverage>>, sqlx::Error> {
    let members = members(rows);
    let mut all: HashMap<String, Coverage> = HashMap::new();
    if members.is_empty() {
        return Ok(Some(all));
    }
    let limit = i64::try_from(SHARED_ROWS_MAX).unwrap_or(i64::MAX);
    let sql = "SELECT store_id, epoch, seq, hash FROM epochs WHERE seq > 0 ORDER BY store_id, opened_at, epoch LIMIT $1";
    let ends = sqlx::query(sql).bind(limit).fetch_all(&mut *connection).await?;
    let sql = "SELECT p.store_id, p.event_id, COALESCE(g.merged_into, p.member_id) AS member_id FROM parked p \
               LEFT JOIN member_merges g ON g.member_id = p.member_id WHERE p.event_id <> '' \
               AND (p.member_id IS NULL OR p.member_id <> '') \
               ORDER BY p.store_id, p.parked_at, p.epoch, p.seq LIMIT $1";
    let parked = sqlx::query(sql).bind(limit).fetch_all(connection).await?;
    if ends.len() >= SHARED_ROWS_MAX || parked.len() >= SHARED_ROWS_MAX {
        return Ok(None);
    }
    for row in &ends {
        all.entry(row.try_get("store_id")?).or_default().includes.push(covered(row)?);
    }
    for row in &parked {
        let member: Option<String> = row.try_get("member_id")?;
        let missing = &mut all.entry(row.try_get("store_id")?).or_default().missing;
        let named = member.is_none_or(|member| members.binary_search(&member.as_str()).is_ok());
        if named && missing.len() < MISSING_MAX {
            missing.push(row.try_get("event_id")?);
        }
    }
    Ok(Some(all))
}
