//! Alarms: problems of a store and their start, for people.

use crate::columns;
use crate::table::notice::{self, Kind};
use domain::model::base::time::UtcMs;
use sqlx::{AnyConnection, AnyPool};

/// Hub and store hold different records at one place.
pub const DIVERGED: &str = "history_diverged";
/// A second copy of the store spoke and was fenced.
pub const FENCED: &str = "fenced";
/// Records are missing permanently.
pub const HOLE: &str = "hole";
/// Two events have one ID.
pub const REUSED: &str = "event_id_reused";
/// The store's clock runs ahead.
pub const SKEW: &str = "clock_skew";
/// Its records are stamped ahead of the hub's clock.
pub const AHEAD: &str = "stamped_ahead";
/// A hello named an epoch far above the current one.
pub const EPOCH_AHEAD: &str = "epoch_ahead";
/// A hello named more unknown epochs than a store can have made.
pub const LINEAGE: &str = "lineage_too_long";
/// More epochs took over within a day than a store can have made.
pub const TAKE_OVERS: &str = "too_many_take_overs";
/// A parked record is larger, or has a larger figure, than any command creates.
pub const OUT_OF_BOUNDS: &str = "record_out_of_bounds";
/// The reported time zone differs from the one of the store's records.
pub const TIMEZONE: &str = "timezone_changed";
/// It counts in another currency than head office.
pub const CURRENCY: &str = "currency_differs";
/// The store looked up more members in a minute than tills do.
pub const LOOKUPS: &str = "too_many_lookups";
/// The store reserved pieces for more returns at once than a shop has tills.
pub const RESERVATIONS: &str = "too_many_reservations";
/// Its newest backup can't be restored.
pub const DRILL: &str = "backup_failed";
/// Its journal is damaged on its disk.
pub const DAMAGE: &str = "journal_damaged";
/// A day's figures differ.
pub const DIGEST: &str = "digest_difference";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alarm {
    /// Stable code of the alarm.
    pub code: String,
    /// For a person; of the last time.
    pub message: String,
    /// First time of the alarm.
    pub since: UtcMs,
}

/// Raises an alarm, or counts it once more: it continues since its first time. `store_id`: a store; '' for head office;
/// the source of statements whose bank it is about.
pub async fn raise(
    connection: &mut AnyConnection,
    store_id: &str,
    code: &'static str,
    message: &str,
    now: UtcMs,
) -> Result<(), sqlx::Error> {
    tracing::error!(store_id, code, message, "alarm");
    let sql = "INSERT INTO alarms (store_id, code, message, since, last_at, count) VALUES ($1, $2, $3, $4, $4, 1) \
               ON CONFLICT (store_id, code) DO UPDATE SET message = excluded.message, \
               last_at = excluded.last_at, count = alarms.count + 1 RETURNING count";
    let message = message.replace('\0', "");
    let query = sqlx::query_scalar::<_, i64>(sql).bind(store_id).bind(code).bind(message).bind(now.0);
    match query.fetch_one(&mut *connection).await? {
        1 => tell(connection, store_id).await,
        _ => Ok(()),
    }
}

/// When an alarm was last raised. `None` if it is over.
pub async fn last_at(
    connection: &mut AnyConnection,
    store_id: &str,
    code: &'static str,
) -> Result<Option<UtcMs>, sqlx::Error> {
    let sql = "SELECT last_at FROM alarms WHERE store_id = $1 AND code = $2";
    let last = sqlx::query_scalar::<_, i64>(sql).bind(store_id).bind(code).fetch_optional(connection).await?;
    Ok(last.map(UtcMs))
}

/// Notifies screens of a store's alarms; those of a source or of the books belong to no store.
async fn tell(connection: &mut AnyConnection, store_id: &str) -> Result<(), sqlx::Error> {
    let sql = "SELECT COUNT(*) FROM stores WHERE store_id = $1";
    if sqlx::query_scalar::<_, i64>(sql).bind(store_id).fetch_one(&mut *connection).await? > 0 {
        notice::tell(connection, Kind::Store, (store_id, store_id)).await?;
    }
    Ok(())
}

pub async fn clear(
    connection: &mut AnyConnection,
    store_id: &str,
    code: &'static str,
) -> Result<(), sqlx::Error> {
    let sql = "DELETE FROM alarms WHERE store_id = $1 AND code = $2";
    let ended = sqlx::query(sql).bind(store_id).bind(code).execute(&mut *connection).await?;
    if ended.rows_affected() > 0 { tell(connection, store_id).await } else { Ok(()) }
}

/// Ends an alarm whose message speaks of that day.
pub async fn clear_of_day(
    connection: &mut AnyConnection,
    store_id: &str,
    code: &'static str,
    day: &str,
) -> Result<(), sqlx::Error> {
    let sql = "DELETE FROM alarms WHERE store_id = $1 AND code = $2 AND message LIKE $3";
    let query = sqlx::query(sql).bind(store_id).bind(code).bind(format!("{day}:%"));
    let ended = query.execute(&mut *connection).await?;
    if ended.rows_affected() > 0 { tell(connection, store_id).await } else { Ok(()) }
}

/// A store's alarms, oldest first.
pub async fn of(pool: &AnyPool, store_id: &str) -> Result<Vec<Alarm>, sqlx::Error> {
    let sql = "SELECT code, message, since FROM alarms WHERE store_id = $1 ORDER BY since, code";
    let rows = sqlx::query(sql).bind(store_id).fetch_all(pool).await?;
    let alarm = |row: &sqlx::any::AnyRow| Ok(columns!(row => Alarm { code, message, since }));
    rows.iter().map(alarm).collect()
}
