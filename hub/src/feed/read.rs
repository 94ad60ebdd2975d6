//! Reading the feed as a store: pages after a cursor, and snapshots with the cursor fixed beforehand. Each page is
//! read from one state of the database: its balances and what they contain belong together.

use crate::columns;
use crate::db::column::Columns as _;
use crate::db::failure::Failure;
use crate::db::{Db, insert};
use crate::feed::{PAGE_MAX, coverage};
use crate::table::{member, member_store, store};
use domain::rules::selling::price;
use domain::wire::feed::{Change, Coverage, Kind, PointsDown};
use edge::ApiError;
use edge::page::{self, Cursor};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Most changes that one page passes, whichever stores they are for.
pub(crate) const PASSED_MAX: i64 = 20_000;

/// Reader of the feed, and the store whose feed is read.
pub struct Reader<'a> {
    pub db: &'a Db,
    pub generation: &'a str,
    /// The store that asks: it sees its own changes and those for all.
    pub store_id: &'a str,
}

/// A place in a lane: the number and the random ID of the last change seen, and the store whose feed it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FeedPosition {
    generation: String,
    pub(crate) number: i64,
    mark: String,
}

impl FeedPosition {
    /// `<generation>.<number>.<mark>`
    pub(crate) fn text(&self) -> String {
        format!("{}.{}.{}", self.generation, self.number, self.mark)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '.');
        let generation = parts.next()?.to_owned();
        let number = parts.next()?.parse().ok().filter(|number| *number >= 0)?;
        Some(Self { generation, number, mark: parts.next()?.to_owned() })
    }
}

/// A page of a lane.
pub struct Page {
    /// Changes of the page, in order.
    pub changes: Vec<Arc<Change>>,
    /// Cursor to continue from.
    pub next_cursor: String,
    /// The number in the cursor.
    pub until: i64,
    /// Whether there are more entries.
    pub more: bool,
    /// Records of the store that the balances contain.
    pub coverage: Coverage,
}

/// Position at which a page of a snapshot begins.
#[derive(Serialize, Deserialize)]
struct Bookmark {
    cursor: String,
    after: (String, String, String),
}

/// A page of a snapshot.
pub struct Snapshot {
    /// Records as they are now.
    pub changes: Vec<Arc<Change>>,
    /// Cursor of the next page. `None` on the last page.
    pub next_page: Option<String>,
    /// Cursor from which to pull afterwards.
    pub cursor: String,
    /// Records of the store that the balances contain.
    pub coverage: Coverage,
}

/// A stored change, for any store.
#[derive(Clone)]
pub(crate) struct Found {
    pub(crate) change: Arc<Change>,
    /// Store that the change is for. Empty for all stores.
    pub(crate) store_id: String,
}

impl Found {
    /// Member of the balance.
    pub(crate) fn member(&self) -> Option<&str> {
        (self.change.kind == Kind::Points.name() && !self.change.deleted).then_some(&self.change.id)
    }

    /// Whether it has no first day that has to become an instant.
    pub(crate) fn is_timeless(&self) -> bool {
        self.day().is_none()
    }

    /// Its first business day, if it has one.
    fn day(&self) -> Option<Date> {
        if ![Kind::Price, Kind::Promotion].map(Kind::name).contains(&self.change.kind.as_str()) {
            return None;
        }
        self.change.payload.get("from")?.as_str()?.parse().ok()
    }
}

const COLUMNS: &str = "f.number, f.mark, f.kind, f.id, f.version, f.deleted, f.payload, f.store_id";
/// Columns of a page. The feed only holds that a balance changed: the balance is read as it is now.
fn columns() -> String {
    let balance = member::balance_of("f.id");
    format!("{COLUMNS}, CAST(CASE WHEN f.kind = 'points' THEN {balance} ELSE 0 END AS BIGINT) AS balance")
}
/// Condition for the last change of a record. A record that changes again later is sent at that place: a reader of the
/// whole lane never sees old values.
const LATEST: &str = "f.number = (SELECT n.number FROM feed_now n WHERE n.lane = f.lane \
                      AND n.kind = f.kind AND n.id = f.id AND n.store_id = f.store_id)";

