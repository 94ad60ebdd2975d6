//! Points: the sum of the entries of all stores, told to each store with what of its own is in it.

use super::announce::Later;
use crate::db::insert;
use crate::feed::Entry;
use crate::row;
use domain::sync::{Covered, Kind, PointsDown};
use sqlx::{AnyConnection, Row};
use std::collections::{BTreeMap, BTreeSet};

/// Most parked events that a balance names, of one member; with more of them the store is told by its status.
const MISSING_MAX: i64 = 1000;

/// Adds to the balances, and notes which members the store knows.
///
/// # Errors
/// The database's.
pub(super) async fn write(
    connection: &mut AnyConnection,
    store_id: &str,
    points: BTreeMap<String, i64>,
    members: BTreeSet<String>,
    later: &mut Later,
) -> Result<(), sqlx::Error> {
    let rows = |(member_id, points): (&String, &i64)| row![member_id.as_str(), *points];
    let head = "INSERT INTO points (member_id, balance)";
    let tail = "ON CONFLICT (member_id) DO UPDATE SET balance = points.balance + excluded.balance";
    insert::rows(connection, head, tail, points.iter().map(rows).collect()).await?;
    let rows = |(member_id, points): (&String, &i64)| row![store_id, member_id.as_str(), *points];
    let head = "INSERT INTO store_points (store_id, member_id, points)";
    let tail =
        "ON CONFLICT (store_id, member_id) DO UPDATE SET points = store_points.points + excluded.points";
    insert::rows(connection, head, tail, points.iter().map(rows).collect()).await?;
    for member_id in members {
        let sql = "INSERT INTO known_members (member_id, store_id) VALUES ($1, $2) \
                   ON CONFLICT (member_id, store_id) DO NOTHING";
        let done = sqlx::query(sql).bind(&member_id).bind(store_id).execute(&mut *connection).await?;
        if done.rows_affected() == 1 {
            later.met.insert((member_id.clone(), store_id.to_owned()));
            later.points.insert(member_id);
        }
    }
    later.points.extend(points.into_keys());
    Ok(())
}

/// A member's points for every store that knows it. The caller's transaction has touched the member's row,
/// so no other one that moves these points is half-way: what is in the balance is below the cursors.
pub(super) async fn entries(
    connection: &mut AnyConnection,
    member_id: &str,
) -> Result<Vec<Entry>, sqlx::Error> {
    let sql = "INSERT INTO points (member_id, balance) VALUES ($1, 0) \
               ON CONFLICT (member_id) DO UPDATE SET balance = points.balance RETURNING balance";
    let balance: i64 = sqlx::query_scalar(sql).bind(member_id).fetch_one(&mut *connection).await?;
    let mut entries = Vec::new();
    for store_id in stores(connection, member_id).await? {
        let down = PointsDown {
            member_id: member_id.to_owned(),
            balance,
            includes: covered(connection, &store_id).await?,
            missing: missing(connection, &store_id, member_id).await?,
        };
        let payload = serde_json::to_string(&down).map_err(|error| sqlx::Error::Encode(error.into()))?;
        entries.push(Entry::for_store(Kind::Points, member_id, &store_id, payload));
    }
    Ok(entries)
}

/// The stores that are sent a member; '' among the knowing means all.
pub(super) async fn stores(
    connection: &mut AnyConnection,
    member_id: &str,
) -> Result<Vec<String>, sqlx::Error> {
    let sql = "SELECT store_id FROM stores s WHERE EXISTS (SELECT 1 FROM known_members k \
               WHERE k.member_id = $1 AND k.store_id IN ('', s.store_id)) ORDER BY store_id";
    sqlx::query_scalar(sql).bind(member_id).fetch_all(connection).await
}

async fn covered(connection: &mut AnyConnection, store_id: &str) -> Result<Vec<Covered>, sqlx::Error> {
    let sql = "SELECT epoch, seq, hash FROM epochs WHERE store_id = $1 AND seq > 0 ORDER BY opened_at, epoch";
    let rows = sqlx::query(sql).bind(store_id).fetch_all(connection).await?;
    let one = |row: &sqlx::any::AnyRow| {
        let seq = row.try_get::<i64, _>(1)?.unsigned_abs();
        Ok(Covered { epoch: row.try_get(0)?, seq, hash: row.try_get(2)? })
    };
    rows.iter().map(one).collect()
}

/// Parked events of the store that may move this member's points.
async fn missing(
    connection: &mut AnyConnection,
    store_id: &str,
    member_id: &str,
) -> Result<Vec<String>, sqlx::Error> {
    let sql = "SELECT event_id FROM parked WHERE store_id = $1 AND event_id <> '' \
               AND (member_id IS NULL OR member_id = $2) ORDER BY parked_at, epoch, seq LIMIT $3";
    sqlx::query_scalar(sql).bind(store_id).bind(member_id).bind(MISSING_MAX).fetch_all(connection).await
}
