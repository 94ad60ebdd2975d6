//! Which stores are notified of a member (`members.reach`): all, or those that have met it.
//!
//! A store meets a member by making it, by writing to it, or by asking for it. Changes stay one record for all stores;
//! a reading store gets only the members that it has met.

use crate::config::Reach;
use crate::db::Db;
use crate::feed;
use crate::projection::announce::FeedUpdates;
use crate::projection::fields;
use crate::table::{member, member_store};
use domain::model::base::time::UtcMs;
use domain::wire::feed::lane;
use domain::wire::sync::FindMember;
use sqlx::AnyConnection;
use std::collections::BTreeSet;

/// Records that a store has met a member: the member's records are announced to it once more.
pub async fn meet(
    connection: &mut AnyConnection,
    store_id: &str,
    member_id: &str,
    later: &mut FeedUpdates,
) -> Result<(), sqlx::Error> {
    let sql = "INSERT INTO member_stores (store_id, member_id) VALUES ($1, $2) \
               ON CONFLICT (store_id, member_id) DO NOTHING";
    let new = sqlx::query(sql).bind(store_id).bind(member_id).execute(&mut *connection).await?;
    if new.rows_affected() > 0 && !member_store::hears_all(connection, store_id).await? {
        later.members.insert(member_id.to_owned());
        later.points.insert(member_id.to_owned());
    }
    Ok(())
}

/// A store that has met one of two merged members has also met the other.
pub async fn merged(connection: &mut AnyConnection, one: &str, other: &str) -> Result<(), sqlx::Error> {
    for (from, to) in [(one, other), (other, one)] {
        let sql = "INSERT INTO member_stores (store_id, member_id) SELECT m.store_id, $2 FROM member_stores m \
                   WHERE m.member_id = $1 ON CONFLICT (store_id, member_id) DO NOTHING";
        sqlx::query(sql).bind(from).bind(to).execute(&mut *connection).await?;
    }
    Ok(())
}

/// IDs of the requested members, with all members who are merged into them.
pub async fn find(connection: &mut AnyConnection, ask: &FindMember) -> Result<BTreeSet<String>, sqlx::Error> {
    let mut found = BTreeSet::new();
    for (field, text) in ask.texts() {
        let one = match field {
            "member_id" => {
                let sql = "SELECT id FROM shared_records WHERE resource = 'member' AND id = $1";
                let known: Option<String> =
                    sqlx::query_scalar(sql).bind(text).fetch_optional(&mut *connection).await?;
                match known {
                    Some(id) => Some(member::end(connection, &id).await?),
                    None => None,
                }
            }
            field => member::other(connection, "", field, &text.into()).await?,
        };
        if let Some(id) = one {
            found.extend(member::merged(connection, &id).await?);
            found.insert(id);
        }
    }
    Ok(found)
}

/// With `all` in the settings no store stays limited to the members it has met: it reads the whole lane again.
pub async fn widen(db: &Db, reach: Reach, now: UtcMs) -> Result<(), sqlx::Error> {
    if reach == Reach::Met {
        return Ok(());
    }
    let mut write = db.write().await?;
    let sql = "UPDATE stores SET members_reach = 'all' WHERE members_reach <> 'all' RETURNING store_id";
    let stores: Vec<String> = sqlx::query_scalar(sql).fetch_all(&mut **write).await?;
    let sql = "SELECT MAX(id) FROM shared_records WHERE resource = 'member'";
    let last: Option<String> = sqlx::query_scalar(sql).fetch_one(&mut **write).await?;
    if let Some(last) = last.filter(|_| !stores.is_empty()) {
        // Every cursor before this change has missed members.
        let ticket = feed::take(&mut write, lane::MEMBERS, 1, now).await?;
        let entry = fields::member_entry(&mut write, &last).await?;
        feed::append(&mut write, &ticket, entry.into_iter().collect()).await?;
        for store in &stores {
            let sql = "INSERT INTO feed_dropped (lane, store_id, number, mark) SELECT f.lane, $2, f.number, f.mark \
                       FROM feed f WHERE f.lane = $1 AND f.number = (SELECT MAX(n.number) FROM feed n \
                       WHERE n.lane = $1) ON CONFLICT (lane, store_id) DO UPDATE SET number = excluded.number, \
                       mark = excluded.mark";
            let query = sqlx::query(sql).bind(lane::MEMBERS).bind(store);
            query.execute(&mut **write).await?;
        }
    }
    write.commit().await
}
