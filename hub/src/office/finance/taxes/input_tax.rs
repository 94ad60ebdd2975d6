//! Input tax: the amounts of supplier invoices and credit notes.

use crate::columns;
use crate::db::Engine;
use crate::db::filter::Conditions;
use crate::db::guarded::guarded;
use domain::model::base::figures::{BasisPoints, Money};
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

/// Tax of suppliers' invoices at one rate.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InputTax")]
pub struct Input {
    /// Tax rate in basis points. Null for credit notes, which state no rate.
    pub tax_rate_bp: Option<BasisPoints>,
    /// Amount without tax, in minor currency units. Negative for credit notes.
    pub base: Money,
    /// Tax in minor currency units. Negative for credit notes.
    pub tax: Money,
    /// Number of invoices or credit notes.
    pub documents: i64,
}

/// Lines of invoices with the entry that posted them, and movements of credit notes: one that settles an invoice of
/// another book moves 2010 once more, without tax.
const MOVED: &str = "\
    SELECT i.tax_rate_bp, i.net AS base, i.tax, i.invoice_id AS document FROM journal j JOIN invoice_lines i \
    ON i.invoice_id = j.cause_id AND i.store_id = j.store_id WHERE j.kind = 'invoice' AND {} \
    UNION ALL SELECT NULL, l.credit - l.debit, CASE WHEN l.account = '1310' THEN l.debit - l.credit ELSE 0 END, \
    j.cause_id FROM journal j JOIN journal_lines l ON l.store_id = j.store_id AND l.entry_no = j.entry_no \
    WHERE j.kind = 'credit_note' AND j.cause_key NOT LIKE '%:apply#%' AND l.account IN ('2010', '1310') AND {}";

/// Input tax by rate, of entries that meet conditions.
pub async fn input(
    connection: &mut AnyConnection,
    conditions: Conditions,
) -> Result<Vec<Input>, sqlx::Error> {
    let sql = format!(
        "SELECT tax_rate_bp, CAST(SUM(base) AS BIGINT) AS base, CAST(SUM(tax) AS BIGINT) AS tax, \
         CAST(COUNT(DISTINCT document) AS BIGINT) AS documents FROM ({MOVED}) moved \
         GROUP BY tax_rate_bp ORDER BY COALESCE(tax_rate_bp, 10001)"
    );
    let input = |row: &AnyRow| Ok(columns!(row => Input { tax_rate_bp, base, tax, documents }));
    let sql = guarded(Engine::of_connection(connection), &sql);
    conditions.query(&sql).fetch_all(connection).await?.iter().map(input).collect()
}