/// The changes between two places: those for all and for one store, or those for every store.
pub(crate) async fn changes(
    connection: &mut AnyConnection,
    (lane, after, until): (&str, &FeedPosition, &FeedPosition),
    store_id: Option<&str>,
    limit: usize,
) -> Result<Vec<Found>, sqlx::Error> {
    let own = || format!("AND f.store_id IN ('', $5) AND {}", member_store::reaches("$5"));
    let of = store_id.map_or_else(String::new, |_| own());
    let sql = format!(
        "SELECT {} FROM feed f WHERE f.lane = $1 AND f.number > $2 AND f.number <= $4 {of} \
         AND {LATEST} ORDER BY f.number LIMIT $3",
        columns()
    );
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(lane).bind(after.number);
    let query = query.bind(one_more(limit)).bind(until.number);
    let query = store_id.into_iter().fold(query, |query, store_id| query.bind(store_id));
    let generation = &after.generation;
    query.fetch_all(connection).await?.iter().map(|row| found(generation, row)).collect()
}

fn found(generation: &str, row: &AnyRow) -> Result<Found, sqlx::Error> {
    let (number, mark) = columns!(row => (number, mark));
    let place = FeedPosition { generation: generation.to_owned(), number, mark };
    let (kind, id, deleted): (String, String, bool) = columns!(row => (kind, id, deleted));
    let payload = if kind == Kind::Points.name() && !deleted {
        let balance = row.cell("balance")?;
        serde_json::to_value(PointsDown { member_id: id.clone(), balance })
    } else {
        serde_json::from_str(row.try_get("payload")?)
    };
    let payload: Value = payload.map_err(|error| sqlx::Error::Decode(error.into()))?;
    let (cursor, version) = (place.text(), row.try_get("version")?);
    let change = Change { cursor, kind, id, version, deleted, effective_at: None, payload };
    Ok(Found { change: Arc::new(change), store_id: row.try_get("store_id")? })
}

/// The changes as the store reads them, with the first day of prices and promotions as an instant of its time zone. The
/// zone is read only if a day begins.
pub(crate) async fn zoned(
    connection: &mut AnyConnection,
    store_id: &str,
    rows: &[Found],
) -> Result<Vec<Arc<Change>>, sqlx::Error> {
    if rows.iter().all(Found::is_timeless) {
        return Ok(rows.iter().map(|row| Arc::clone(&row.change)).collect());
    }
    let (zone, start) = store::clock(connection, store_id).await?;
    let one = |row: &Found| match row.day().and_then(|day| price::day_begins(day, &zone, start)) {
        None => Arc::clone(&row.change),
        at => Arc::new(Change { effective_at: at, ..(*row.change).clone() }),
    };
    Ok(rows.iter().map(one).collect())
}

