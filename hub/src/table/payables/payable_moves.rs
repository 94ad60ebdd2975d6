//! `payable_moves`: account 2010 by the documents of its debts.

use crate::db::insert;
use crate::{columns, row};
use domain::model::base::figures::Money;
use jiff::civil::Date;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Error};
use std::collections::BTreeMap;

/// Change of account 2010 by a step of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The invoice, the credit note, or the payment that is an advance.
    pub document_id: String,
    /// Store of the book.
    pub store_id: String,
    /// Additional amount that is owed. Negative if less is owed.
    pub amount: Money,
}

/// Step of the document that made the change.
#[derive(Debug, Clone, Copy)]
pub struct Step<'a> {
    /// Supplier that the money is owed to.
    pub supplier_id: &'a str,
    /// ID of the document.
    pub cause_id: &'a str,
    /// Key of the step.
    pub cause_key: &'a str,
}

/// Writes the movements of a step, each part with its day in its book.
pub async fn add(
    connection: &mut AnyConnection,
    step: Step<'_>,
    moves: &[Move],
    dates: &BTreeMap<String, Date>,
) -> Result<(), Error> {
    let mut sums: BTreeMap<(&str, &str), Money> = BTreeMap::new();
    for Move { document_id, store_id, amount } in moves {
        let sum = sums.entry((document_id.as_str(), store_id.as_str())).or_default();
        *sum = sum.saturating_add(*amount);
    }
    let rows =
        sums.into_iter().filter(|(_, amount)| *amount != 0).map(|((document_id, store_id), amount)| {
            let entry_date = dates.get(store_id).copied().unwrap_or_default().to_string();
            row! {
                cause_key: step.cause_key, document_id, store_id, cause_id: step.cause_id,
                supplier_id: step.supplier_id, entry_date, amount,
            }
        });
    insert::rows(connection, "payable_moves", "", rows.collect()).await
}

/// All that a document moved, the other way round, each part with its day.
pub async fn mirrored(connection: &mut AnyConnection, cause_id: &str) -> Result<Vec<(Date, Move)>, Error> {
    let sql = "SELECT document_id, store_id, entry_date, CAST(-SUM(amount) AS BIGINT) AS amount FROM payable_moves \
               WHERE cause_id = $1 GROUP BY document_id, store_id, entry_date";
    let rows = sqlx::query(sql).bind(cause_id.to_owned()).fetch_all(connection).await?;
    let dated = |row: &AnyRow| {
        let moved = columns!(row => Move { document_id, store_id, amount });
        Ok((columns!(row => (entry_date)), moved))
    };
    rows.iter().map(dated).collect()
}
