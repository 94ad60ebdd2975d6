//! Debts to suppliers at the end of a day, by age: together account 2010.

use crate::columns;
use crate::db::failure::Failure;
use crate::http::csv_rows::{self, Table};
use crate::office::reports::completeness::{self, Completeness};
use domain::model::base::currency::Currency;
use domain::model::base::figures::Money;
use domain::model::base::time::UtcMs;
use domain::rules::books::locked_days::BEGINNING;
use domain::rules::books::payables::Ageing;
use edge::csv::Separator;
use edge::{ApiError, Reply};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use sqlx::any::AnyRow;
use std::collections::BTreeMap;

/// Grouping of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PayablesGroup")]
pub enum Group {
    /// A row for each supplier.
    #[default]
    Supplier,
    /// A row for each invoice, credit note or payment in advance.
    Invoice,
}

/// Query parameters of the payables.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PayablesQuery {
    /// Day in the books. Defaults to today.
    pub as_of: Option<Date>,
    /// Only those of this supplier.
    pub supplier_id: Option<String>,
    /// Grouping of the rows.
    #[serde(default)]
    pub group_by: Group,
    /// Delimiter of the cells of a CSV answer.
    #[serde(default)]
    pub separator: Separator,
}

/// Amount owed to a supplier, or open on a document.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PayablesRow")]
struct PayablesRow {
    /// ID of the supplier.
    supplier_id: String,
    /// ID of the invoice, credit note or payment. Null for the total of a supplier.
    document_id: Option<String>,
    /// The supplier's number of the document. Null if the row has none.
    invoice_no: Option<String>,
    /// Due date of the document. Null if it has none.
    due_date: Option<Date>,
    #[serde(flatten)]
    ageing: Ageing,
}

/// Amounts owed to suppliers.
#[derive(Serialize, JsonSchema)]
pub struct Payables {
    /// Day at whose end the amounts are owed.
    as_of: Date,
    /// Rows, by supplier or by document.
    items: Vec<PayablesRow>,
    /// Sum of all rows: the balance of account 2010, whose sign is reversed in the books.
    totals: Ageing,
    /// Completeness: which stores have reported all records up to that day. Supplier returns are reported by stores.
    completeness: Completeness,
}

/// Columns of the CSV answer.
const TABLE: Table = Table {
    names: &[
        "supplier_id",
        "document_id",
        "invoice_no",
        "due_date",
        "not_due",
        "days_1_30",
        "days_31_60",
        "days_61_90",
        "days_over_90",
        "credits",
        "advances",
        "total",
    ],
    numbers: &[],
};

impl Payables {
    /// The rows as CSV.
    pub fn table(&self, form: (Separator, Currency)) -> Reply {
        csv_rows::reply(&TABLE, &self.items, form, csv_rows::completeness(self.completeness.line()))
    }
}

/// Open amount of a document.
struct Open {
    supplier_id: String,
    document_id: String,
    open: Money,
    invoice_no: Option<String>,
    due_date: Option<Date>,
    is_credit: bool,
}

/// Amounts owed at the end of a day.
///
/// # Errors
/// 422 for a day that has not come; the database's.
pub async fn payables(
    connection: &mut AnyConnection,
    ask: PayablesQuery,
    (today, now): (Date, UtcMs),
) -> Result<Payables, Failure> {
    let as_of = ask.as_of.unwrap_or(today);
    if as_of > today {
        return Err(ApiError::field("as_of", format!("must not be after today, {today}")).into());
    }
    let sql = "SELECT o.supplier_id AS supplier_id, o.document_id AS document_id, o.amount AS open, \
               i.invoice_no AS invoice_no, i.due_date AS due_date, \
               CAST(CASE WHEN c.credit_note_id IS NULL THEN 0 ELSE 1 END AS BIGINT) AS is_credit \
               FROM (SELECT supplier_id, document_id, CAST(SUM(amount) AS BIGINT) AS amount FROM payable_moves \
               WHERE entry_date <= $1 AND ($2 = '' OR supplier_id = $2) GROUP BY supplier_id, document_id \
               HAVING SUM(amount) <> 0) o LEFT JOIN invoices i ON i.invoice_id = o.document_id \
               LEFT JOIN credit_notes c ON c.credit_note_id = o.document_id \
               ORDER BY o.supplier_id, COALESCE(i.due_date, ''), o.document_id";
    let query = sqlx::query(sql).bind(as_of.to_string()).bind(ask.supplier_id.unwrap_or_default());
    let (mut rows, mut totals) = (BTreeMap::new(), Ageing::default());
    for (place, row) in query.fetch_all(&mut *connection).await?.iter().enumerate() {
        let found = open(row)?;
        let place = if ask.group_by == Group::Invoice { place } else { 0 };
        let row = rows.entry((found.supplier_id.clone(), place)).or_insert_with(|| PayablesRow {
            supplier_id: found.supplier_id.clone(),
            document_id: Some(found.document_id.clone()).filter(|_| ask.group_by == Group::Invoice),
            invoice_no: found.invoice_no.clone().filter(|_| ask.group_by == Group::Invoice),
            due_date: found.due_date.filter(|_| ask.group_by == Group::Invoice),
            ageing: Ageing::default(),
        });
        found.add(&mut row.ageing, as_of);
        found.add(&mut totals, as_of);
    }
    let completeness = completeness::of(connection, None, (BEGINNING, as_of), now).await?;
    Ok(Payables { as_of, items: rows.into_values().collect(), totals, completeness })
}

impl Open {
    fn add(&self, ageing: &mut Ageing, as_of: Date) {
        match self.due_date {
            Some(due) => ageing.owe(due, as_of, self.open),
            None if self.is_credit => ageing.credit(self.open.saturating_neg()),
            None => ageing.advance(self.open.saturating_neg()),
        }
    }
}

fn open(row: &AnyRow) -> Result<Open, sqlx::Error> {
    Ok(columns!(row => Open { supplier_id, document_id, open, invoice_no, due_date, is_credit }))
}
