//! `event_log`: events for programs, which read them by number. Events are written in the transaction of the change,
//! without a number and without waiting for a lock. Numbers are assigned after the commit, so that they rise in the
//! order in which events become visible: a reader that has an event misses none with a lower number. See
//! `docs/events.md`.

use crate::columns;
use crate::db::insert::{self, NewRow};
use crate::db::{Db, signed};
use crate::row;
use domain::model::base::time::UtcMs;
use domain::wire::record::KINDS;
use edge::ids;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::any::AnyRow;
use sqlx::{Any, AnyConnection, Error, Executor};
use std::time::Duration;

/// Events are kept for so long.
pub const RETENTION: Duration = Duration::from_secs(30 * 24 * 3600);
/// Transactions that are numbered at once.
const CHUNK: i64 = 2_000;
/// The turn that has the highest number.
const TURN: &str = "event_log";
/// Numbers that a restored hub leaves out, more than it can have given since its backup was made.
const GENERATION_GAP: i64 = 1_000_000_000;
/// First parts of the actions of the audit log that are events too. All others stay in the audit log: log-ins, users,
/// keys, the hub's own operation.
const AREAS: [&str; 19] = [
    "category",
    "conflict",
    "exception",
    "finance",
    "member",
    "payment_method",
    "price",
    "product",
    "product_settings",
    "products",
    "promotion",
    "purchasing",
    "reason",
    "register",
    "settlement",
    "stock",
    "store",
    "tax_code",
    "tier",
];
/// Kinds of records that are no events: they belong to no document that can be read by ID.
const WITHOUT_DOCUMENT: [&str; 5] =
    ["audit.recorded", "receipts.skipped", "safe.opened", "stock.moved", "user.changed"];
/// A contradiction was found.
const EXCEPTION_OPENED: &str = "exception.opened";

/// An event on its way into the log.
pub struct NewEvent {
    /// Unique for ever; a record that is sent again has the same.
    pub event_id: String,
    /// `transaction.paid`, `finance.day_locked`, …
    pub kind: String,
    /// Type of the document. Empty if there are several documents.
    pub object_type: String,
    /// ID of the document. Empty if there are several.
    pub object_id: String,
    pub occurred_at: UtcMs,
}

/// Events of one store, or of head office, from one transaction.
#[derive(Default)]
pub struct NewEvents {
    /// Place of the first one.
    place: Place,
    events: Vec<NewEvent>,
}

/// Place of a transaction among those of its store.
#[derive(Default)]
pub struct Place {
    /// Empty for head office.
    pub store_id: String,
    /// Number of the epoch of the store's records; 0 for head office.
    pub epoch_no: u64,
    /// Sequence number of the first record; at head office the position in the audit log.
    pub seq: u64,
}

impl NewEvents {
    /// Appends an event; the place counts if it is the first one.
    pub fn add(&mut self, place: impl FnOnce() -> Place, event: NewEvent) {
        if self.events.is_empty() {
            self.place = place();
        }
        self.events.push(event);
    }

    /// Appends later events of the same store.
    pub fn join(&mut self, other: Self) {
        let Self { place, events } = other;
        if self.events.is_empty() {
            self.place = place;
        }
        self.events.extend(events);
    }
}

/// Writes the events of a transaction.
///
/// # Errors
/// A database error.
pub async fn write(connection: &mut AnyConnection, new: NewEvents, now: UtcMs) -> Result<(), Error> {
    let NewEvents { place: Place { store_id, epoch_no, seq }, events } = new;
    if events.is_empty() {
        return Ok(());
    }
    let commit_id = ids::new("cmt_");
    let sql = "INSERT INTO event_commits (commit_id, store_id, epoch_no, seq, events, last_no, at) \
               VALUES ($1, $2, $3, $4, $5, 0, $6)";
    let query = sqlx::query(sql).bind(&commit_id).bind(&store_id).bind(signed(epoch_no)).bind(signed(seq));
    query.bind(signed(events.len() as u64)).bind(now.0).execute(&mut *connection).await?;
    let cells = |(place, event): (i64, NewEvent)| -> NewRow {
        row! {
            store_id: store_id.as_str(), commit_id: commit_id.as_str(), place, event_id: event.event_id, type: event.kind,
            object_type: event.object_type, object_id: event.object_id, occurred_at: event.occurred_at.0,
        }
    };
    insert::rows(connection, "event_log", "", (0..).zip(events).map(cells).collect()).await
}

