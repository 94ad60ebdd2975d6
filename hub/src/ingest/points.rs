//! Points: the sum of the entries of all stores. A balance is one record for all of them; what of a store's own entries
//! is in it is said once a page, when the store reads it.

use super::announce::Later;
use super::effect::Document;
use super::envelope::Incoming;
use crate::db::insert;
use crate::feed::Entry;
use crate::row;
use domain::sync::Kind;
use sqlx::AnyConnection;
use std::collections::{BTreeMap, BTreeSet};

const ADD: &str = "INSERT INTO points (member_id, balance)";

/// Adds to the balances, in the order of their members: of two batches one waits for the other at the first member
/// that both have.
///
/// # Errors
/// The database's.
pub(super) async fn write(
    connection: &mut AnyConnection,
    store_id: &str,
    points: BTreeMap<String, i64>,
    later: &mut Later,
) -> Result<(), sqlx::Error> {
    let rows = |(member_id, points): (&String, &i64)| row![member_id.as_str(), *points];
    let tail = "ON CONFLICT (member_id) DO UPDATE SET balance = points.balance + excluded.balance";
    insert::rows(connection, ADD, tail, points.iter().map(rows).collect()).await?;
    let rows = |(member_id, points): (&String, &i64)| row![store_id, member_id.as_str(), *points];
    let head = "INSERT INTO store_points (store_id, member_id, points)";
    let tail =
        "ON CONFLICT (store_id, member_id) DO UPDATE SET points = store_points.points + excluded.points";
    insert::rows(connection, head, tail, points.iter().map(rows).collect()).await?;
    later.points.extend(points.into_keys());
    Ok(())
}

/// Takes the balances and the fields of all members of these events before the events are applied one by one: in their
/// own order they could wait for another batch that waits for them.
///
/// # Errors
/// The database's.
pub(super) async fn lock<'a>(
    connection: &mut AnyConnection,
    events: impl Iterator<Item = &'a Incoming>,
) -> Result<(), sqlx::Error> {
    let (mut points, mut fields) = (BTreeSet::new(), BTreeSet::new());
    for effect in events.filter_map(|event| event.effect.as_ref().ok()) {
        points.extend(effect.points.iter().map(|entry| entry.member_id.as_str()));
        if let Document::Member(changed) = &effect.document {
            fields.insert(changed.id.as_str());
        }
    }
    let tail = "ON CONFLICT (member_id) DO UPDATE SET balance = points.balance";
    let rows = points.into_iter().map(|member| row![member, 0_i64]).collect();
    insert::rows(connection, ADD, tail, rows).await?;
    for member in fields {
        let sql = "UPDATE shared_records SET updated_at = updated_at WHERE resource = 'member' AND id = $1";
        sqlx::query(sql).bind(member).execute(&mut *connection).await?;
    }
    Ok(())
}

/// That a member's balance is another one: for every store one and the same record.
pub(super) fn entry(member_id: &str) -> Entry {
    Entry::for_all(Kind::Points, member_id, "null".to_owned())
}
