//! Records of head office that are kept as documents: read, listed and written alike.

use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::{AnyConnection, AnyPool};

/// Documents that are looked at together.
const LOOKED_AT: i64 = 500;

/// A table of documents with a text key.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// One document by its key, locked until the transaction ends.
    pub locked: &'static str,
    /// One document by its key.
    pub read: &'static str,
    /// Documents after a key, by key: `$1` the key, `$2` how many.
    pub list: &'static str,
}

/// The table of that name and key; a document is locked by a write that changes nothing.
macro_rules! table {
    ($name:literal, $key:literal) => {
        $crate::db::document::Table {
            locked: concat!(
                "UPDATE ",
                $name,
                " SET ",
                $key,
                " = ",
                $key,
                " WHERE ",
                $key,
                " = $1 RETURNING document"
            ),
            read: concat!("SELECT document FROM ", $name, " WHERE ", $key, " = $1"),
            list: concat!(
                "SELECT document FROM ",
                $name,
                " WHERE ",
                $key,
                " > $1 ORDER BY ",
                $key,
                " LIMIT $2"
            ),
        }
    };
}
pub(crate) use table;

/// A value as it is stored.
///
/// # Errors
/// Never, for types that are JSON.
pub fn encode<T: Serialize>(value: &T) -> Result<String, sqlx::Error> {
    serde_json::to_string(value).map_err(|error| sqlx::Error::Encode(error.into()))
}

/// A stored value.
///
/// # Errors
/// The row is damaged.
pub fn decode<T: DeserializeOwned>(text: &str) -> Result<T, sqlx::Error> {
    serde_json::from_str(text).map_err(|error| sqlx::Error::Decode(error.into()))
}

impl Table {
    /// One document, locked until the transaction ends.
    pub async fn locked<T: DeserializeOwned>(
        &self,
        connection: &mut AnyConnection,
        key: &str,
    ) -> Result<Option<T>, sqlx::Error> {
        let text: Option<String> =
            sqlx::query_scalar(self.locked).bind(key).fetch_optional(connection).await?;
        text.map(|text| decode(&text)).transpose()
    }

    pub async fn read<T: DeserializeOwned>(
        &self,
        pool: &AnyPool,
        key: &str,
    ) -> Result<Option<T>, sqlx::Error> {
        let text: Option<String> = sqlx::query_scalar(self.read).bind(key).fetch_optional(pool).await?;
        text.map(|text| decode(&text)).transpose()
    }

    /// A page of the documents that are wanted, of a table that is short enough to be looked through.
    pub async fn list_where<T: DeserializeOwned>(
        &self,
        pool: &AnyPool,
        after: &str,
        limit: i64,
        key: fn(&T) -> &str,
        wanted: impl Fn(&T) -> bool,
    ) -> Result<Vec<T>, sqlx::Error> {
        let (mut after, mut found) = (after.to_owned(), Vec::new());
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        loop {
            let page: Vec<T> = self.list(pool, &after, LOOKED_AT).await?;
            let Some(last) = page.last() else { return Ok(found) };
            key(last).clone_into(&mut after);
            found.extend(page.into_iter().filter(|document| wanted(document)));
            if found.len() >= most {
                found.truncate(most);
                return Ok(found);
            }
        }
    }

    /// A page of documents.
    pub async fn list<T: DeserializeOwned>(
        &self,
        pool: &AnyPool,
        after: &str,
        limit: i64,
    ) -> Result<Vec<T>, sqlx::Error> {
        let rows: Vec<String> = sqlx::query_scalar(self.list).bind(after).bind(limit).fetch_all(pool).await?;
        rows.iter().map(|text| decode(text)).collect()
    }
}