/// Whether an action of the audit log is an event.
pub fn is_logged(action: &str) -> bool {
    action.split_once('.').is_some_and(|(area, _)| AREAS.contains(&area))
}

/// Kinds of records that belong to a document.
pub fn logged_kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().copied().filter(|kind| !WITHOUT_DOCUMENT.contains(kind))
}

fn area_of(kind: &str) -> &str {
    kind.split('.').next().unwrap_or_default()
}

/// Writes an action of a user at head office, if it is an event.
///
/// # Errors
/// A database error.
pub async fn write_action(
    connection: &mut AnyConnection,
    position: i64,
    store_id: &str,
    event: NewEvent,
) -> Result<(), Error> {
    if !is_logged(&event.kind) {
        return Ok(());
    }
    let now = event.occurred_at;
    // Books and payables are head office's own documents, also those of one store's book.
    let store_id = if area_of(&event.kind) == "finance" { "" } else { store_id };
    let place = Place { store_id: store_id.to_owned(), epoch_no: 0, seq: position.unsigned_abs() };
    write(connection, NewEvents { place, events: vec![event] }, now).await
}

/// Writes that a contradiction was found.
///
/// # Errors
/// A database error.
pub async fn write_exception(
    connection: &mut AnyConnection,
    store_id: &str,
    exception_id: &str,
    now: UtcMs,
) -> Result<(), Error> {
    let event = NewEvent {
        event_id: ids::new("evt_"),
        kind: EXCEPTION_OPENED.to_owned(),
        object_type: "exception".to_owned(),
        object_id: exception_id.to_owned(),
        occurred_at: now,
    };
    let place = Place { store_id: store_id.to_owned(), ..Place::default() };
    write(connection, NewEvents { place, events: vec![event] }, now).await
}

/// An event with its number.
pub struct Event {
    pub event_no: i64,
    pub event_id: String,
    pub kind: String,
    pub store_id: String,
    pub object_type: String,
    pub object_id: String,
    pub occurred_at: UtcMs,
    /// When the hub stored the event.
    pub logged_at: UtcMs,
}

/// An event of the log.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LoggedEvent {
    /// Number of the event. Later events have higher numbers; some numbers are not used.
    pub event_no: i64,
    /// ID of the event. An event may come again under another number, with the same ID.
    pub event_id: String,
    /// Type of the event: the kind of a store's record, or the action of head office.
    pub r#type: String,
    /// Store that the event belongs to. Null if it belongs to none.
    pub store_id: Option<String>,
    /// Type of the document. Null if the event is about several documents.
    pub object_type: Option<String>,
    /// ID of the document. For a day: its business date. Null if the event is about several documents.
    pub object_id: Option<String>,
    /// When the event happened, by the clock of the store or of head office.
    pub occurred_at: UtcMs,
    /// When the hub stored the event.
    pub logged_at: UtcMs,
}

impl LoggedEvent {
    /// An event that is in no log, and about no document.
    pub fn without_document(event_id: String, kind: &str, now: UtcMs) -> Self {
        Self {
            event_no: 0,
            event_id,
            r#type: kind.to_owned(),
            store_id: None,
            object_type: None,
            object_id: None,
            occurred_at: now,
            logged_at: now,
        }
    }
}

impl From<Event> for LoggedEvent {
    fn from(event: Event) -> Self {
        let some = |text: String| (!text.is_empty()).then_some(text);
        Self {
            event_no: event.event_no,
            event_id: event.event_id,
            r#type: event.kind,
            store_id: some(event.store_id),
            object_type: some(event.object_type),
            object_id: some(event.object_id),
            occurred_at: event.occurred_at,
            logged_at: event.logged_at,
        }
    }
}

/// Events with a higher number, lowest first.
///
/// # Errors
/// A database error.
pub async fn after(
    executor: impl Executor<'_, Database = Any>,
    number: i64,
    limit: i64,
) -> Result<Vec<Event>, Error> {
    let sql = "SELECT c.last_no - c.events + 1 + e.place AS event_no, e.event_id, e.type AS kind, e.store_id, \
               e.object_type, e.object_id, e.occurred_at, c.at AS logged_at FROM event_commits c \
               JOIN event_log e ON e.store_id = c.store_id AND e.commit_id = c.commit_id \
               WHERE c.last_no > $1 AND c.last_no - c.events + 1 + e.place > $1 ORDER BY c.last_no, e.place LIMIT $2";
    sqlx::query(sql).bind(number).bind(limit).fetch_all(executor).await?.iter().map(event).collect()
}