impl Reader<'_> {
    /// The changes after a cursor; from the beginning without one.
    ///
    /// # Errors
    /// 410 `resync_required` for a cursor that is too old, of another generation, or naming a change that is
    /// not here.
    pub async fn page(&self, lane: &str, cursor: Option<&str>, limit: usize) -> Result<Page, Failure> {
        let place = self.place(cursor)?;
        let limit = limit.min(PAGE_MAX);
        let mut read = self.db.read().await?;
        self.checked(&mut read, lane, &place).await?;
        // Compaction leaves gaps of any length: the next change that is here is always within reach.
        let reach =
            place.number.saturating_add(PASSED_MAX).max(following(&mut read, lane, place.number).await?);
        let until = end(&mut read, self.generation, lane, reach).await?;
        let mut rows = changes(&mut read, (lane, &place, &until), Some(self.store_id), limit).await?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let coverage = coverage::of(&mut read, self.store_id, &rows).await?;
        let changes = zoned(&mut read, self.store_id, &rows).await?;
        let next = match changes.last() {
            Some(change) if more => FeedPosition::parse(&change.cursor).unwrap_or(place),
            // Changes for other stores are passed too: a caller's position is never a change that was compacted away.
            _ if until.number > place.number => until,
            _ => place,
        };
        let more = more || next.number < last(&mut read, lane).await?;
        Ok(Page { changes, next_cursor: next.text(), until: next.number, more, coverage })
    }

    /// These members and their balances as they are now, with the coverage of the balances.
    pub async fn members(&self, ids: &BTreeSet<String>) -> Result<(Vec<Arc<Change>>, Coverage), sqlx::Error> {
        if ids.is_empty() {
            return Ok((Vec::new(), Coverage::default()));
        }
        let mut read = self.db.read().await?;
        let sql = format!(
            "SELECT {} FROM feed_now n JOIN feed f ON f.lane = n.lane AND f.number = n.number WHERE n.lane = 'members' \
             AND n.store_id = '' AND f.deleted = 0 AND n.id IN ({}) ORDER BY n.kind, n.id",
            columns(),
            insert::list(1, ids.len())
        );
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql)).persistent(false);
        for id in ids {
            query = query.bind(id.clone());
        }
        let rows = query.fetch_all(&mut *read).await?;
        let rows: Vec<Found> =
            rows.iter().map(|row| found(self.generation, row)).collect::<Result<_, _>>()?;
        let coverage = coverage::of(&mut read, self.store_id, &rows).await?;
        Ok((rows.into_iter().map(|row| row.change).collect(), coverage))
    }

    /// Place of a cursor. Before the first change without one.
    pub(crate) fn place(&self, cursor: Option<&str>) -> Result<FeedPosition, ApiError> {
        match cursor {
            None => {
                Ok(FeedPosition { generation: self.generation.to_owned(), number: 0, mark: String::new() })
            }
            Some(text) => self.parsed(text),
        }
    }

    /// A cursor of this generation.
    fn parsed(&self, text: &str) -> Result<FeedPosition, ApiError> {
        FeedPosition::parse(text).filter(|place| place.generation == self.generation).ok_or_else(resync)
    }

    /// Number that a cursor of this generation names. `None` if it is not of this generation.
    pub fn number(&self, cursor: &str) -> Option<i64> {
        self.parsed(cursor).ok().map(|place| place.number)
    }

    /// Checks that the place names a change of this lane or the last removed deletion of a store, and that no later
    /// deletion was removed. A place at 0 has missed nothing.
    async fn checked(
        &self,
        connection: &mut AnyConnection,
        lane: &str,
        place: &FeedPosition,
    ) -> Result<(), Failure> {
        let known = known(connection, lane, place).await?;
        let dropped = dropped(connection, lane, place).await?;
        if !known || dropped.iter().any(|store_id| store_id.is_empty() || store_id == self.store_id) {
            return Err(resync().into());
        }
        Ok(())
    }
}

/// Whether a place names a change that is here, or was the last removed deletion of a store.
pub(crate) async fn known(
    connection: &mut AnyConnection,
    lane: &str,
    place: &FeedPosition,
) -> Result<bool, sqlx::Error> {
    if place.number == 0 {
        return Ok(true);
    }
    let sql = "SELECT COUNT(*) FROM (SELECT number FROM feed WHERE lane = $1 AND number = $2 AND mark = $3 \
               UNION ALL SELECT number FROM feed_dropped WHERE lane = $1 AND number = $2 AND mark = $3) here";
    let query = sqlx::query_scalar::<_, i64>(sql).bind(lane).bind(place.number).bind(&place.mark);
    Ok(query.fetch_one(connection).await? > 0)
}

/// Stores ('' for all) of which a deletion after a place was removed: a reader at that place has missed it.
pub(crate) async fn dropped(
    connection: &mut AnyConnection,
    lane: &str,
    place: &FeedPosition,
) -> Result<Vec<String>, sqlx::Error> {
    if place.number == 0 {
        return Ok(Vec::new());
    }
    let sql = "SELECT store_id FROM feed_dropped WHERE lane = $1 AND number > $2";
    sqlx::query_scalar(sql).bind(lane).bind(place.number).fetch_all(connection).await
}

