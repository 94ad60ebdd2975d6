//! Points: the sum of the entries of all stores. A balance is one record for all of them; what of a store's own entries
//! is in it is said once a page, when the store reads it.

use crate::db::insert;
use crate::feed::Entry;
use crate::projection::announce::FeedUpdates;
use crate::projection::envelope::{Incoming, Understood};
use crate::row;
use domain::wire::feed::Kind;
use domain::wire::record::AnyPayload;
use sqlx::AnyConnection;
use std::collections::{BTreeMap, BTreeSet};

/// Adds to the balances, in the order of their members: of two batches one waits for the other at the first member
/// that both have.
pub(crate) async fn write(
    connection: &mut AnyConnection,
    store_id: &str,
    points: BTreeMap<String, i64>,
    later: &mut FeedUpdates,
) -> Result<(), sqlx::Error> {
    let balance =
        |(member_id, points): (&String, &i64)| row! { member_id: member_id.as_str(), balance: *points };
    insert::sums(connection, "points", &["member_id"], points.iter().map(balance).collect()).await?;
    let own = |(member_id, points): (&String, &i64)| row! { store_id, member_id: member_id.as_str(), points: *points };
    let key = ["store_id", "member_id"];
    insert::sums(connection, "store_points", &key, points.iter().map(own).collect()).await?;
    later.points.extend(points.into_keys());
    Ok(())
}

/// Takes the balances and the fields of all members of these events.
pub(crate) async fn lock<'a>(
    connection: &mut AnyConnection,
    events: impl Iterator<Item = &'a Incoming>,
) -> Result<(), sqlx::Error> {
    let (mut points, mut fields) = (BTreeSet::new(), BTreeSet::new());
    for Understood { payload, effect, .. } in events.filter_map(|event| event.understood.as_ref().ok()) {
        points.extend(effect.points.iter().map(|entry| entry.member_id.as_str()));
        if let AnyPayload::MemberChanged(changed) = payload {
            fields.insert(changed.id.as_str());
        }
    }
    let tail = "ON CONFLICT (member_id) DO UPDATE SET balance = points.balance";
    let rows = points.into_iter().map(|member| row! { member_id: member, balance: 0_i64 }).collect();
    insert::rows(connection, "points", tail, rows).await?;
    for member in fields {
        let sql = "UPDATE shared_records SET updated_at = updated_at WHERE resource = 'member' AND id = $1";
        sqlx::query(sql).bind(member).execute(&mut *connection).await?;
    }
    Ok(())
}

/// That a member's balance is another one: for every store one and the same record.
pub(crate) fn entry(member_id: &str) -> Entry {
    Entry::for_all(Kind::Points, member_id, "null".to_owned())
}
