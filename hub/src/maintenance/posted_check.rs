//! Compares the postings with the records, one by one: each entry, and each item that a provider or bank has to settle.

use crate::columns;
use crate::db::{Engine, array};
use crate::projection::journal::entry_id;
use crate::projection::recompute::{Posted, item_words, line_words};
use domain::model::base::figures::Money;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Error};
use std::collections::{BTreeMap, BTreeSet};

/// Postings that are missing, or differ from their record, in words.
pub async fn problems(
    connection: &mut AnyConnection,
    store_id: &str,
    right: &Posted,
) -> Result<Vec<String>, Error> {
    let (entries, items) =
        (entries(connection, store_id, right).await?, items(connection, store_id, right).await?);
    let missing = || "missing".to_owned();
    let mut problems = Vec::new();
    for (key, right) in &right.entries {
        let found = entries.get(key).cloned().unwrap_or_else(missing);
        if found != *right {
            let (book, cause_key) = key;
            let id = entry_id(book, cause_key);
            problems
                .push(format!("{book}: entry {id} of {cause_key} is {found}, but its record gives {right}"));
        }
    }
    for (id, right) in &right.items {
        let found = items.get(id);
        if found != Some(right) {
            let said = |(words, amount): &(String, Money)| format!("{amount} {words}");
            let (found, right) = (found.map_or_else(missing, said), said(right));
            problems.push(format!("{store_id}: item {id} is {found}, but its record gives {right}"));
        }
    }
    Ok(problems)
}

/// These entries as the books have them.
async fn entries(
    connection: &mut AnyConnection,
    store_id: &str,
    right: &Posted,
) -> Result<BTreeMap<(String, String), String>, Error> {
    let engine = Engine::of_connection(connection);
    let sql = format!(
        "SELECT j.cause_key, COALESCE(j.reference_date, j.entry_date) AS day, l.account, l.debit, l.credit \
         FROM journal j JOIN journal_lines l ON l.store_id = j.store_id AND l.entry_no = j.entry_no \
         WHERE j.store_id = $1 AND j.cause_store_id = $2 AND j.kind = 'event' AND {} ORDER BY j.entry_no, l.line_no",
        array::among(engine, "j.cause_key", 3)
    );
    let mut found: BTreeMap<(String, String), String> = BTreeMap::new();
    for book in right.entries.keys().map(|(book, _)| book).collect::<BTreeSet<_>>() {
        let keys = right.entries.keys().filter(|(of, _)| of == book).map(|(_, key)| key.as_str());
        let query = sqlx::query(AssertSqlSafe(sql.clone())).bind(book.clone()).bind(store_id.to_owned());
        for row in query.bind(array::texts(engine, keys)?).fetch_all(&mut *connection).await? {
            let (cause_key, day, account): (String, String, String) =
                columns!(row => (cause_key, day, account));
            let (debit, credit): (Money, Money) = columns!(row => (debit, credit));
            let words = found.entry((book.clone(), cause_key)).or_insert(day);
            words.push_str(&line_words(&account, debit, credit));
        }
    }
    Ok(found)
}

/// The items of these documents as the list has them, each with the rests that it was split into.
async fn items(
    connection: &mut AnyConnection,
    store_id: &str,
    right: &Posted,
) -> Result<BTreeMap<String, (String, Money)>, Error> {
    if right.documents.is_empty() {
        return Ok(BTreeMap::new());
    }
    let engine = Engine::of_connection(connection);
    let sql = format!(
        "SELECT item_id, kind, method, account, business_date, COALESCE(reference, '') AS reference, amount \
         FROM settlement_items WHERE store_id = $1 AND {} ORDER BY item_id",
        array::among(engine, "document_id", 2)
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(store_id.to_owned());
    let documents = right.documents.iter().map(String::as_str);
    let mut found: BTreeMap<String, (String, Money)> = BTreeMap::new();
    for row in query.bind(array::texts(engine, documents)?).fetch_all(connection).await? {
        let (item_id, amount): (String, Money) = columns!(row => (item_id, amount));
        let whole = item_id.split_once("#rest").map_or(item_id.as_str(), |(whole, _)| whole);
        let (_, sum) = found.entry(whole.to_owned()).or_insert((words(&row)?, Money::ZERO));
        *sum = sum.saturating_add(amount);
    }
    Ok(found)
}

fn words(row: &AnyRow) -> Result<String, Error> {
    let (kind, method, account): (String, String, String) = columns!(row => (kind, method, account));
    let (business_date, reference): (String, String) = columns!(row => (business_date, reference));
    Ok(item_words([&kind, &method, &account, &business_date, &reference]))
}
