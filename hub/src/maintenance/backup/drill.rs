//! Restore drills: the newest backup is restored beside itself, into a folder and, with PostgreSQL, a database of their
//! own, verified record by record, and removed again.

use super::restore;
use crate::columns;
use crate::config::Config;
use crate::db::{Db, Engine};
use crate::maintenance::verify;
use crate::table::drill;
use anyhow::{Context, anyhow, bail, ensure};
use domain::model::base::time::UtcMs;
use domain::wire::sync::BackupDrill;
use edge::clock;
use sqlx::AssertSqlSafe;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Folder of the copy, beside the backup. It is removed afterwards, also by the next drill if one is interrupted.
const SCRATCH: &str = ".drill";
/// Free room that a drill leaves on its disk.
const SPARE_BYTES: u64 = 256 * 1024 * 1024;
/// Longest reason that is kept, in characters.
const PROBLEM_CHARS_MAX: usize = 500;

/// Restores and verifies the newest backup, and keeps the result.
///
/// # Errors
/// Another drill runs, or the result can't be kept. A failed drill is a result.
pub async fn run(config: &Config, db: &Db) -> anyhow::Result<BackupDrill> {
    let folder =
        File::open(&config.storage.path).with_context(|| config.storage.path.display().to_string())?;
    ensure!(folder.try_lock().is_ok(), "another restore drill is running");
    let begun = Instant::now();
    let sql = "SELECT folder, made_at FROM backups ORDER BY made_at DESC, backup_id DESC LIMIT 1";
    let newest: Option<(String, UtcMs)> = match sqlx::query(sql).fetch_optional(db.pool()).await? {
        Some(row) => Some(columns!(&row => (folder, made_at))),
        None => None,
    };
    let checked = match &newest {
        None => Err(anyhow!("there is no backup: run cloud-hub backup DIR")),
        Some((backup, _)) => beside(config, db, Path::new(backup)).await,
    };
    let finished_at = clock::now();
    let before = drill::last(db.pool()).await?.and_then(|drill| drill.succeeded_at);
    let result = BackupDrill {
        finished_at,
        duration_ms: begun.elapsed().as_millis().try_into().unwrap_or(u64::MAX),
        backup_made_at: newest.map(|(_, made_at)| made_at),
        records_count: *checked.as_ref().unwrap_or(&0),
        succeeded_at: if checked.is_ok() { Some(finished_at) } else { before },
        problem: checked.err().map(|error| format!("{error:#}").chars().take(PROBLEM_CHARS_MAX).collect()),
    };
    drill::keep(db, &result).await?;
    Ok(result)
}

/// Checks a backup in a place of its own, within the time limit. Gives the number of records.
async fn beside(config: &Config, db: &Db, backup: &Path) -> anyhow::Result<u64> {
    let scratch = Scratch::of(config, db, backup).await?;
    scratch.remove(db).await?;
    let limit = config.backup.drill_limit;
    let checked = match tokio::time::timeout(limit.duration(), check(&scratch, db, backup)).await {
        Ok(checked) => checked,
        Err(_) => Err(anyhow!("it was not finished within {limit} (backup.drill_limit)")),
    };
    if let Err(error) = scratch.remove(db).await {
        tracing::warn!(%error, "the copy of a restore drill could not be removed");
    }
    checked
}

async fn check(scratch: &Scratch, db: &Db, backup: &Path) -> anyhow::Result<u64> {
    scratch.check_free_space(backup)?;
    scratch.make(db).await?;
    restore(&scratch.config, backup).await?;
    let database = &scratch.config.database;
    let copy = Db::connect(&database.url, database.connections, false).await.context("the copy")?;
    let report = verify::verify(copy.pool(), &mut |_| {}).await;
    copy.close().await;
    let report = report?;
    match report.problems.first() {
        None => Ok(report.records),
        Some(problem) => bail!("{} problems were found in the copy: {problem}", report.problems.len()),
    }
}

/// The folder in which a backup is restored for the drill.
struct Scratch {
    folder: PathBuf,
    /// The settings of a hub in that place.
    config: Config,
    /// The database that is made for it. `None` with SQLite, whose file is in the folder.
    database: Option<String>,
}

impl Scratch {
    async fn of(config: &Config, db: &Db, backup: &Path) -> anyhow::Result<Self> {
        let folder = backup.parent().unwrap_or(Path::new(".")).join(SCRATCH);
        let mut config = config.clone();
        config.storage.path = folder.join("data");
        if Engine::of(&config.database.url) == Some(Engine::Sqlite) {
            config.database.url = format!("sqlite://{}", folder.join("hub.sqlite").display());
            return Ok(Self { folder, config, database: None });
        }
        let own: String =
            sqlx::query_scalar("SELECT CAST(current_database() AS TEXT)").fetch_one(db.pool()).await?;
        let name = format!("{own}_drill");
        config.database.url = with_database(&config.database.url, &name);
        Ok(Self { folder, config, database: Some(name) })
    }

    /// Refuses a drill that would fill the disk. A database server's disk can't be seen from here.
    fn check_free_space(&self, backup: &Path) -> anyhow::Result<()> {
        let mut needed = SPARE_BYTES;
        for entry in fs::read_dir(backup).with_context(|| backup.display().to_string())? {
            needed = needed.saturating_add(entry?.metadata()?.len());
        }
        let free = fs2::available_space(backup).unwrap_or(u64::MAX);
        ensure!(
            free >= needed,
            "not enough space: a restore drill needs {needed} bytes, and {free} are free ({})",
            backup.display()
        );
        Ok(())
    }

    async fn make(&self, db: &Db) -> anyhow::Result<()> {
        let Some(name) = &self.database else { return Ok(()) };
        let hint =
            "the database of the drill can't be made: the hub's role needs CREATEDB (ALTER ROLE … CREATEDB)";
        execute(db, &format!("CREATE DATABASE {}", quoted(name))).await.context(hint)
    }

    async fn remove(&self, db: &Db) -> anyhow::Result<()> {
        if let Some(name) = &self.database {
            execute(db, &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", quoted(name))).await?;
        }
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).with_context(|| self.folder.display().to_string())
            }
            _ => Ok(()),
        }
    }
}

async fn execute(db: &Db, sql: &str) -> anyhow::Result<()> {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(db.pool()).await?;
    Ok(())
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The address of another database of the same server.
fn with_database(url: &str, name: &str) -> String {
    let (place, query) = url.split_once('?').map_or((url, None), |(place, query)| (place, Some(query)));
    let (scheme, rest) = place.split_once("://").unwrap_or(("postgres", place));
    let server = rest.split('/').next().unwrap_or_default();
    let parameters = query.into_iter().flat_map(|query| query.split('&'));
    let kept: Vec<&str> = parameters.filter(|parameter| !parameter.starts_with("dbname=")).collect();
    let query = if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) };
    format!("{scheme}://{server}/{name}{query}")
}

#[cfg(test)]
mod tests {
    use super::{quoted, with_database};

    #[test]
    fn the_address_names_another_database_of_the_same_server() {
        let expected = "postgres://hub:pw@db:5433/hub_drill?sslmode=require";
        assert_eq!(with_database("postgres://hub:pw@db:5433/hub?sslmode=require", "hub_drill"), expected);
        let url = "postgres://hub:pw@db:5433?dbname=hub&sslmode=require";
        assert_eq!(with_database(url, "hub_drill"), expected);
        assert_eq!(with_database("postgres://%2Frun%2Fpg/hub", "x"), "postgres://%2Frun%2Fpg/x");
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
    }
}
