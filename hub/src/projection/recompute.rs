//! Computes the results of applied records once more: their postings and their part of the rollups, from the records
//! and the facts known beside them.

use crate::db::column::Columns;
use crate::db::insert;
use crate::projection::envelope::ToPost;
use crate::projection::journal::parts;
use crate::projection::rollups::{self, RollupRecord, StoredDocuments};
use crate::table::rollup::RollupSums;
use domain::model::base::figures::Money;
use domain::rules::books::posting::{Context, RecordToPost, Row, of_record, posts};
use domain::rules::books::settlement::items_of;
use jiff::tz::TimeZone;
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::{BTreeMap, BTreeSet};

/// Postings of records, made again or read back, as texts that can be compared.
#[derive(Debug, Default)]
pub(crate) struct Posted {
    /// Entries, by their book and their cause's key.
    pub entries: BTreeMap<(String, String), String>,
    /// Items that a provider or bank has to settle, by their ID: kind and amount.
    pub items: BTreeMap<String, (String, Money)>,
    /// The documents of the items.
    pub documents: BTreeSet<String>,
}

/// A line of an entry as text; it follows the entry's day.
pub(crate) fn line_words(account: &str, debit: Money, credit: Money) -> String {
    format!(" · {account} {debit}/{credit}")
}

/// An item as text without its amount: kind, method, account, day and reference.
pub(crate) fn item_words(of: [&str; 5]) -> String {
    of.join(" ")
}

/// Postings of records, made again from them and from the facts known beside them. The day is the event's own, whatever
/// day it has in the books.
pub(crate) async fn posted(
    connection: &mut AnyConnection,
    store_id: &str,
    reported: &[ToPost<'_>],
) -> Result<Posted, sqlx::Error> {
    let mut posted = Posted::default();
    let (contexts, plain) = (contexts(connection, store_id, reported).await?, Context::default());
    for (event_id, event) in reported.iter().filter(|(_, event)| posts(&event.payload)) {
        let context = contexts.get(*event_id).unwrap_or(&plain);
        let reported = RecordToPost { payload: &event.payload, store_id, moved: event.moved(), context };
        let Some(entries) = of_record(&reported) else { continue };
        for (book, made, suffix) in parts(store_id, &entries) {
            let mut words = entries.business_date.to_string();
            let line = |row: &Row| line_words(&String::from(row.account), row.debit, row.credit);
            words.extend(made.rows.iter().map(line));
            posted.entries.insert((book.to_owned(), format!("{event_id}{suffix}")), words);
        }
        let items = items_of(&event.payload).into_iter();
        for item in items.filter(|item| !context.told_before.contains_key(&item.item_id)) {
            let (account, reference) = (item.account(&context.accounts), item.reference.unwrap_or_default());
            let (account, day) = (String::from(account), item.business_date.to_string());
            let words = item_words([item.kind.name(), &item.method, &account, &day, &reference]);
            posted.documents.insert(item.document_id);
            posted.items.insert(item.item_id, (words, item.amount));
        }
    }
    Ok(posted)
}

/// Known facts beside these events, if there were any.
async fn contexts(
    connection: &mut AnyConnection,
    store_id: &str,
    reported: &[ToPost<'_>],
) -> Result<BTreeMap<String, Context>, sqlx::Error> {
    let mut contexts = BTreeMap::new();
    if reported.is_empty() {
        return Ok(contexts);
    }
    let list = insert::list(2, reported.len());
    let sql = format!(
        "SELECT event_id, context FROM posting_contexts WHERE store_id = $1 AND event_id IN ({list})"
    );
    let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(false).bind(store_id.to_owned());
    for (event_id, _) in reported {
        query = query.bind((*event_id).to_owned());
    }
    for row in query.fetch_all(connection).await? {
        contexts.insert(row.cell("event_id")?, row.json("context")?);
    }
    Ok(contexts)
}

/// The sums of records that are in the tables already.
pub(crate) async fn rollup_sums(
    connection: &mut AnyConnection,
    (store_id, zone): (&str, &TimeZone),
    reported: &[ToPost<'_>],
) -> Result<RollupSums, sqlx::Error> {
    let contexts = contexts(connection, store_id, reported).await?;
    let documents = StoredDocuments::all(connection, store_id, reported).await?;
    let (mut sums, plain) = (RollupSums::default(), Context::default());
    for (event_id, event) in reported.iter().filter(|(_, event)| posts(&event.payload)) {
        let context = contexts.get(*event_id).unwrap_or(&plain);
        let Some(day) = event.business_date else { continue };
        let reported = RollupRecord {
            store_id,
            zone,
            days: (day, context.entry_date.unwrap_or(day)),
            event,
            counted: context.counted,
            stored: documents.of(event_id),
            categories: None,
            tier: context.tier.as_deref().unwrap_or_default(),
        };
        rollups::fold(&mut sums, &reported);
    }
    Ok(sums)
}
