//! The feed: what goes down to stores, in an order that no commit can overtake.
//!
//! A lane's counter row is locked by the statement that takes numbers from it, the last step of every
//! transaction that changes something: whoever commits second has the higher numbers.

use crate::db::insert::{self, Cell};
use crate::failure::Failure;
use crate::row;
use crate::secret;
use domain::sync::Change;
use domain::time::UtcMs;
use edge::ApiError;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool, Row};

/// The lane of products.
pub const PRODUCTS: &str = "products";
/// Lanes in priority order.
pub const LANES: [&str; 1] = [PRODUCTS];
/// Most changes on a page.
pub const PAGE_MAX: usize = 500;

/// A change on its way into the feed.
pub struct Entry {
    /// `product`, …
    pub kind: &'static str,
    /// Which one.
    pub id: String,
    /// The record as JSON.
    pub payload: String,
}

/// Numbers taken from a lane; its row is locked until the transaction ends.
pub struct Ticket {
    lane: &'static str,
    first: i64,
    /// The version of everything in this transaction: a hybrid stamp, rising within a lane.
    pub version: String,
}

/// Takes `count` numbers.
///
/// # Errors
/// The database's.
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
    let (head, stamp_ms): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    let first = head.saturating_sub(count).saturating_add(1);
    Ok(Ticket { lane, first, version: format!("{stamp_ms:013}-00000-hub") })
}

/// Writes the changes under the ticket's numbers.
///
/// # Errors
/// The database's.
pub async fn append(
    connection: &mut AnyConnection,
    ticket: &Ticket,
    entries: Vec<Entry>,
) -> Result<(), sqlx::Error> {
    let one = |(number, entry): (i64, Entry)| -> Vec<Cell> {
        let version = ticket.version.as_str();
        row![
            ticket.lane,
            number,
            secret::mark(),
            entry.kind,
            entry.id,
            version,
            0,
            None::<i64>,
            entry.payload
        ]
    };
    let rows = (ticket.first..).zip(entries).map(one).collect();
    let head = "INSERT INTO feed (lane, number, mark, kind, id, version, deleted, effective_at, payload)";
    insert::rows(connection, head, "", rows).await
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

/// The changes after a cursor; from the beginning without one.
///
/// # Errors
/// 410 `resync_required` for a cursor of another generation, or naming a change that is not here.
pub async fn read(
    pool: &AnyPool,
    generation: &str,
    lane: &str,
    cursor: Option<&str>,
    limit: usize,
) -> Result<Page, Failure> {
    let place = match cursor {
        None => Place { generation: generation.to_owned(), number: 0, mark: String::new() },
        Some(text) => checked(pool, generation, lane, text).await?,
    };
    let limit = limit.min(PAGE_MAX);
    let sql = "SELECT number, mark, kind, id, version, deleted, effective_at, payload FROM feed \
               WHERE lane = $1 AND number > $2 ORDER BY number LIMIT $3";
    let extra = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
    let rows = sqlx::query(sql).bind(lane).bind(place.number).bind(extra).fetch_all(pool).await?;
    let more = rows.len() > limit;
    let changes: Vec<Change> =
        rows.iter().take(limit).map(|row| change(row, generation)).collect::<Result<_, _>>()?;
    let next_cursor = changes.last().map_or_else(|| place.text(), |change| change.cursor.clone());
    Ok(Page { changes, next_cursor, more })
}

async fn checked(pool: &AnyPool, generation: &str, lane: &str, text: &str) -> Result<Place, Failure> {
    let resync = || ApiError::new(410, "resync_required", "this cursor is not of this feed: read it anew");
    let place = Place::parse(text).filter(|place| place.generation == generation).ok_or_else(resync)?;
    if place.number > 0 {
        let sql = "SELECT COUNT(*) FROM feed WHERE lane = $1 AND number = $2 AND mark = $3";
        let query = sqlx::query_scalar::<_, i64>(sql).bind(lane).bind(place.number).bind(&place.mark);
        if query.fetch_one(pool).await? == 0 {
            return Err(resync().into());
        }
    }
    Ok(place)
}

fn change(row: &AnyRow, generation: &str) -> Result<Change, sqlx::Error> {
    let place = Place { generation: generation.to_owned(), number: row.try_get(0)?, mark: row.try_get(1)? };
    let payload = serde_json::from_str(row.try_get(7)?).map_err(|error| sqlx::Error::Decode(error.into()))?;
    Ok(Change {
        cursor: place.text(),
        kind: row.try_get(2)?,
        id: row.try_get(3)?,
        version: row.try_get(4)?,
        deleted: row.try_get::<i64, _>(5)? != 0,
        effective_at: row.try_get::<Option<i64>, _>(6)?.map(UtcMs),
        payload,
    })
}

/// Σ of the lanes' heads: it rises with every change.
///
/// # Errors
/// The database's.
pub async fn height(pool: &AnyPool) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("SELECT CAST(SUM(head) AS BIGINT) FROM feed_lanes").fetch_one(pool).await
}
