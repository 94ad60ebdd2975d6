//! Whether documents are numbered without a gap: each kind and year by the counter that gave the numbers.

use crate::columns;
use crate::db::column::Columns;
use serde::Deserialize;
use sqlx::{AnyConnection, AssertSqlSafe, Error};
use std::collections::BTreeMap;

/// Documents that are read at once.
const PAGE: i64 = 500;

/// Tables of documents that have a number, with their keys.
const DOCUMENTS: [(&str, &str); 4] = [
    ("purchase_orders", "po_id"),
    ("invoices", "invoice_id"),
    ("credit_notes", "credit_note_id"),
    ("supplier_payments", "payment_id"),
];

/// Fields of a document that are checked.
#[derive(Deserialize)]
struct Numbered {
    #[serde(alias = "po_no")]
    doc_no: String,
}

/// Count of the numbers of a kind and year, and the highest of them.
#[derive(Default)]
struct Given {
    count: i64,
    highest: i64,
}

/// Counts by kind and year, such as `PO-2026`.
type ByKind = BTreeMap<String, Given>;

/// Counters that are not at the number of their last document, in words.
///
/// # Errors
/// A database error.
pub async fn problems(connection: &mut AnyConnection) -> Result<Vec<String>, Error> {
    let mut given = ByKind::new();
    for (table, key) in DOCUMENTS {
        documents(connection, (table, key), &mut given).await?;
    }
    for row in sqlx::query("SELECT doc_no FROM statements").fetch_all(&mut *connection).await? {
        note(&mut given, &row.cell::<String>("doc_no")?);
    }
    let mut problems = Vec::new();
    for row in sqlx::query("SELECT kind, year, last FROM counters").fetch_all(connection).await? {
        let (kind, year, last): (String, i64, i64) = columns!(row => (kind, year, last));
        let name = format!("{kind}-{year}");
        let Given { count, highest } = given.remove(&name).unwrap_or_default();
        if (count, highest) != (last, last) {
            problems.push(format!(
                "the counter of {name} is at {last}, but its {count} documents are numbered up to {highest}"
            ));
        }
    }
    let without = |name: String| format!("documents of {name} are numbered but have no counter");
    problems.extend(given.into_keys().map(without));
    Ok(problems)
}

async fn documents(
    connection: &mut AnyConnection,
    (table, key): (&str, &str),
    given: &mut ByKind,
) -> Result<(), Error> {
    let sql =
        format!("SELECT {key} AS id, document FROM {table} WHERE {key} > $1 ORDER BY {key} LIMIT {PAGE}");
    let mut after = String::new();
    loop {
        let query = sqlx::query(AssertSqlSafe(sql.clone())).bind(after.clone());
        let rows = query.fetch_all(&mut *connection).await?;
        let Some(last) = rows.last() else { return Ok(()) };
        after = last.cell("id")?;
        for row in &rows {
            let numbered: Numbered = row.json("document")?;
            note(given, &numbered.doc_no);
        }
    }
}

/// Counts a number; an order of an older version has none.
fn note(given: &mut ByKind, doc_no: &str) {
    let Some((name, number)) = doc_no.rsplit_once('-') else { return };
    let of = given.entry(name.to_owned()).or_default();
    of.count = of.count.saturating_add(1);
    of.highest = of.highest.max(number.parse().unwrap_or_default());
}
