//! Lists invoices.

use crate::db::document::decode;
use crate::db::filter::{Bound, Conditions};
use domain::model::books::payables::{Invoice, InvoiceState};
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvoicesQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those of this supplier.
    pub supplier_id: Option<String>,
    /// Only those that bill something of this store.
    pub store_id: Option<String>,
    /// Only those in this state.
    pub state: Option<InvoiceState>,
    /// Only those of this day or later.
    pub from: Option<Date>,
    /// Only those of this day or earlier.
    pub to: Option<Date>,
    /// Only those due on this day or earlier.
    pub due_to: Option<Date>,
    /// Only those with this invoice number of the supplier.
    pub invoice_no: Option<String>,
}

/// Position of a page: the day and invoice of the last item before it.
pub type Bookmark = (Date, String);

/// The newest first, before a place.
pub async fn list(
    connection: &mut AnyConnection,
    ask: &InvoicesQuery,
    before: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<Invoice>, sqlx::Error> {
    let date = |date: Option<Date>| date.map(|date| date.to_string());
    let below = before.map(|(day, id)| [day.to_string(), id].map(|text| Bound::from(text.as_str())));
    let of_store = "EXISTS (SELECT 1 FROM invoice_lines l WHERE l.invoice_id = invoices.invoice_id \
                    AND l.store_id = ?)";
    let conditions = Conditions::default()
        .text("supplier_id = ?", ask.supplier_id.as_deref())
        .text(of_store, ask.store_id.as_deref())
        .text("state = ?", ask.state.map(InvoiceState::name))
        .text("invoice_date >= ?", date(ask.from).as_deref())
        .text("invoice_date <= ?", date(ask.to).as_deref())
        .text("due_date <= ?", date(ask.due_to).as_deref())
        .text("invoice_no = ?", ask.invoice_no.as_deref())
        .below(["invoice_date", "invoice_id"], below);
    let sql = format!(
        "SELECT document FROM invoices WHERE {{}} ORDER BY invoice_date DESC, invoice_id DESC LIMIT {limit}"
    );
    let one = |row: &AnyRow| decode(row.try_get("document")?);
    conditions.query(&sql).fetch_all(connection).await?.iter().map(one).collect()
}
