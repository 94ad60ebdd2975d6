//! Table `counters`: numbers of documents for people, taken in the commit that creates the document. Table `turns`:
//! locks for decisions.

use sqlx::{AnyConnection, Error};

/// The next number of a kind in a year, for example `ST-2026-000001`.
pub async fn next(connection: &mut AnyConnection, kind: &str, year: i16) -> Result<String, Error> {
    let sql = "INSERT INTO counters (kind, year, last) VALUES ($1, $2, 1) ON CONFLICT (kind, year) \
               DO UPDATE SET last = counters.last + 1 RETURNING last";
    let query = sqlx::query_scalar(sql).bind(kind).bind(i64::from(year));
    let last: i64 = query.fetch_one(connection).await?;
    Ok(format!("{kind}-{year}-{last:06}"))
}

/// Decisions that are made one at a time.
#[derive(Debug, Clone, Copy)]
pub enum Turn {
    /// Places of categories: the depth depends on those above and below.
    Categories,
    /// Exports of the journal: each entry goes into one.
    JournalExports,
    /// Preferred suppliers of products: one takes the preference from the others.
    PreferredSuppliers,
}

/// Takes the lock of a decision until the transaction ends.
pub async fn take_turn(connection: &mut AnyConnection, what: Turn) -> Result<(), Error> {
    let name = match what {
        Turn::Categories => "categories",
        Turn::JournalExports => "journal_exports",
        Turn::PreferredSuppliers => "preferred_suppliers",
    };
    let sql = "UPDATE turns SET turn = turn + 1 WHERE name = $1";
    sqlx::query(sql).bind(name).execute(connection).await.map(drop)
}
