//! Check of the file of a SQLite database for damage.

use crate::db::Engine;
use sqlx::AnyPool;

/// Problems of the file of a SQLite database, page by page. `None` for other servers, which check their own files.
/// Other reads may give no error for a damaged page, and may never touch it.
pub async fn problems(pool: &AnyPool) -> Result<Option<Vec<String>>, sqlx::Error> {
    if Engine::of(pool.connect_options().database_url.as_str()) != Some(Engine::Sqlite) {
        return Ok(None);
    }
    let reported: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check").fetch_all(pool).await?;
    let damage = reported.into_iter().filter(|line| line != "ok");
    Ok(Some(damage.map(|line| format!("the database file: {line}")).collect()))
}
