//! Reading the feed as a store: pages after a cursor, and snapshots with the cursor fixed beforehand.

use super::PAGE_MAX;
use crate::failure::Failure;
use domain::sync::{Change, Kind};
use domain::time::UtcMs;
use edge::ApiError;
use edge::page::{self, Cursor};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::any::AnyRow;
use sqlx::{AnyPool, Row};

/// Who reads, and whose feed it is.
pub struct Reader<'a> {
    /// The database's generation.
    pub generation: &'a str,
    /// The store that asks: it sees its own changes and those for all.
    pub store_id: &'a str,
    /// Its time zone: days begin there.
    pub zone: &'a TimeZone,
}

/// A place in a lane: the number and the random id of the last change seen, and whose feed it is.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    generation: String,
    number: i64,
    mark: String,
}

impl Place {
    /// `<generation>.<number>.<mark>`
    fn text(&self) -> String {
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
    /// In order.
    pub changes: Vec<Change>,
    /// Where to go on.
    pub next_cursor: String,
    /// Whether more waits.
    pub more: bool,
}

/// Where a page of a snapshot begins.
#[derive(Serialize, Deserialize)]
struct Bookmark {
    cursor: String,
    after: (String, String, String),
}

/// A page of a snapshot.
pub struct Snapshot {
    /// Records as they are now.
    pub changes: Vec<Change>,
    /// Where the next page begins; none: this was the last.
    pub next_page: Option<String>,
    /// Where to pull on afterwards.
    pub cursor: String,
}

const COLUMNS: &str = "f.number, f.mark, f.kind, f.id, f.version, f.deleted, f.payload, f.store_id";

impl Reader<'_> {
    /// The changes after a cursor; from the beginning without one.
    ///
    /// # Errors
    /// 410 `resync_required` for a cursor that is too old, of another generation, or naming a change that is
    /// not here.
    pub async fn page(
        &self,
        pool: &AnyPool,
        lane: &str,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<Page, Failure> {
        let place = match cursor {
            None => Place { generation: self.generation.to_owned(), number: 0, mark: String::new() },
            Some(text) => self.parsed(text)?,
        };
        let limit = limit.min(PAGE_MAX);
        // Before the page: below it nothing can be committed any more, and what comes above it is left for later.
        let head = end(pool, self.generation, lane).await?;
        let sql = format!(
            "SELECT {COLUMNS} FROM feed f WHERE f.lane = $1 AND f.number > $2 AND f.number <= $5 \
             AND f.store_id IN ('', $4) ORDER BY f.number LIMIT $3"
        );
        let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(lane).bind(place.number);
        let query = query.bind(one_more(limit)).bind(self.store_id).bind(head.number);
        let rows = query.fetch_all(pool).await?;
        // After the page: what is compacted away in between is missed by no page that was read before.
        self.checked(pool, lane, &place).await?;
        let more = rows.len() > limit;
        let changes: Vec<Change> =
            rows.iter().take(limit).map(|row| self.change(row)).collect::<Result<_, _>>()?;
        let next_cursor = match changes.last() {
            Some(change) if more => change.cursor.clone(),
            // Past what is for other stores too: whoever asks never stands on a change that is compacted away.
            _ if head.number > place.number => head.text(),
            _ => place.text(),
        };
        Ok(Page { changes, next_cursor, more })
    }

    /// A cursor of this generation.
    fn parsed(&self, text: &str) -> Result<Place, ApiError> {
        Place::parse(text).filter(|place| place.generation == self.generation).ok_or_else(resync)
    }

    /// It names a change of this lane or the last removed deletion of a store, and no deletion after it was
    /// removed. One at 0 has nothing to miss.
    async fn checked(&self, pool: &AnyPool, lane: &str, place: &Place) -> Result<(), Failure> {
        if place.number > 0 {
            let sql = "SELECT COUNT(*) FROM (SELECT number FROM feed WHERE lane = $1 AND number = $2 AND mark = $3 \
                       UNION ALL SELECT number FROM feed_dropped WHERE lane = $1 AND number = $2 AND mark = $3) here \
                       WHERE NOT EXISTS (SELECT 1 FROM feed_dropped d WHERE d.lane = $1 AND d.number > $2 \
                       AND d.store_id IN ('', $4))";
            let query = sqlx::query_scalar::<_, i64>(sql).bind(lane).bind(place.number).bind(&place.mark);
            if query.bind(self.store_id).fetch_one(pool).await? == 0 {
                return Err(resync().into());
            }
        }
        Ok(())
    }

    fn change(&self, row: &AnyRow) -> Result<Change, sqlx::Error> {
        let place =
            Place { generation: self.generation.to_owned(), number: row.try_get(0)?, mark: row.try_get(1)? };
        let payload: Value =
            serde_json::from_str(row.try_get(6)?).map_err(|error| sqlx::Error::Decode(error.into()))?;
        let kind: String = row.try_get(2)?;
        Ok(Change {
            cursor: place.text(),
            effective_at: self.effective_at(&kind, &payload),
            kind,
            id: row.try_get(3)?,
            version: row.try_get(4)?,
            deleted: row.try_get::<i64, _>(5)? != 0,
            payload,
        })
    }

    /// When the first day of a price or a promotion begins at the reader.
    fn effective_at(&self, kind: &str, payload: &Value) -> Option<UtcMs> {
        if kind != Kind::Price.name() && kind != Kind::Promotion.name() {
            return None;
        }
        let from: Date = payload.get("from")?.as_str()?.parse().ok()?;
        let begins = from.to_zoned(self.zone.clone()).ok()?;
        Some(UtcMs(begins.timestamp().as_millisecond()))
    }
}

fn resync() -> ApiError {
    ApiError::new(410, "resync_required", "this cursor is too old or not of this feed: read it anew")
}

fn one_more(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1)
}

