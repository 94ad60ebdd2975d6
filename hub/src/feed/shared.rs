//! Shares one read of a lane's end among all stores that wait at the same place: a change for all stores ends a
//! thousand waits at once.

use crate::db::failure::Failure;
use crate::feed::read::{self, FeedPosition, Found, PASSED_MAX, Page, Reader, resync};
use crate::feed::{LANES, PAGE_MAX, coverage};
use domain::wire::feed::Coverage;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

/// Positions that are kept of one wake; a store at another position reads by itself.
const PLACES_MAX: usize = 64;

/// Changes that were read for other stores as well, lane by lane.
#[derive(Default)]
pub struct Tails([Mutex<WakeReads>; LANES.len()]);

/// The reads of one wake.
#[derive(Default)]
struct WakeReads {
    woken_by: i64,
    tails: HashMap<(String, usize), Arc<OnceCell<Option<Tail>>>>,
}

/// Every change after a place, for any store, read from one state of the database.
struct Tail {
    rows: Vec<Found>,
    until: FeedPosition,
    /// Stores whose cursors at that place are too old. An empty ID for all stores.
    dropped: Vec<String>,
    coverage: HashMap<String, Coverage>,
}

impl Tails {
    /// The page after a cursor, read once for all stores that the change with this number wakes there.
    ///
    /// # Errors
    /// The errors of [`Reader::page`].
    pub async fn page(
        &self,
        reader: &Reader<'_>,
        lane: &str,
        (cursor, limit): (&str, usize),
        woken_by: i64,
    ) -> Result<Page, Failure> {
        let limit = limit.min(PAGE_MAX);
        if let Some(cell) = self.cell(lane, (cursor, limit), woken_by)
            && let Some(tail) = cell.get_or_try_init(|| Tail::read(reader, lane, cursor, limit)).await?
        {
            return tail.page(reader, cursor).await;
        }
        reader.page(lane, Some(cursor), limit).await
    }

    fn cell(
        &self,
        lane: &str,
        (cursor, limit): (&str, usize),
        woken_by: i64,
    ) -> Option<Arc<OnceCell<Option<Tail>>>> {
        let (_, kept) = LANES.iter().zip(&self.0).find(|(name, _)| **name == lane)?;
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if woken_by > kept.woken_by {
            *kept = WakeReads { woken_by, tails: HashMap::new() };
        }
        // A tail that was read for an earlier wake may lack the change of this one.
        if woken_by < kept.woken_by {
            return None;
        }
        let key = (cursor.to_owned(), limit);
        if kept.tails.len() >= PLACES_MAX && !kept.tails.contains_key(&key) {
            return None;
        }
        Some(Arc::clone(kept.tails.entry(key).or_default()))
    }
}

impl Tail {
    /// Reads a tail. `None` if it is too long to be read for all.
    async fn read(
        reader: &Reader<'_>,
        lane: &str,
        cursor: &str,
        limit: usize,
    ) -> Result<Option<Self>, Failure> {
        let place = reader.place(Some(cursor))?;
        let mut read = reader.db.read().await?;
        if !read::known(&mut read, lane, &place).await? {
            return Err(resync().into());
        }
        let dropped = read::dropped(&mut read, lane, &place).await?;
        let until = read::end(&mut read, reader.generation, lane, i64::MAX).await?;
        if until.number.saturating_sub(place.number) > PASSED_MAX {
            return Ok(None);
        }
        let rows = read::changes(&mut read, (lane, &place, &until), None, limit).await?;
        if rows.len() > limit {
            return Ok(None);
        }
        let coverage = coverage::of_all(&mut read, &rows).await?;
        Ok(coverage.map(|coverage| Self { rows, until, dropped, coverage }))
    }

    /// The part that one store sees.
    async fn page(&self, reader: &Reader<'_>, cursor: &str) -> Result<Page, Failure> {
        let store_id = reader.store_id;
        if self.dropped.iter().any(|dropped| dropped.is_empty() || dropped == store_id) {
            return Err(resync().into());
        }
        let own = |row: &&Found| row.store_id.is_empty() || row.store_id == store_id;
        let rows: Vec<Found> = self.rows.iter().filter(own).cloned().collect();
        let coverage = match rows.iter().any(|row| row.member().is_some()) {
            true => self.coverage.get(store_id).cloned().unwrap_or_default(),
            false => Coverage::default(),
        };
        let changes = match rows.iter().all(Found::is_timeless) {
            true => rows.iter().map(|row| Arc::clone(&row.change)).collect(),
            false => read::zoned(&mut *reader.db.pool().acquire().await?, store_id, &rows).await?,
        };
        let place = reader.place(Some(cursor))?;
        let next = if self.until.number > place.number { &self.until } else { &place };
        Ok(Page { changes, next_cursor: next.text(), until: next.number, more: false, coverage })
    }
}
