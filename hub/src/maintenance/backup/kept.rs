//! Space for backups: the last few are kept, and none is begun that would fill the disk.

use crate::columns;
use crate::db::{Db, Engine, Write};
use crate::maintenance::backup::intact;
use anyhow::ensure;
use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// Free room that a backup leaves on its disk: the database may be there too.
const SPARE_BYTES: u64 = 256 * 1024 * 1024;

/// Refuses before anything is written where a copy of the database would fill the disk.
pub async fn check_free_space(db: &Db, url: &str, to: &Path) -> anyhow::Result<()> {
    let sql = match Engine::of(url) {
        // Packed it is smaller.
        Some(Engine::Postgres) => "SELECT pg_database_size(current_database())",
        _ => "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    };
    let bytes: i64 = sqlx::query_scalar(sql).fetch_one(db.pool()).await?;
    let needed = bytes.unsigned_abs().saturating_add(SPARE_BYTES);
    let free = fs2::available_space(to).unwrap_or(u64::MAX);
    ensure!(
        free >= needed,
        "{}: {needed} bytes are needed for a backup and to continue, but {free} are free: free some space, or \
         remove older backups",
        to.display()
    );
    Ok(())
}

/// The backups that differ from their verified contents. Reading them takes long, and a transaction would block all
/// writers meanwhile: it is done before one begins, and backups made meanwhile were just verified.
pub async fn gone(db: &Db) -> anyhow::Result<HashSet<String>> {
    let rows = sqlx::query("SELECT backup_id, folder FROM backups").fetch_all(db.pool()).await?;
    let known = rows.iter().map(|row| Ok(columns!(row => (backup_id, folder))));
    let known = known.collect::<Result<Vec<(String, String)>, sqlx::Error>>()?;
    let gone = move || {
        let gone = known.into_iter().filter(|(id, folder)| !intact(Path::new(folder), id));
        gone.map(|(id, _)| id).collect()
    };
    Ok(tokio::task::spawn_blocking(gone).await?)
}

/// Removes the oldest backups beside the new one, `made` in `folder`, so that `keep` of them stay. A backup that has
/// changed since it was made is left to a person.
pub async fn prune(
    write: &mut Write,
    made: &str,
    folder: &Path,
    keep: usize,
    gone: &HashSet<String>,
) -> anyhow::Result<()> {
    let sql =
        "SELECT backup_id, folder FROM backups WHERE backup_id <> $1 ORDER BY made_at DESC, backup_id DESC";
    let mut others = keep.saturating_sub(1);
    for row in sqlx::query(sql).bind(made).fetch_all(&mut ***write).await? {
        let (id, path): (String, String) = columns!(row => (backup_id, folder));
        let path = Path::new(&path);
        if path.parent() != folder.parent() || gone.contains(&id) || !path.exists() {
            continue;
        }
        match others.checked_sub(1) {
            Some(fewer) => others = fewer,
            None => {
                tracing::info!(folder = %path.display(), "an older backup is removed");
                fs::remove_dir_all(path)?;
            }
        }
    }
    Ok(())
}
