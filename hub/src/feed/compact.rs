//! Compaction: the feed keeps the last change of every record, and earlier changes while a store's cursor may still be
//! there.
//!
//! A change is void once a later one of the same record is old enough: a store that has not pulled the later one by
//! then has been away for longer than [`Compactor::retain`] and gets 410 `resync_required`. A deletion of that age is
//! removed too; a mark shows the reader of pages which cursors may have missed it. The lane of users and revocations is
//! never compacted: it is short, and a store that was away for a year receives each of them.

use crate::columns;
use crate::db::{Db, Write};
use domain::model::base::time::UtcMs;
use domain::wire::feed::lane::{LANES, USERS};
use sqlx::any::AnyRow;
use std::collections::BTreeMap;
use std::time::Duration;

/// Period between notes of the lanes' heights and removals of old changes.
pub const PERIOD: Duration = Duration::from_millis(PERIOD_MS.unsigned_abs());
/// A note this soon after the last one shows nothing about the clock in between.
const SOON_MS: i64 = PERIOD_MS / 2;
/// A note later than this after the last one: the hub was off, or its clock has moved.
const LATE_MS: i64 = 2 * PERIOD_MS;
const PERIOD_MS: i64 = 3_600_000;
/// Changes that one transaction goes past: writers of the lane wait for it.
const STEP: i64 = 500;

/// Removes void changes.
pub struct Compactor<'a> {
    pub db: &'a Db,
    /// Time for which a change stays after a later one has made it void.
    pub retain: Duration,
}

/// Movement of the clock since the last note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClockStep {
    /// It was read a moment ago.
    Soon,
    /// About as long as between two notes.
    Regular,
    /// Backwards: the present time makes nothing older.
    Back,
    /// Far ahead, or the hub was off.
    Ahead,
}

fn clock_step(last: i64, now: i64) -> ClockStep {
    match now.saturating_sub(last) {
        ..0 => ClockStep::Back,
        0..SOON_MS => ClockStep::Soon,
        SOON_MS..=LATE_MS => ClockStep::Regular,
        _ => ClockStep::Ahead,
    }
}

/// A change that is old enough.
struct Old {
    number: i64,
    mark: String,
    kind: String,
    id: String,
    store_id: String,
    deleted: bool,
}

impl Compactor<'_> {
    /// Notes the heights of the lanes and removes changes that are old enough; returns the number of removed changes. A
    /// clock that has just moved removes nothing: it has to show the same an hour later.
    ///
    /// # Errors
    /// A database error; changes that were removed until then stay removed.
    pub async fn run(&self, now: UtcMs) -> Result<u64, sqlx::Error> {
        let gait = self.note(now).await?;
        if gait != ClockStep::Regular && !self.retain.is_zero() {
            return Ok(0);
        }
        let retain = i64::try_from(self.retain.as_millis()).unwrap_or(i64::MAX);
        let before = now.0.saturating_sub(retain);
        let mut removed = 0_u64;
        for lane in LANES.into_iter().filter(|lane| *lane != USERS) {
            while let Some(more) = self.step(lane, before).await? {
                removed = removed.saturating_add(more);
            }
        }
        Ok(removed)
    }

    async fn note(&self, now: UtcMs) -> Result<ClockStep, sqlx::Error> {
        let mut write = self.db.write().await?;
        let sql = "UPDATE hub SET feed_noted_at = feed_noted_at WHERE singleton = 1 RETURNING feed_noted_at";
        let last: i64 = sqlx::query_scalar(sql).fetch_one(&mut **write).await?;
        let gait = clock_step(last, now.0);
        if gait != ClockStep::Back {
            // A clock that was ahead must not keep changes for longer: the earlier time counts.
            let sql = "INSERT INTO feed_ages (lane, head, noted_at) SELECT lane, head, $1 FROM feed_lanes \
                       WHERE head > 0 ON CONFLICT (lane, head) DO UPDATE SET noted_at = CASE \
                       WHEN excluded.noted_at < feed_ages.noted_at THEN excluded.noted_at \
                       ELSE feed_ages.noted_at END";
            sqlx::query(sql).bind(now.0).execute(&mut **write).await?;
        }
        if gait != ClockStep::Soon {
            let sql = "UPDATE hub SET feed_noted_at = $1 WHERE singleton = 1";
            sqlx::query(sql).bind(now.0).execute(&mut **write).await?;
        }
        write.commit().await?;
        Ok(gait)
    }

    /// Passes at most [`STEP`] changes that were there before that moment. `None` if there are no more.
    async fn step(&self, lane: &str, before: i64) -> Result<Option<u64>, sqlx::Error> {
        let mut write = self.db.write().await?;
        let sql = "UPDATE feed_lanes SET compacted = compacted WHERE lane = $1 RETURNING compacted";
        let done: i64 = sqlx::query_scalar(sql).bind(lane).fetch_one(&mut **write).await?;
        let old = old(&mut write, lane, done, before).await?;
        let Some(until) = old.last().map(|change| change.number) else { return Ok(None) };
        let sql = "DELETE FROM feed WHERE lane = $1 AND number IN (SELECT o.number FROM feed n JOIN feed o \
                   ON o.lane = n.lane AND o.kind = n.kind AND o.id = n.id AND o.store_id = n.store_id \
                   AND o.number < n.number WHERE n.lane = $1 AND n.number > $2 AND n.number <= $3)";
        let query = sqlx::query(sql).bind(lane).bind(done).bind(until);
        let mut removed = query.execute(&mut **write).await?.rows_affected();
        removed = removed.saturating_add(deletions(&mut write, lane, &old).await?);
        let sql = "UPDATE feed_lanes SET compacted = $2 WHERE lane = $1";
        sqlx::query(sql).bind(lane).bind(until).execute(&mut **write).await?;
        let sql = "DELETE FROM feed_ages WHERE lane = $1 AND head < $2";
        sqlx::query(sql).bind(lane).bind(until).execute(&mut **write).await?;
        write.commit().await?;
        Ok(Some(removed))
    }
}

