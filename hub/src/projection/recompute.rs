//! What records that were applied come to, computed once more: what they post, and what they add to the rollups, from
//! themselves and what was known beside them.

use crate::db::column::Columns;
use crate::db::insert;
use crate::projection::envelope::ToPost;
use crate::projection::journal::parts;
use crate::projection::rollups::{self, RollupRecord, StoredDocuments};
use crate::table::rollup::RollupSums;
use domain::rules::books::posting::plan::Account;
use domain::rules::books::posting::{Context, RecordToPost, Row, of_record, posts};
use domain::rules::books::settlement::items_of;
use jiff::tz::TimeZone;
use sqlx::{AnyConnection, AssertSqlSafe};
use std::collections::BTreeMap;

/// What every account of every book moved on every day, and which items that left, by a name: made again of records and
/// what was known beside them. The day is the event's own, whatever day it has in the books.
pub(crate) async fn posted(
    connection: &mut AnyConnection,
    store_id: &str,
    told: &[ToPost<'_>],
) -> Result<Vec<(String, i64)>, sqlx::Error> {
    let mut figures = Vec::new();
    let (contexts, plain) = (contexts(connection, store_id, told).await?, Context::default());
    for (event_id, event) in told.iter().filter(|(_, event)| posts(&event.payload)) {
        let context = contexts.get(*event_id).unwrap_or(&plain);
        let told = RecordToPost { payload: &event.payload, store_id, moved: event.moved(), context };
        let Some(entries) = of_record(&told) else { continue };
        for (book, made, _) in parts(store_id, &entries) {
            let name = |account: Account| {
                format!("posted {book} {} {}", entries.business_date, String::from(account))
            };
            let figure = |row: &Row| row.debit.saturating_sub(row.credit);
            figures.extend(made.rows.iter().map(|row| (name(row.account), figure(row))));
        }
        let items = items_of(&event.payload).into_iter();
        for item in items.filter(|item| !context.told_before.contains_key(&item.item_id)) {
            let of = format!("{} {} {}", item.kind.name(), item.business_date, item.method);
            figures.push((format!("items {of}"), 1));
            figures.push((format!("items' amount {of}"), item.amount));
        }
    }
    Ok(figures)
}

/// What was known beside these events, where that was something.
async fn contexts(
    connection: &mut AnyConnection,
    store_id: &str,
    told: &[ToPost<'_>],
) -> Result<BTreeMap<String, Context>, sqlx::Error> {
    let mut contexts = BTreeMap::new();
    if told.is_empty() {
        return Ok(contexts);
    }
    let list = insert::list(2, told.len());
    let sql = format!(
        "SELECT event_id, context FROM posting_contexts WHERE store_id = $1 AND event_id IN ({list})"
    );
    let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(false).bind(store_id.to_owned());
    for (event_id, _) in told {
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
    told: &[ToPost<'_>],
) -> Result<RollupSums, sqlx::Error> {
    let contexts = contexts(connection, store_id, told).await?;
    let documents = StoredDocuments::all(connection, store_id, told).await?;
    let (mut sums, plain) = (RollupSums::default(), Context::default());
    for (event_id, event) in told.iter().filter(|(_, event)| posts(&event.payload)) {
        let context = contexts.get(*event_id).unwrap_or(&plain);
        let Some(day) = event.business_date else { continue };
        let told = RollupRecord {
            store_id,
            zone,
            days: (day, context.entry_date.unwrap_or(day)),
            event,
            counted: context.counted,
            stored: documents.of(event_id),
            categories: None,
            tier: context.tier.as_deref().unwrap_or_default(),
        };
        rollups::fold(&mut sums, &told);
    }
    Ok(sums)
}
