//! The rest of a match, if a person expects it to be paid later.

use crate::columns;
use crate::db::column::Columns;
use crate::db::failure::Failure;
use crate::office::finance::writer::Writer;
use crate::office::settlement::by_method;
use crate::office::settlement::exception::View;
use crate::office::settlement::exceptions::carried::carry_items;
use crate::office::settlement::source::View as Source;
use domain::model::base::figures::Money;
use domain::rules::books::settlement::Slice;
use domain::rules::books::settlement::exception::ExceptionKind;
use jiff::civil::Date;
use sqlx::AnyConnection;
use std::collections::{BTreeMap, BTreeSet};

impl Writer<'_> {
    /// Leaves the missing amount of a match open, as an item of its own for each store and day.
    pub(super) async fn leave_open(
        &self,
        connection: &mut AnyConnection,
        found: &View,
        source: &Source,
        until: Date,
    ) -> Result<(), Failure> {
        let mut done = BTreeSet::new();
        for (store_id, item_id) in &found.items {
            let sql = "SELECT s.store_id, s.settlement_date, s.match_id, s.gross, s.fee, s.difference, s.net, s.cleared \
                       FROM match_slices s JOIN settlement_items i ON i.match_id = s.match_id \
                       AND i.store_id = s.store_id AND i.settlement_date = s.settlement_date \
                       WHERE i.store_id = $1 AND i.item_id = $2 AND s.posted = 0";
            let row = sqlx::query(sql).bind(store_id).bind(item_id).fetch_optional(&mut *connection).await?;
            let Some(row) = row else { continue };
            let (match_id, cleared) = (row.cell::<String>("match_id")?, row.json("cleared")?);
            let slice = columns!(row => Slice {
                store_id, settlement_date, gross, fee, difference, net; cleared = cleared, methods = BTreeMap::new(),
            });
            if !done.insert((slice.store_id.clone(), slice.settlement_date, match_id.clone())) {
                continue;
            }
            let fee = match found.kind {
                ExceptionKind::FeeDiffers => agreed_fee(connection, &match_id, &slice, source).await?,
                _ => slice.fee,
            };
            let place = (slice.store_id.clone(), slice.settlement_date, match_id.clone());
            let rest = shorten(connection, &match_id, slice, fee).await?;
            if rest != 0 {
                let left = split(connection, (store_id, item_id), rest).await?;
                carry_items(connection, &[(store_id.clone(), left)], until).await?;
            }
            by_method::anew(connection, &place).await?;
        }
        Ok(())
    }
}

/// Agreed fee of the payments of a slice.
async fn agreed_fee(
    connection: &mut AnyConnection,
    match_id: &str,
    slice: &Slice,
    source: &Source,
) -> Result<Money, sqlx::Error> {
    let sql =
        "SELECT amount FROM settlement_items WHERE store_id = $1 AND settlement_date = $2 AND match_id = $3";
    let query = sqlx::query(sql).bind(&slice.store_id).bind(slice.settlement_date.to_string()).bind(match_id);
    let (terms, mut fee) = (source.terms(), Money::ZERO);
    for row in query.fetch_all(connection).await? {
        fee = fee.saturating_add(terms.fee(row.cell("amount")?));
    }
    Ok(fee)
}

/// Removes the open rest from a slice and its match; returns its amount.
async fn shorten(
    connection: &mut AnyConnection,
    match_id: &str,
    mut slice: Slice,
    fee: Money,
) -> Result<Money, sqlx::Error> {
    let (fee_before, difference) = (slice.fee, slice.difference);
    let rest = slice.leave_open(fee);
    let cleared = serde_json::to_string(&slice.cleared).map_err(|error| sqlx::Error::Encode(error.into()))?;
    let sql = "UPDATE match_slices SET gross = $4, fee = $5, difference = 0, cleared = $6 \
               WHERE store_id = $1 AND settlement_date = $2 AND match_id = $3";
    let query = sqlx::query(sql).bind(&slice.store_id).bind(slice.settlement_date.to_string()).bind(match_id);
    query.bind(slice.gross.get()).bind(slice.fee.get()).bind(cleared).execute(&mut *connection).await?;
    let sql = "UPDATE settlement_matches SET gross = gross - $2, fee = fee + $3, difference = difference - $4 \
               WHERE match_id = $1";
    let query = sqlx::query(sql).bind(match_id).bind(rest.get()).bind(fee.saturating_sub(fee_before).get());
    query.bind(difference.get()).execute(connection).await?;
    Ok(rest)
}

/// Splits the item into a matched part and a rest; returns the rest's ID. A match that was
/// undone has left a rest already.
async fn split(
    connection: &mut AnyConnection,
    (store_id, item_id): (&str, &str),
    rest: Money,
) -> Result<String, sqlx::Error> {
    let mut left = format!("{item_id}#rest");
    for number in 2.. {
        let sql = "SELECT 1 FROM settlement_items WHERE store_id = $1 AND item_id = $2";
        let taken = sqlx::query(sql).bind(store_id).bind(&left).fetch_optional(&mut *connection).await?;
        if taken.is_none() {
            break;
        }
        left = format!("{item_id}#rest{number}");
    }
    let sql = "INSERT INTO settlement_items (store_id, item_id, event_id, kind, method, account, business_date, \
               settlement_date, amount, reference, document_id, receipt_no, register_id, occurred_at, state, late) \
               SELECT store_id, $4, event_id, kind, method, account, business_date, \
               settlement_date, $3, reference, document_id, receipt_no, register_id, occurred_at, 'open', late \
               FROM settlement_items WHERE store_id = $1 AND item_id = $2";
    sqlx::query(sql)
        .bind(store_id)
        .bind(item_id)
        .bind(rest.get())
        .bind(&left)
        .execute(&mut *connection)
        .await?;
    let sql = "UPDATE settlement_items SET amount = amount - $3 WHERE store_id = $1 AND item_id = $2";
    sqlx::query(sql).bind(store_id).bind(item_id).bind(rest.get()).execute(connection).await?;
    Ok(left)
}