/// The next changes that are old enough. The lane's last one never is: a snapshot's cursor names it.
async fn old(write: &mut Write, lane: &str, done: i64, before: i64) -> Result<Vec<Old>, sqlx::Error> {
    let sql = "SELECT number, kind, id, store_id, deleted, mark FROM feed WHERE lane = $1 AND number > $2 \
               AND number <= (SELECT MAX(head) FROM feed_ages WHERE lane = $1 AND noted_at <= $3) \
               AND number < (SELECT MAX(number) FROM feed WHERE lane = $1) ORDER BY number LIMIT $4";
    let query = sqlx::query(sql).bind(lane).bind(done).bind(before).bind(STEP);
    let one = |row: &AnyRow| Ok(columns!(row => Old { number, kind, id, store_id, deleted, mark }));
    query.fetch_all(&mut ***write).await?.iter().map(one).collect()
}

/// Removes deletions for good, and keeps the mark below which a cursor may have missed one.
async fn deletions(write: &mut Write, lane: &str, old: &[Old]) -> Result<u64, sqlx::Error> {
    let (mut marks, mut removed) = (BTreeMap::new(), 0_u64);
    for change in old.iter().filter(|change| change.deleted) {
        marks.insert(change.store_id.as_str(), (change.number, &change.mark));
        let sql = "DELETE FROM feed_now WHERE lane = $1 AND kind = $2 AND id = $3 AND store_id = $4 AND number = $5";
        let query = sqlx::query(sql).bind(lane).bind(&change.kind).bind(&change.id).bind(&change.store_id);
        query.bind(change.number).execute(&mut ***write).await?;
        let sql = "DELETE FROM feed WHERE lane = $1 AND number = $2";
        let gone = sqlx::query(sql).bind(lane).bind(change.number).execute(&mut ***write).await?;
        removed = removed.saturating_add(gone.rows_affected());
    }
    for (store_id, (number, mark)) in marks {
        let sql = "INSERT INTO feed_dropped (lane, store_id, number, mark) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (lane, store_id) DO UPDATE SET number = excluded.number, mark = excluded.mark";
        let query = sqlx::query(sql).bind(lane).bind(store_id).bind(number).bind(mark);
        query.execute(&mut ***write).await?;
    }
    Ok(removed)
}
