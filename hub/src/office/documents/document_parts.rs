//! Rows of the documents on a page of a list, one statement for each store.

use crate::db::column::Columns;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Error};
use std::collections::{BTreeMap, BTreeSet};

/// Store and event of a document, by which its rows are found.
pub type Key = (String, String);

/// Rows of these documents, in the order of their positions.
pub async fn parts<T>(
    connection: &mut AnyConnection,
    keys: impl Iterator<Item = Key>,
    select: &str,
    read: fn(&AnyRow) -> Result<T, Error>,
) -> Result<BTreeMap<Key, Vec<T>>, Error> {
    let mut events: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (store_id, event_id) in keys {
        events.entry(store_id).or_default().insert(event_id);
    }
    let mut parts: BTreeMap<Key, Vec<T>> = BTreeMap::new();
    for (store_id, events) in events {
        let places = crate::db::insert::list(2, events.len());
        let sql =
            format!("{select} WHERE store_id = $1 AND event_id IN ({places}) ORDER BY event_id, position");
        let mut query = sqlx::query(AssertSqlSafe(sql)).bind(store_id.clone());
        for event_id in events {
            query = query.bind(event_id);
        }
        for row in query.fetch_all(&mut *connection).await? {
            let key = (store_id.clone(), row.cell("event_id")?);
            parts.entry(key).or_default().push(read(&row)?);
        }
    }
    Ok(parts)
}
