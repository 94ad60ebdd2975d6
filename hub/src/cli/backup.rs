//! `backup`, `restore`, `verify` and `partition`

use crate::config::Config;
use crate::db::Engine;
use crate::maintenance::partition::{self, PARTS};
use crate::maintenance::rebuild::{self, Rebuild};
use crate::maintenance::{backup, verify};
use crate::secret::Fingerprints;
use crate::state::hub;
use anyhow::bail;
use edge::tokens::Keys;
use std::io::Write;
use std::path::Path;

/// Records between two signs of life.
const PROGRESS_EVERY: u64 = 50_000;

/// Makes a verified backup, also beside a hub that serves.
pub async fn make(config: &Config, to: &Path) -> anyhow::Result<()> {
    let (db, identity) = hub::open_db(config).await?;
    let (folder, kept) = backup::make(config, &db, &identity, to).await?;
    db.close().await;
    println!("the backup is complete and verified in {}", folder.display());
    if kept < 2 {
        println!(
            "stores keep all their records until there are two backups: make another one, and keep both"
        );
    }
    Ok(())
}

/// Restores the newest backup in a place of its own, and reports whether it is complete.
pub async fn drill(config: &Config) -> anyhow::Result<()> {
    let (db, _) = hub::open_db(config).await?;
    let result = backup::drill::run(config, &db).await;
    db.close().await;
    let result = result?;
    match (result.problem, result.backup_made_at) {
        (Some(problem), Some(at)) => bail!("the backup of {at} can't be restored: {problem}"),
        (Some(problem), None) => bail!(problem),
        (None, at) => {
            let (at, seconds) = (at.unwrap_or_default(), result.duration_ms.div_ceil(1000));
            let records = result.records_count;
            println!("the backup of {at} was restored and verified: {records} records in {seconds} s");
        }
    }
    Ok(())
}

/// Puts a backup where there is no hub.
pub async fn restore(config: &Config, from: &Path) -> anyhow::Result<()> {
    let identity = backup::restore(config, from).await?;
    println!(
        "{} was restored as generation {}: stores send the records that it lacks",
        identity.hub_id, identity.number
    );
    Ok(())
}

/// Compares the tables with the records; rebuilds the requested ones first.
pub async fn check(config: &Config, rebuilt: Option<Rebuild>) -> anyhow::Result<()> {
    let (db, _) = hub::open_db(config).await?;
    if let Some(what) = rebuilt {
        rebuild::rebuild(&db, what, &mut |store_id| println!("{store_id}: rebuilt")).await?;
    }
    let mut reported = 0;
    let mut report = verify::verify(db.pool(), &mut |records| {
        if records.saturating_sub(reported) >= PROGRESS_EVERY {
            reported = records;
            eprint!("\r{records} records");
            let _ = std::io::stderr().flush();
        }
    })
    .await?;
    db.close().await;
    keys(config, &mut report.problems);
    if report.problems.is_empty() {
        if report.file_read {
            println!("the database file is intact");
        }
        println!("{} records of {} stores: every table agrees with them", report.records, report.stores);
        return Ok(());
    }
    for problem in &report.problems {
        eprintln!("{problem}");
    }
    bail!("{} problems were found", report.problems.len());
}

/// Keys that a start would refuse.
fn keys(config: &Config, problems: &mut Vec<String>) {
    let folder = &config.storage.path;
    let (token, fingerprint) = (hub::token_key(folder), hub::fingerprint_key(folder));
    let reported = [
        (&token, Keys::load(&token, String::new()).map(drop).map_err(|error| error.to_string())),
        (&fingerprint, Fingerprints::load(&fingerprint).map(drop).map_err(|error| error.to_string())),
    ];
    for (path, loaded) in reported {
        problems.extend(loaded.err().map(|error| format!("{}: {error}", path.display())));
    }
}

/// Moves the tables that grow with the stores into parts.
pub async fn split(config: &Config) -> anyhow::Result<()> {
    let (db, _) = hub::open_db(config).await?;
    if Engine::of(&config.database.url) == Some(Engine::Sqlite) {
        println!("SQLite has no partitioned tables: nothing was changed");
        return Ok(());
    }
    let mut reported = |table: &str, rows: u64| println!("{table}: {rows} rows in {PARTS} partitions");
    let done = partition::partition(&db, config.database.connections, &mut reported).await?;
    db.close().await;
    println!("{} tables were partitioned, {} were partitioned before", done.moved, done.left);
    if let Some(locks) = done.locks_wanted {
        println!(
            "set max_locks_per_transaction of the server to {locks} or more: each partition counts as a table"
        );
    }
    Ok(())
}