fn event(row: &AnyRow) -> Result<Event, Error> {
    let (event_no, event_id, kind): (i64, String, String) = columns!(row => (event_no, event_id, kind));
    let (store_id, object_type, object_id): (String, String, String) =
        columns!(row => (store_id, object_type, object_id));
    let (occurred_at, logged_at): (i64, i64) = columns!(row => (occurred_at, logged_at));
    let (occurred_at, logged_at) = (UtcMs(occurred_at), UtcMs(logged_at));
    Ok(Event { event_no, event_id, kind, store_id, object_type, object_id, occurred_at, logged_at })
}

/// The highest number of a deleted event, and the highest number of all; 0 if there is none.
///
/// # Errors
/// A database error.
pub async fn bounds(executor: impl Executor<'_, Database = Any>) -> Result<(i64, i64), Error> {
    let sql = "SELECT t.turn AS newest, COALESCE((SELECT c.last_no - c.events FROM event_commits c \
               WHERE c.last_no > 0 ORDER BY c.last_no LIMIT 1), t.turn) AS deleted FROM turns t WHERE t.name = $1";
    let row = sqlx::query(sql).bind(TURN).fetch_one(executor).await?;
    Ok(columns!(row => (deleted, newest)))
}

/// Whether a type is the wanted one, or of the wanted area, as in `finance.*`.
pub fn is_of_type(kind: &str, wanted: &str) -> bool {
    wanted.strip_suffix('*').map_or(kind == wanted, |area| kind.starts_with(area))
}

/// Assigns numbers to committed events, one process at a time.
///
/// # Errors
/// A database error.
pub async fn give_numbers(db: &Db) -> Result<(), Error> {
    let sql = "SELECT commit_id FROM event_commits WHERE last_no = 0 LIMIT 1";
    while sqlx::query(sql).fetch_optional(db.pool()).await?.is_some() {
        number_chunk(db).await?;
    }
    Ok(())
}

async fn number_chunk(db: &Db) -> Result<(), Error> {
    let mut write = db.write().await?;
    let sql = "UPDATE turns SET turn = turn WHERE name = $1 RETURNING turn";
    let last: i64 = sqlx::query_scalar(sql).bind(TURN).fetch_one(&mut **write).await?;
    // A store's transactions commit in the order of their records, so a missing event comes later there too.
    let sql = "UPDATE event_commits SET last_no = n.number FROM (SELECT commit_id, \
               CAST($1 + SUM(events) OVER (ORDER BY store_id, epoch_no, seq, commit_id) AS BIGINT) AS number \
               FROM event_commits WHERE last_no = 0 ORDER BY store_id, epoch_no, seq, commit_id LIMIT $2) n \
               WHERE event_commits.commit_id = n.commit_id RETURNING last_no";
    let numbers: Vec<i64> = sqlx::query_scalar(sql).bind(last).bind(CHUNK).fetch_all(&mut **write).await?;
    let newest = numbers.into_iter().max().unwrap_or(last);
    let sql = "UPDATE turns SET turn = $2 WHERE name = $1";
    sqlx::query(sql).bind(TURN).bind(newest).execute(&mut **write).await?;
    write.commit().await
}

/// Leaves numbers out after the database was restored: events since its backup had numbers that a reader knows.
///
/// # Errors
/// A database error.
pub async fn begin_generation(connection: &mut AnyConnection) -> Result<(), Error> {
    let sql = "UPDATE turns SET turn = turn + $2 WHERE name = $1";
    sqlx::query(sql).bind(TURN).bind(GENERATION_GAP).execute(connection).await.map(drop)
}

/// Deletes old events.
///
/// # Errors
/// A database error.
pub async fn sweep(db: &Db, now: UtcMs) -> Result<(), Error> {
    let kept_ms = i64::try_from(RETENTION.as_millis()).unwrap_or(i64::MAX);
    let before = now.0.saturating_sub(kept_ms);
    let mut write = db.write().await?;
    for sql in [
        "DELETE FROM event_log WHERE (store_id, commit_id) IN (SELECT store_id, commit_id FROM event_commits WHERE at < $1)",
        "DELETE FROM event_commits WHERE at < $1",
    ] {
        sqlx::query(sql).bind(before).execute(&mut **write).await?;
    }
    write.commit().await
}
