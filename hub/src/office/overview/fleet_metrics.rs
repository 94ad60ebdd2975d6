//! State of stores, the database and backups as Prometheus text, read for each request. The tables that are read do not
//! grow with time: they have few rows for each store, or rows for open problems only.

use crate::columns;
use crate::db::Db;
use crate::office::stores::problem::DRILL_AGE_MS_MAX;
use crate::table::drill;
use domain::model::base::time::UtcMs;
use sqlx::{AnyPool, Error};
use std::fmt::Write;

/// A store is silent after this time without a call, in milliseconds, as in its list of problems.
const SILENT_MS: i64 = 5 * 60 * 1000;

/// Metrics of the stores, of the pool of connections, of backups, and of the program itself.
pub async fn text(db: &Db, now: UtcMs) -> Result<String, Error> {
    let pool = db.pool();
    let mut text = String::new();
    let version = vec![(edge::VERSION.to_owned(), 1)];
    labelled_gauge(&mut text, ("hub_build_info", "version"), "1, with the version of the program", version);
    labelled_gauge(&mut text, ("hub_stores", "state"), "Stores by state", stores(pool, now).await?);
    let drills = drills(pool, now).await?;
    labelled_gauge(&mut text, ("hub_store_backups", "state"), "Stores by the state of their backups", drills);
    let (pending, oldest) = pending(pool).await?;
    gauge(
        &mut text,
        "hub_pending_records",
        "Records that stores had not sent when they last connected",
        pending,
    );
    let waits_ms = oldest.map_or(0, |oldest| now.0.saturating_sub(oldest).max(0));
    gauge(
        &mut text,
        "hub_oldest_pending_seconds",
        "Age of the oldest record that a store had not sent when it last connected",
        waits_ms / 1000,
    );
    labelled_gauge(
        &mut text,
        ("hub_parked_records", "code"),
        "Parked records, by reason",
        parked(pool).await?,
    );
    let (size, idle) = (i64::from(pool.size()), i64::try_from(pool.num_idle()).unwrap_or(i64::MAX));
    gauge(&mut text, "hub_database_connections", "Open connections to the database", size);
    gauge(&mut text, "hub_database_connections_idle", "Open connections that nobody uses", idle);
    gauge(
        &mut text,
        "hub_database_writers_waiting",
        "Changes that wait for a connection",
        db.waiting_writers(),
    );
    let last =
        sqlx::query_scalar::<_, Option<i64>>("SELECT MAX(made_at) FROM backups").fetch_one(pool).await?;
    let help = "Time of the last backup of this generation, in seconds since 1970; 0 if there is none";
    gauge(&mut text, "hub_last_backup_timestamp_seconds", help, last.unwrap_or(0) / 1000);
    let drill = drill::last(pool).await?;
    let ok = drill.as_ref().is_some_and(|drill| drill.problem.is_none());
    let help = "1 if the last restore drill of a backup of head office succeeded";
    gauge(&mut text, "hub_backup_drill_ok", help, i64::from(ok));
    let help = "End of the last successful restore drill, in seconds since 1970; 0 if there was none";
    let succeeded_ms = drill.and_then(|drill| drill.succeeded_at).map_or(0, |at| at.0);
    gauge(&mut text, "hub_backup_drill_success_timestamp_seconds", help, succeeded_ms / 1000);
    Ok(text)
}

async fn stores(pool: &AnyPool, now: UtcMs) -> Result<Vec<(String, i64)>, Error> {
    let sql = "SELECT state, COUNT(*) AS count FROM (SELECT CASE WHEN disabled <> 0 THEN 'disabled' \
               WHEN enrolled_at IS NULL THEN 'new' WHEN COALESCE(last_seen_at, enrolled_at) < $1 THEN 'silent' \
               ELSE 'active' END AS state FROM stores WHERE kind = 'store') known GROUP BY state ORDER BY state";
    let silent_before = now.0.saturating_sub(SILENT_MS);
    let rows = sqlx::query(sql).bind(silent_before).fetch_all(pool).await?;
    rows.iter().map(|row| Ok(columns!(row => (state, count)))).collect()
}

async fn drills(pool: &AnyPool, now: UtcMs) -> Result<Vec<(String, i64)>, Error> {
    let sql = "SELECT state, COUNT(*) AS count FROM (SELECT CASE WHEN drill_problem IS NOT NULL THEN 'failed' \
               WHEN drill_succeeded_at IS NULL THEN 'never' WHEN drill_succeeded_at < $1 THEN 'old' ELSE 'checked' END \
               AS state FROM stores WHERE kind = 'store' AND disabled = 0 AND enrolled_at IS NOT NULL) known \
               GROUP BY state ORDER BY state";
    let old_before = now.0.saturating_sub(DRILL_AGE_MS_MAX);
    let rows = sqlx::query(sql).bind(old_before).fetch_all(pool).await?;
    rows.iter().map(|row| Ok(columns!(row => (state, count)))).collect()
}

async fn pending(pool: &AnyPool) -> Result<(i64, Option<i64>), Error> {
    let sql = "SELECT CAST(COALESCE(SUM(pending), 0) AS BIGINT) AS pending, MIN(oldest_pending_at) AS oldest FROM stores \
               WHERE disabled = 0";
    let row = sqlx::query(sql).fetch_one(pool).await?;
    Ok(columns!(row => (pending, oldest)))
}

async fn parked(pool: &AnyPool) -> Result<Vec<(String, i64)>, Error> {
    let sql = "SELECT code, COUNT(*) AS count FROM parked GROUP BY code ORDER BY code";
    let rows = sqlx::query(sql).fetch_all(pool).await?;
    rows.iter().map(|row| Ok(columns!(row => (code, count)))).collect()
}

/// A gauge without labels. Writing to a String can't fail.
fn gauge(text: &mut String, name: &str, help: &str, figure: i64) {
    let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {figure}\n");
}

/// A gauge with one label. Its values are written unescaped: they are codes of this program.
fn labelled_gauge(text: &mut String, (name, label): (&str, &str), help: &str, figures: Vec<(String, i64)>) {
    let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n");
    for (of, figure) in figures {
        let _ = writeln!(text, "{name}{{{label}=\"{of}\"}} {figure}");
    }
}
