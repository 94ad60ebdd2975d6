//! Whether the file of a database is whole.

use crate::db::Engine;
use sqlx::AnyPool;

/// What is wrong with the file of a SQLite database, page by page; none: another server checks its own. A page that no query
/// touches is read by nobody else, and what is read of a damaged file says nothing.
pub async fn problems(pool: &AnyPool) -> Result<Option<Vec<String>>, sqlx::Error> {
    if Engine::of(pool.connect_options().database_url.as_str()) != Some(Engine::Sqlite) {
        return Ok(None);
    }
    let told: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check").fetch_all(pool).await?;
    let damage = told.into_iter().filter(|line| line != "ok");
    Ok(Some(damage.map(|line| format!("the database's file: {line}")).collect()))
}
