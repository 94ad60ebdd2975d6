//! Counts and receipts of a warehouse's last days, which arriving goods are compared with.

use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::office::warehouses::warehouse::Warehouse;
use crate::office::warehouses::warehouse_book::{CHUNK, rows};
use crate::table::{record, warehouse_rows};
use domain::model::base::ids::Sku;
use domain::model::inventory::opname::{Opname, OpnameLine};
use domain::model::inventory::receiving::{Receiving, ReceivingWarning};
use domain::rules::inventory::receiving::{COMPARED_MAX, COMPARED_MS, counted_before, repeats};
use domain::wire::record::{OpnamePosted, ReceivingPosted};
use jiff::Span;
use sqlx::AnyConnection;
use std::collections::BTreeSet;

/// Warnings about a receipt, as a store has them.
///
/// # Errors
/// A database error.
pub async fn of_receipt(
    connection: &mut AnyConnection,
    warehouse: &Warehouse<'_>,
    receipt: &Receiving,
) -> Result<Vec<ReceivingWarning>, Failure> {
    let skus = receipt.lines.iter().map(|line| &line.sku);
    let mut warnings = of_goods(connection, warehouse, skus).await?;
    let earlier = receipts(connection, warehouse).await?;
    warnings.extend(earlier.iter().find_map(|earlier| repeats(receipt, earlier)));
    Ok(warnings)
}

/// Warnings about these products, received now.
///
/// # Errors
/// A database error.
pub async fn of_goods(
    connection: &mut AnyConnection,
    warehouse: &Warehouse<'_>,
    skus: impl Iterator<Item = &Sku>,
) -> Result<Vec<ReceivingWarning>, Failure> {
    let skus: BTreeSet<Sku> = skus.cloned().collect();
    let mut counts = open_counts(connection, warehouse, &skus).await?;
    counts.extend(posted_counts(connection, warehouse, &skus).await?);
    Ok(counted_before(&counts, warehouse.now))
}

async fn open_counts(
    connection: &mut AnyConnection,
    warehouse: &Warehouse<'_>,
    skus: &BTreeSet<Sku>,
) -> Result<Vec<(Opname, OpnameLine)>, sqlx::Error> {
    let store_id = warehouse.store_id();
    let mut counts = Vec::new();
    for count in warehouse_rows::open_counts(connection, store_id).await? {
        let lines = warehouse_rows::count_lines_of(connection, (store_id, &count.opname_id), skus).await?;
        counts.extend(lines.into_iter().map(|line| (count.clone(), line)));
    }
    Ok(counts)
}

/// Lines of posted counts that moved these products. A count that moved none of them found no difference.
async fn posted_counts(
    connection: &mut AnyConnection,
    warehouse: &Warehouse<'_>,
    skus: &BTreeSet<Sku>,
) -> Result<Vec<(Opname, OpnameLine)>, sqlx::Error> {
    let store = warehouse.store_id().to_owned();
    let texts: Vec<String> = skus.iter().map(|sku| sku.0.clone()).collect();
    let mut events = BTreeSet::new();
    for chunk in texts.chunks(CHUNK) {
        let sql = "SELECT event_id FROM movements WHERE store_id = $1 AND business_date >= $2 \
                   AND reason = 'opname' AND sku IN";
        for row in rows(connection, sql, &[store.clone(), first_day(warehouse)], chunk).await? {
            events.insert(row.cell::<String>("event_id")?);
        }
    }
    let mut counts = Vec::new();
    for chunk in Vec::from_iter(events).chunks(CHUNK) {
        let sql = "SELECT r.record, r.encoding FROM events e JOIN records r ON r.store_id = e.store_id \
                   AND r.epoch = e.epoch AND r.seq = e.seq WHERE e.store_id = $1 AND e.event_id IN";
        for row in rows(connection, sql, std::slice::from_ref(&store), chunk).await? {
            let OpnamePosted { opname, lines, .. } = record::payload_of(&row)?;
            let named = lines.into_iter().filter(|line| skus.contains(&line.sku));
            counts.extend(named.map(|line| (opname.clone(), line)));
        }
    }
    Ok(counts)
}

/// Receipts of the last days, the newest first.
async fn receipts(
    connection: &mut AnyConnection,
    warehouse: &Warehouse<'_>,
) -> Result<Vec<Receiving>, sqlx::Error> {
    let sql = "SELECT r.record, r.encoding FROM goods_documents d \
               JOIN events e ON e.store_id = d.store_id AND e.event_id = d.event_id \
               JOIN records r ON r.store_id = e.store_id AND r.epoch = e.epoch AND r.seq = e.seq \
               WHERE d.store_id = $1 AND d.kind = 'receiving' AND d.state = 'posted' AND d.business_date >= $2 \
               ORDER BY d.business_date DESC, d.created_at DESC LIMIT $3";
    let query = sqlx::query(sql).bind(warehouse.store_id().to_owned()).bind(first_day(warehouse));
    let rows = query.bind(i64::try_from(COMPARED_MAX).unwrap_or(i64::MAX)).fetch_all(connection).await?;
    rows.iter().map(|row| record::payload_of::<ReceivingPosted>(row).map(|posted| posted.receiving)).collect()
}

/// The day before the first moment that is compared: a count is posted on another day than it was counted on if a clock
/// was set back.
fn first_day(warehouse: &Warehouse<'_>) -> String {
    let days = Span::new().days(COMPARED_MS / 86_400_000 + 1);
    let today = warehouse.today();
    today.checked_sub(days).unwrap_or(today).to_string()
}