pub(crate) fn resync() -> ApiError {
    ApiError::new(
        edge::Code::ResyncRequired,
        "this cursor is too old or does not belong to this feed: read the feed from its start",
    )
}

fn one_more(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1)
}

/// The first number of a lane above this one; 0: there is none.
async fn following(connection: &mut AnyConnection, lane: &str, number: i64) -> Result<i64, sqlx::Error> {
    let sql = "SELECT MIN(number) FROM feed WHERE lane = $1 AND number > $2";
    let next: Option<i64> = sqlx::query_scalar(sql).bind(lane).bind(number).fetch_one(connection).await?;
    Ok(next.unwrap_or_default())
}

/// The last number of a lane; 0: it is empty.
async fn last(connection: &mut AnyConnection, lane: &str) -> Result<i64, sqlx::Error> {
    let sql = "SELECT MAX(number) FROM feed WHERE lane = $1";
    let last: Option<i64> = sqlx::query_scalar(sql).bind(lane).fetch_one(connection).await?;
    Ok(last.unwrap_or_default())
}

/// The last change of a lane up to a number. Numbers below a committed one are committed: no lower one is added later.
pub(crate) async fn end(
    connection: &mut AnyConnection,
    generation: &str,
    lane: &str,
    until: i64,
) -> Result<FeedPosition, sqlx::Error> {
    let sql = "SELECT number, mark FROM feed WHERE lane = $1 AND number <= $2 ORDER BY number DESC LIMIT 1";
    let row = sqlx::query(sql).bind(lane).bind(until).fetch_optional(connection).await?;
    let (number, mark) = match row {
        Some(row) => columns!(row => (number, mark)),
        None => (0, String::new()),
    };
    Ok(FeedPosition { generation: generation.to_owned(), number, mark })
}

/// A page of a lane's records as they are now. A record that changes while the pages are read may come with its new
/// values, and comes again after the cursor: applying it twice has the same result.
///
/// # Errors
/// 400 `invalid_cursor`; 410 `resync_required` if the feed was replaced between two pages.
pub async fn snapshot(
    reader: &Reader<'_>,
    lane: &str,
    at: Option<&Cursor>,
    limit: usize,
) -> Result<Snapshot, Failure> {
    let mut read = reader.db.read().await?;
    let bookmark: Bookmark = match at {
        Some(at) => at.read()?,
        None => {
            let after = (String::new(), String::new(), String::new());
            let head = end(&mut read, reader.generation, lane, i64::MAX).await?;
            Bookmark { cursor: head.text(), after }
        }
    };
    let fixed = reader.parsed(&bookmark.cursor)?;
    let limit = limit.min(PAGE_MAX);
    let sql = format!(
        "SELECT {} FROM feed_now n JOIN feed f ON f.lane = n.lane AND f.number = n.number \
         WHERE n.lane = $1 AND n.store_id IN ('', $2) AND f.deleted = 0 AND {} \
         AND (n.kind, n.id, n.store_id) > ($3, $4, $5) ORDER BY n.kind, n.id, n.store_id LIMIT $6",
        columns(),
        member_store::reaches("$2")
    );
    let (kind, id, store_id) = bookmark.after;
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(lane).bind(reader.store_id);
    let rows = query.bind(kind).bind(id).bind(store_id).bind(one_more(limit)).fetch_all(&mut *read).await?;
    reader.checked(&mut read, lane, &fixed).await?;
    let more = rows.len() > limit;
    let rows: Vec<Found> =
        rows.iter().take(limit).map(|row| found(reader.generation, row)).collect::<Result<_, _>>()?;
    let coverage = coverage::of(&mut read, reader.store_id, &rows).await?;
    let changes = zoned(&mut read, reader.store_id, &rows).await?;
    let cursor = bookmark.cursor;
    let next_page = rows.last().filter(|_| more).map(|row| {
        let after = (row.change.kind.clone(), row.change.id.clone(), row.store_id.clone());
        page::cursor(&Bookmark { cursor: cursor.clone(), after })
    });
    Ok(Snapshot { changes, next_page, cursor, coverage })
}
