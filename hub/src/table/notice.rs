//! `notices`: notices to screens, from every process. A change writes a notice in the same transaction, without a
//! number and without waiting for a lock; numbers are assigned once it is committed, so that they rise in the order in
//! which notices become visible. A notice states which thing has changed, never its new value: screens request that.

use crate::columns;
use crate::db::{Db, signed};
use crate::secret;
use domain::model::base::time::UtcMs;
use edge::clock;
use serde_json::Value;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool, Error};

/// Notices are kept for so long.
const RETENTION_MS: i64 = 3_600_000;
/// Notices that are read or numbered at once.
const CHUNK: i64 = 500;
/// The turn whose number is the newest notice's.
const TURN: &str = "notices";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A store: its name, its permission to connect, its problems.
    Store,
    /// A contradiction: found or settled.
    Exception,
    Order,
    /// The settlement of a day.
    Settlement,
    /// Rights of a user here: not sent; every stream checks its rights again.
    Access,
}

impl Kind {
    const ALL: [Self; 5] = [Self::Store, Self::Exception, Self::Order, Self::Settlement, Self::Access];

    /// The name as in events.
    pub fn name(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Exception => "exception",
            Self::Order => "order",
            Self::Settlement => "settlement",
            Self::Access => "access",
        }
    }

    /// Change by an action of the audit log. `None` if screens are not notified of it.
    fn of_action(action: &str) -> Option<Self> {
        if matches!(action, "session.opened" | "user.created" | "passkey.added") {
            return None;
        }
        match action.split_once('.')?.0 {
            "store" => Some(Self::Store),
            "exception" => Some(Self::Exception),
            "settlement" => Some(Self::Settlement),
            "session" | "user" | "passkey" => Some(Self::Access),
            _ => None,
        }
    }
}

/// Notice of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Its number, from 1.
    pub number: u64,
    pub kind: Kind,
    /// ID of the changed object. Empty if there are several.
    pub id: String,
    /// Store of the object. Empty if it has several stores or none.
    pub store_id: String,
    /// Code of the contradiction, for an exception.
    pub code: String,
}

/// Leaves a notice of a change: its kind, its ID and its store, each empty if there are several.
pub async fn tell(
    connection: &mut AnyConnection,
    kind: Kind,
    (id, store_id): (&str, &str),
) -> Result<(), Error> {
    leave(connection, kind, (id, store_id), "").await
}

/// Leaves a notice of a contradiction; an empty ID: several of this code.
pub async fn tell_exception(
    connection: &mut AnyConnection,
    (id, store_id): (&str, &str),
    code: &str,
) -> Result<(), Error> {
    leave(connection, Kind::Exception, (id, store_id), code).await
}

/// Leaves a notice of a user's action, as the audit log has it.
pub async fn tell_action(connection: &mut AnyConnection, action: &str, details: &Value) -> Result<(), Error> {
    let Some(kind) = Kind::of_action(action) else { return Ok(()) };
    let text = |name: &str| details.get(name).and_then(Value::as_str).unwrap_or_default();
    let id = match kind {
        Kind::Store => text("store_id"),
        Kind::Exception => text("exception_id"),
        Kind::Settlement => text("settlement_id"),
        Kind::Order | Kind::Access => "",
    };
    leave(connection, kind, (id, text("store_id")), text("code")).await
}

async fn leave(
    connection: &mut AnyConnection,
    kind: Kind,
    (id, store_id): (&str, &str),
    code: &str,
) -> Result<(), Error> {
    let sql = "INSERT INTO notices (notice_id, number, kind, id, store_id, code, at) VALUES ($1, 0, $2, $3, $4, $5, $6)";
    let query = sqlx::query(sql).bind(secret::mark()).bind(kind.name()).bind(id).bind(store_id).bind(code);
    query.bind(clock::now().0).execute(connection).await.map(drop)
}

/// The number of the newest notice with a number; 0 if there never was one.
pub async fn newest(pool: &AnyPool) -> Result<u64, Error> {
    let sql = "SELECT turn FROM turns WHERE name = $1";
    let turn: i64 = sqlx::query_scalar(sql).bind(TURN).fetch_one(pool).await?;
    Ok(turn.unsigned_abs())
}

/// The next notices after one, at most this many that they are read at once; a reader that finds some without a number
/// gives it to them first.
pub async fn after(db: &Db, number: u64) -> Result<Vec<Notice>, Error> {
    let found = read(db.pool(), number).await?;
    if found.iter().all(|notice| notice.number > 0) {
        return Ok(found);
    }
    give_numbers(db).await?;
    let mut found = read(db.pool(), number).await?;
    // Notices committed since then wait for the next look.
    found.retain(|notice| notice.number > 0);
    Ok(found)
}

async fn read(pool: &AnyPool, number: u64) -> Result<Vec<Notice>, Error> {
    let sql = "SELECT number, kind, id, store_id, code FROM notices WHERE number = 0 OR number > $1 \
               ORDER BY number LIMIT $2";
    let rows = sqlx::query(sql).bind(signed(number)).bind(CHUNK).fetch_all(pool).await?;
    rows.iter().map(notice).collect()
}

/// A notice of a kind that this version does not know is sent to no screen.
fn notice(row: &AnyRow) -> Result<Notice, Error> {
    let (number, kind, id): (i64, String, String) = columns!(row => (number, kind, id));
    let (store_id, code): (String, String) = columns!(row => (store_id, code));
    let kind = Kind::ALL.into_iter().find(|known| known.name() == kind).unwrap_or(Kind::Access);
    Ok(Notice { number: number.unsigned_abs(), kind, id, store_id, code })
}

/// Assigns numbers to committed notices, one process at a time: a reader that sees a number sees every lower one.
async fn give_numbers(db: &Db) -> Result<(), Error> {
    let mut write = db.write().await?;
    let sql = "UPDATE turns SET turn = turn WHERE name = $1 RETURNING turn";
    let last: i64 = sqlx::query_scalar(sql).bind(TURN).fetch_one(&mut **write).await?;
    let sql = "UPDATE notices SET number = n.number FROM (SELECT notice_id, $1 + ROW_NUMBER() OVER (ORDER BY at, notice_id) \
               AS number FROM notices WHERE number = 0) n WHERE notices.notice_id = n.notice_id";
    let numbered = sqlx::query(sql).bind(last).execute(&mut **write).await?.rows_affected();
    let sql = "UPDATE turns SET turn = turn + $2 WHERE name = $1";
    sqlx::query(sql).bind(TURN).bind(signed(numbered)).execute(&mut **write).await?;
    write.commit().await
}

/// Deletes notices that every process has read long ago.
pub async fn sweep(db: &Db, now: UtcMs) -> Result<(), Error> {
    let mut write = db.write().await?;
    let sql = "DELETE FROM notices WHERE at < $1";
    sqlx::query(sql).bind(now.0.saturating_sub(RETENTION_MS)).execute(&mut **write).await?;
    write.commit().await
}
