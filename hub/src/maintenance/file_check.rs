//! Whether the file of a database is whole.

use crate::db::Engine;
use sqlx::AnyPool;

/// Problems of the file of a SQLite database, page by page. `None` for other servers, which check their own files. A
/// page that no query touches is read only here, and reads of a damaged file may give no error.
pub async fn problems(pool: &AnyPool) -> Result<Option<Vec<String>>, sqlx::Error> {
    if Engine::of(pool.connect_options().database_url.as_str()) != Some(Engine::Sqlite) {
        return Ok(None);
    }
    let reported: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check").fetch_all(pool).await?;
    let damage = reported.into_iter().filter(|line| line != "ok");
    Ok(Some(damage.map(|line| format!("the database file: {line}")).collect()))
}
