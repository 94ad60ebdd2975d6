//! The feed: changes for stores, in an order that no commit can overtake.
//!
//! A lane's counter row is locked by the statement that takes numbers from it, the last step of every
//! transaction that changes something: the second transaction to commit has the higher numbers. A transaction that
//! writes to several lanes takes them in the order of [`LANES`].

use crate::db::insert::{self, NewRow};
use crate::{columns, row, secret};
use domain::model::base::time::UtcMs;
use domain::wire::feed::Kind;
use sqlx::{AnyConnection, AnyPool};
use std::collections::BTreeMap;

pub use domain::wire::feed::lane::LANES;

/// Most changes on a page.
pub const PAGE_MAX: usize = 500;

/// A change on its way into the feed.
pub struct Entry {
    /// Kind of the record; it determines the lane.
    pub kind: Kind,
    /// ID of the object.
    pub id: String,
    /// Store that the change is for. Empty for all stores.
    pub store_id: String,
    /// Version of a record that has its own. `None` for the ticket's version.
    pub version: Option<String>,
    /// Whether the record was deleted.
    pub deleted: bool,
    /// The record as JSON.
    pub payload: String,
}

impl Entry {
    /// A record for every store.
    pub fn for_all(kind: Kind, id: &str, payload: String) -> Self {
        Self::for_store(kind, id, "", payload)
    }

    /// A record for one store.
    pub fn for_store(kind: Kind, id: &str, store_id: &str, payload: String) -> Self {
        let (id, store_id) = (id.to_owned(), store_id.to_owned());
        Self { kind, id, store_id, version: None, deleted: false, payload }
    }
}

/// Numbers taken from a lane; its row is locked until the transaction ends.
pub struct Ticket {
    lane: &'static str,
    first: i64,
    /// The version of everything in this transaction: a hybrid stamp, rising within a lane.
    pub version: String,
}

pub async fn take(
    connection: &mut AnyConnection,
    lane: &'static str,
    count: usize,
    now: UtcMs,
) -> Result<Ticket, sqlx::Error> {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let sql = "UPDATE feed_lanes SET head = head + $2, \
               stamp_ms = CASE WHEN stamp_ms < $3 THEN $3 ELSE stamp_ms + 1 END \
               WHERE lane = $1 RETURNING head, stamp_ms";
    let row = sqlx::query(sql).bind(lane).bind(count).bind(now.0).fetch_one(connection).await?;
    let (head, stamp_ms): (i64, i64) = columns!(row => (head, stamp_ms));
    let first = head.saturating_sub(count).saturating_add(1);
    Ok(Ticket { lane, first, version: format!("{stamp_ms:013}-00000-hub") })
}

/// Writes the changes under the ticket's numbers.
pub async fn append(
    connection: &mut AnyConnection,
    ticket: &Ticket,
    entries: Vec<Entry>,
) -> Result<(), sqlx::Error> {
    let mut last: BTreeMap<(&'static str, String, String), i64> = BTreeMap::new();
    let mut rows: Vec<NewRow> = Vec::with_capacity(entries.len());
    for (number, entry) in (ticket.first..).zip(entries) {
        let kind = entry.kind.name();
        let version = entry.version.unwrap_or_else(|| ticket.version.clone());
        last.insert((kind, entry.id.clone(), entry.store_id.clone()), number);
        rows.push(row! {
            lane: ticket.lane, number, mark: secret::mark(), kind, id: entry.id, version,
            deleted: i64::from(entry.deleted), effective_at: None::<i64>, payload: entry.payload,
            store_id: entry.store_id,
        });
    }
    insert::rows(connection, "feed", "", rows).await?;
    let now = |((kind, id, store_id), number): ((&str, String, String), i64)| -> NewRow {
        row! { lane: ticket.lane, kind, id, store_id, number }
    };
    let key = ["lane", "kind", "id", "store_id"];
    insert::replace(connection, "feed_now", &key, last.into_iter().map(now).collect()).await
}

/// Takes numbers for changes of any lanes and writes them: the last step of a transaction.
pub async fn publish(
    connection: &mut AnyConnection,
    mut entries: Vec<Entry>,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    for lane in LANES {
        let (mine, others) = entries.into_iter().partition(|entry: &Entry| entry.kind.lane() == lane);
        entries = others;
        let mine: Vec<Entry> = mine;
        if !mine.is_empty() {
            let ticket = take(connection, lane, mine.len(), now).await?;
            append(connection, &ticket, mine).await?;
        }
    }
    Ok(())
}

/// Overwrites every older change of a record in the feed with the last one, so that nobody reads the older values.
pub async fn replace_older(
    connection: &mut AnyConnection,
    kind: Kind,
    (id, version, payload): (String, String, String),
) -> Result<(), sqlx::Error> {
    let sql = "UPDATE feed SET version = $4, payload = $5 WHERE lane = $1 AND kind = $2 AND id = $3";
    let query = sqlx::query(sql).bind(kind.lane()).bind(kind.name()).bind(id).bind(version).bind(payload);
    query.execute(connection).await.map(drop)
}

/// The lane of that name.
pub fn lane(name: &str) -> Option<&'static str> {
    LANES.into_iter().find(|lane| *lane == name)
}

/// Counter of each lane. It rises with every change; numbers that were taken and not written stay unused.
pub async fn heads(pool: &AnyPool) -> Result<BTreeMap<String, i64>, sqlx::Error> {
    let rows = sqlx::query("SELECT lane, head FROM feed_lanes").fetch_all(pool).await?;
    rows.iter().map(|row| Ok(columns!(row => (lane, head)))).collect()
}