/// The end of a lane as a cursor. Numbers below a committed one are committed: none comes in later.
///
/// # Errors
/// The database's.
pub async fn head(pool: &AnyPool, generation: &str, lane: &str) -> Result<String, sqlx::Error> {
    Ok(end(pool, generation, lane).await?.text())
}

async fn end(pool: &AnyPool, generation: &str, lane: &str) -> Result<Place, sqlx::Error> {
    let sql = "SELECT number, mark FROM feed WHERE lane = $1 ORDER BY number DESC LIMIT 1";
    let row = sqlx::query(sql).bind(lane).fetch_optional(pool).await?;
    let (number, mark) = match row {
        Some(row) => (row.try_get(0)?, row.try_get(1)?),
        None => (0, String::new()),
    };
    Ok(Place { generation: generation.to_owned(), number, mark })
}

/// A page of a lane's records as they are now. One that changes while the pages are read may come in its
/// new form, and comes again after the cursor: applying it twice is the same.
///
/// # Errors
/// 400 `invalid_cursor`; 410 `resync_required` when the feed became another one between two pages.
pub async fn snapshot(
    pool: &AnyPool,
    reader: &Reader<'_>,
    lane: &str,
    at: Option<&Cursor>,
    limit: usize,
) -> Result<Snapshot, Failure> {
    let bookmark: Bookmark = match at {
        Some(at) => at.read()?,
        None => {
            let after = (String::new(), String::new(), String::new());
            Bookmark { cursor: head(pool, reader.generation, lane).await?, after }
        }
    };
    let fixed = reader.parsed(&bookmark.cursor)?;
    let limit = limit.min(PAGE_MAX);
    let sql = format!(
        "SELECT {COLUMNS} FROM feed_now n JOIN feed f ON f.lane = n.lane AND f.number = n.number \
         WHERE n.lane = $1 AND n.store_id IN ('', $2) AND f.deleted = 0 \
         AND (n.kind, n.id, n.store_id) > ($3, $4, $5) ORDER BY n.kind, n.id, n.store_id LIMIT $6"
    );
    let (kind, id, store_id) = bookmark.after;
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(lane).bind(reader.store_id);
    let rows = query.bind(kind).bind(id).bind(store_id).bind(one_more(limit)).fetch_all(pool).await?;
    reader.checked(pool, lane, &fixed).await?;
    let mut after = None;
    let mut changes = Vec::with_capacity(rows.len().min(limit));
    for row in rows.iter().take(limit) {
        after = Some((row.try_get(2)?, row.try_get(3)?, row.try_get(7)?));
        changes.push(reader.change(row)?);
    }
    let cursor = bookmark.cursor;
    let next_page = match after {
        Some(after) if rows.len() > limit => Some(page::cursor(&Bookmark { cursor: cursor.clone(), after })),
        _ => None,
    };
    Ok(Snapshot { changes, next_page, cursor })
}

/// Σ of the lanes' heads: it rises with every change.
///
/// # Errors
/// The database's.
pub async fn height(pool: &AnyPool) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("SELECT CAST(SUM(head) AS BIGINT) FROM feed_lanes").fetch_one(pool).await
}
