//! Points whose last day has passed: once a night, by one process, a page of members in one commit.
//!
//! The expired points follow from all reports about a member and those merged into it, under the lock of their
//! balances, so a repetition does nothing. The expiry is an event of head office's own, posted in its own book.

use crate::columns;
use crate::db::failure::Failure;
use crate::db::insert;
use crate::night::lease::Lease;
use crate::projection::envelope::Understood;
use crate::projection::fold::Projection;
use crate::projection::members::own_expiry::Expired;
use crate::projection::points::lock_balances;
use crate::state::hub::Hub;
use crate::table::member;
use domain::model::base::time::UtcMs;
use domain::rules::people::points::{Expiry, ExpiryEntry, LotFold};
use futures_util::TryStreamExt as _;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::Value;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::BTreeSet;
use std::time::Instant;

/// Members of one commit, which bounds the time that stores wait for balances and the pool.
const AT_ONCE: i64 = 100;

/// Lets expired points lapse, page by page. Returns false if another process continues with it.
///
/// # Errors
/// A database error; earlier pages are done.
pub async fn run(hub: &Hub, lease: &Lease<'_>, now: UtcMs) -> Result<bool, Failure> {
    let (started, mut after) = (Instant::now(), String::new());
    loop {
        let mut write = hub.db.write().await?;
        let passed = i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX);
        if !lease.beat(&mut write, UtcMs(now.0.saturating_add(passed))).await? {
            return Ok(false);
        }
        let last = page(&mut write, &after, lease.day, now).await?;
        write.commit_change().await?;
        let Some(last) = last else { return Ok(true) };
        after = last;
    }
}

/// Checks a page of members and returns the last one. `None` if there are no more.
async fn page(
    connection: &mut AnyConnection,
    after: &str,
    today: Date,
    now: UtcMs,
) -> Result<Option<String>, sqlx::Error> {
    if after.is_empty() {
        look_again(connection, today).await?;
    }
    let sql = "SELECT DISTINCT COALESCE(g.merged_into, p.member_id) AS member_id FROM points p \
               LEFT JOIN member_merges g ON g.member_id = p.member_id WHERE p.look_after < $1 \
               AND COALESCE(g.merged_into, p.member_id) > $2 ORDER BY 1 LIMIT $3";
    let query = sqlx::query_scalar(sql).bind(today.to_string()).bind(after.to_owned()).bind(AT_ONCE);
    let members: Vec<String> = query.fetch_all(&mut *connection).await?;
    let Some(last) = members.last().cloned() else { return Ok(None) };
    let mut groups = Vec::new();
    for id in &members {
        let mut ids = member::merged(connection, id).await?;
        ids.push(id.clone());
        groups.push((id.as_str(), ids));
    }
    let all: BTreeSet<String> = groups.iter().flat_map(|(_, ids)| ids.clone()).collect();
    lock_balances(connection, all).await?;
    let mut expired = Vec::new();
    for (id, ids) in groups {
        expired.extend(of_member(connection, id, &ids, (today, now)).await?);
    }
    let zone = TimeZone::UTC;
    let mut projection = Projection::new("", &zone);
    for (event_id, event) in &expired {
        projection.fold(event_id, "", event);
    }
    projection.write(connection, now).await?.announce(connection, now).await?;
    Ok(Some(last))
}

/// Checks the members again on any day whose points expired on a day that has not come, by a clock that ran
/// ahead.
async fn look_again(connection: &mut AnyConnection, today: Date) -> Result<(), sqlx::Error> {
    let sql = "UPDATE points SET look_after = '' WHERE member_id IN (SELECT member_id FROM points_entries \
               WHERE store_id = '' AND business_date > $1)";
    sqlx::query(sql).bind(today.to_string()).execute(connection).await.map(drop)
}

/// Expired points of a member and of those who are merged into it. `None` if there is nothing new.
async fn of_member(
    connection: &mut AnyConnection,
    id: &str,
    ids: &[String],
    (today, now): (Date, UtcMs),
) -> Result<Option<(String, Understood)>, sqlx::Error> {
    let Expiry { points, next } = followed(connection, ids, today).await?;
    let list = insert::list(3, ids.len());
    let sql = format!(
        "UPDATE points SET look_after = CASE WHEN member_id = $1 THEN $2 END WHERE member_id IN ({list})"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).persistent(false).bind(id.to_owned());
    let query = query.bind(next.map(|day| day.to_string()));
    ids.iter().fold(query, |query, id| query.bind(id.clone())).execute(&mut *connection).await?;
    if points == 0 {
        return Ok(None);
    }
    let sql = "SELECT COUNT(*) FROM points_entries WHERE member_id = $1 AND store_id = ''";
    let before: i64 = sqlx::query_scalar(sql).bind(id.to_owned()).fetch_one(connection).await?;
    let event_id = format!("exp_{id}_{}", before.saturating_add(1));
    let expired =
        Expired { member_id: id.to_owned(), points, day: today, at: now, event_id: event_id.clone() };
    Ok(Some((event_id, expired.understood())))
}

/// Applies the reports about these members, who are one, to their lots.
async fn followed(
    connection: &mut AnyConnection,
    ids: &[String],
    today: Date,
) -> Result<Expiry, sqlx::Error> {
    let sql = format!(
        "SELECT reason, points, expires, transaction_id, business_date FROM points_entries \
         WHERE member_id IN ({}) ORDER BY business_date, moved_at, store_id, event_id, position",
        insert::list(1, ids.len())
    );
    let query = sqlx::query(AssertSqlSafe(sql)).persistent(false);
    let mut rows = ids.iter().fold(query, |query, id| query.bind(id.clone())).fetch(connection);
    let mut lots = LotFold::new(today);
    while let Some(row) = rows.try_next().await? {
        lots.add(&reported(&row)?);
    }
    Ok(lots.done())
}

fn reported(row: &AnyRow) -> Result<ExpiryEntry, sqlx::Error> {
    let (reason, expires): (String, Option<Date>) = columns!(row => (reason, expires));
    let reason = serde_json::from_value(Value::String(reason));
    let reason = reason.map_err(|error| sqlx::Error::Decode(error.into()))?;
    Ok(columns!(row => ExpiryEntry {
        points, transaction_id, business_date; reason = reason, expires = expires,
    }))
}
