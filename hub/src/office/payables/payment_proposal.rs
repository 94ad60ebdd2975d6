//! Payment proposals: bills that are due, and those whose discount would lapse.

use crate::db::document::decode;
use crate::db::failure::Failure;
use crate::office::payables::payment::paying;
use domain::model::base::figures::Money;
use domain::model::base::money::sum;
use domain::model::books::payables::Invoice;
use domain::rules::books::payables::discount_allowed;
use edge::ApiError;
use jiff::Span;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::{AnyConnection, Row};

/// Most bills that are looked at: the earliest due.
const BILLS_MAX: i64 = 5000;

/// Query parameters of the payment proposal.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PaymentProposalQuery")]
pub struct ProposalQuery {
    /// Day of the payment. Defaults to today.
    pub date: Option<Date>,
    /// Account to pay from: a bank's account, or account 1020 for the stores' safes. Defaults to account 1040.
    pub account: Option<String>,
}

/// An invoice to pay.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProposedPayment")]
pub struct Proposed {
    /// ID of the invoice, `inv_…`.
    invoice_id: String,
    /// Supplier of the invoice.
    supplier_id: String,
    /// Number of the invoice at head office, such as `IN-2026-000001`.
    doc_no: String,
    /// The supplier's number of the invoice.
    invoice_no: String,
    /// Date by which the invoice must be paid.
    due_date: Date,
    /// Last day of the discount. Null if it has lapsed or there is none.
    discount_until: Option<Date>,
    /// Open amount of the invoice, in minor currency units.
    open: Money,
    /// Early-payment discount that may still be taken, in minor currency units.
    discount: Money,
    /// Amount to pay: `open` − `discount`, in minor currency units.
    amount: Money,
}

/// Proposed payments.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PaymentProposal")]
pub struct Proposal {
    /// Day of the payment.
    date: Date,
    /// Account to pay from.
    account: String,
    /// Invoices to pay: first those whose discount lapses first, then those that are due first.
    items: Vec<Proposed>,
    /// Sum of the amounts to pay, in minor currency units.
    total: Money,
}

/// Invoices that are due by a day, and those with a discount that may still be taken on it.
///
/// # Errors
/// 422 for an account that does not pay, or a sum above the largest; the database's.
pub async fn proposal(
    connection: &mut AnyConnection,
    ask: ProposalQuery,
    today: Date,
) -> Result<Proposal, Failure> {
    let account = ask.account.unwrap_or_else(|| "1040".to_owned());
    paying(connection, &account).await?;
    let date = ask.date.unwrap_or(today);
    let sql = format!(
        "SELECT document FROM invoices WHERE open > 0 ORDER BY due_date, invoice_id LIMIT {BILLS_MAX}"
    );
    let mut items = Vec::new();
    for row in sqlx::query(sqlx::AssertSqlSafe(sql)).fetch_all(connection).await? {
        items.extend(proposed(decode(row.try_get("document")?)?, date));
    }
    items.sort_by(|one: &Proposed, other| place(one).cmp(&place(other)));
    let total = sum("items", items.iter().map(|item| item.amount)).map_err(ApiError::from)?;
    Ok(Proposal { date, account, items, total })
}

fn place(item: &Proposed) -> (bool, Option<Date>, Date, &str) {
    (item.discount_until.is_none(), item.discount_until, item.due_date, item.invoice_id.as_str())
}

fn proposed(invoice: Invoice, date: Date) -> Option<Proposed> {
    let discount = discount_allowed(&invoice, date).min(invoice.open);
    if invoice.due_date > date && discount == 0 {
        return None;
    }
    let last = invoice.discount_terms.filter(|_| discount > 0).and_then(|terms| {
        let days = Span::new().try_days(i64::from(terms.days)).ok()?;
        invoice.invoice_date.checked_add(days).ok()
    });
    Some(Proposed {
        invoice_id: invoice.invoice_id,
        supplier_id: invoice.supplier_id,
        doc_no: invoice.doc_no,
        invoice_no: invoice.invoice_no,
        due_date: invoice.due_date,
        discount_until: last,
        open: invoice.open,
        discount,
        amount: invoice.open.saturating_sub(discount),
    })
}
