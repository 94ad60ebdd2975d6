//! Points: the sum of the entries of all stores. A balance is one record for all of them; the coverage, the entries of
//! the reading store that it contains, is added to each page. Every entry is kept: head office lets points expire by
//! them.

use crate::db::insert::{self, NewRow};
use crate::feed::Entry;
use crate::projection::announce::FeedUpdates;
use crate::projection::envelope::{Incoming, Understood};
use crate::row;
use crate::table::member;
use domain::model::base::figures::Points;
use domain::model::people::points::{PointsEntry, PointsReason};
use domain::rules::books::posting::points_pool::sale_of;
use domain::wire::feed::Kind;
use domain::wire::record::AnyPayload;
use jiff::civil::Date;
use sqlx::AnyConnection;
use std::collections::{BTreeMap, BTreeSet};

/// The entries of an event, with the known facts of their sale.
pub(crate) fn rows((store_id, event_id): (&str, &str), event: &Understood) -> Vec<NewRow> {
    let Understood { payload, effect, .. } = event;
    let (sale, life) = match payload {
        AnyPayload::TransactionPaid(it) => {
            (Some(it.transaction.transaction_id.as_str()), it.transaction.points_expire)
        }
        other => (sale_of(other), None),
    };
    let row = |(position, entry): (i64, &PointsEntry)| {
        let life = life.filter(|_| entry.reason == PointsReason::Earn);
        row! {
            store_id, event_id, position, member_id: entry.member_id.as_str(),
            business_date: entry.business_date.to_string(), moved_at: entry.at.0, reason: entry.reason.name(),
            points: entry.points, reference_id: entry.reference_id.as_str(),
            transaction_id: sale.unwrap_or_default(),
            expires: life.or_else(|| last_day(entry)).map(|day| day.to_string()),
        }
    };
    (0..).zip(&effect.points).map(row).collect()
}

/// The last day of an entry's lot, as it was reported. Points that are given back return to their lot; only a lot that
/// had expired, which the store marks, gets another day. A lot that was given back before keeps its mark: of several
/// marks the newest has the latest day.
fn last_day(entry: &PointsEntry) -> Option<Date> {
    if entry.reason != PointsReason::GiveBack {
        return entry.lots.first().and_then(|part| part.expires);
    }
    entry.lots.iter().filter(|part| part.lot_id.ends_with('*')).filter_map(|part| part.expires).max()
}

/// The day after which a member is checked because of an entry: earned points expire then; any other entry may have
/// been reported after its points expired, so it is checked by the next night.
fn look_after(entry: &NewRow) -> Option<String> {
    // Head office already knows the expiries that it made.
    if entry.text("store_id").is_empty() {
        return None;
    }
    let earned = entry.int("points") > 0 && entry.text("reason") != PointsReason::GiveBack.name();
    let day = entry.text(if earned { "expires" } else { "business_date" });
    (!day.is_empty()).then(|| day.to_owned())
}

/// The earlier day counts.
const LOOK: &str = "look_after = CASE WHEN excluded.look_after < points.look_after THEN excluded.look_after \
                    ELSE COALESCE(points.look_after, excluded.look_after) END";

/// Adds to the balances, in the order of their members, so that of two batches one waits for the other at the first
/// member that both have; then writes the entries.
pub(crate) async fn write(
    connection: &mut AnyConnection,
    store_id: &str,
    (points, entries): (BTreeMap<String, Points>, Vec<NewRow>),
    later: &mut FeedUpdates,
) -> Result<(), sqlx::Error> {
    let mut looks: BTreeMap<&str, String> = BTreeMap::new();
    for entry in &entries {
        let Some(day) = look_after(entry) else { continue };
        let look = looks.entry(entry.text("member_id")).or_insert_with(|| day.clone());
        *look = day.min(std::mem::take(look));
    }
    let balance = |(member_id, points): (&String, &Points)| row! { member_id: member_id.as_str(), balance: *points, look_after: looks.get(member_id.as_str()).cloned() };
    let tail =
        format!("ON CONFLICT (member_id) DO UPDATE SET balance = points.balance + excluded.balance, {LOOK}");
    insert::rows(connection, "points", &tail, points.iter().map(balance).collect()).await?;
    insert::rows(connection, "points_entries", "", entries).await?;
    let own = |(member_id, points): (&String, &Points)| row! { store_id, member_id: member_id.as_str(), points: *points };
    let key = ["store_id", "member_id"];
    insert::sums(connection, "store_points", &key, points.iter().map(own).collect()).await?;
    later.points.extend(points.into_keys());
    Ok(())
}

/// Locks the balances and the fields of all members of these events.
pub(crate) async fn lock<'a>(
    connection: &mut AnyConnection,
    events: impl Iterator<Item = &'a Incoming>,
) -> Result<(), sqlx::Error> {
    let (mut points, mut fields) = (BTreeSet::new(), BTreeSet::new());
    for Understood { payload, effect, .. } in events.filter_map(|event| event.understood.as_ref().ok()) {
        points.extend(effect.points.iter().map(|entry| entry.member_id.0.clone()));
        if let AnyPayload::MemberChanged(changed) = payload {
            fields.insert(changed.id.as_str());
        }
    }
    lock_balances(connection, points.clone()).await?;
    member::stamp(connection, points, fields.into_iter()).await
}

/// Locks the balances of these members, in their order.
pub(crate) async fn lock_balances(
    connection: &mut AnyConnection,
    members: BTreeSet<String>,
) -> Result<(), sqlx::Error> {
    let tail = "ON CONFLICT (member_id) DO UPDATE SET balance = points.balance";
    let rows = members.into_iter().map(|member_id| row! { member_id, balance: 0_i64 }).collect();
    insert::rows(connection, "points", tail, rows).await
}

/// The change of a member's balance: the same record for every store.
pub(crate) fn entry(member_id: &str) -> Entry {
    Entry::for_all(Kind::Points, member_id, "null".to_owned())
}
