//! Lists invoices.

use crate::db::document::decode;
use crate::db::filter::{Bound, Conditions};
use domain::model::base::time::UtcMs;
use domain::model::books::payables::{Invoice, InvoiceState};
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool, Row};

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
    /// Only those that changed at this time or later, by the hub's clock. The list then begins with the earliest change.
    pub updated_from: Option<UtcMs>,
}

/// An invoice, with the time of its last change.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ListedInvoice")]
pub struct Listed {
    #[serde(flatten)]
    pub invoice: Invoice,
    /// When the hub last changed the invoice, by its own clock.
    pub updated_at: UtcMs,
}

impl Listed {
    fn read(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self { invoice: decode(row.try_get("document")?)?, updated_at: UtcMs(row.try_get("updated_at")?) })
    }
}

/// Position of a page: the day, invoice and change of the last item before it.
pub type Bookmark = (Date, String, i64);

/// The place of an invoice.
pub fn place(item: &Listed) -> Bookmark {
    (item.invoice.invoice_date, item.invoice.invoice_id.clone(), item.updated_at.0)
}

/// One invoice.
pub async fn read(pool: &AnyPool, id: &str) -> Result<Option<Listed>, sqlx::Error> {
    let sql = "SELECT document, updated_at FROM invoices WHERE invoice_id = $1";
    sqlx::query(sql).bind(id.to_owned()).fetch_optional(pool).await?.as_ref().map(Listed::read).transpose()
}

/// Order of changes.
const CHANGED: [&str; 2] = ["updated_at", "invoice_id"];

/// A page, after a place.
pub async fn list(
    connection: &mut AnyConnection,
    ask: &InvoicesQuery,
    before: Option<Bookmark>,
    limit: i64,
) -> Result<Vec<Listed>, sqlx::Error> {
    let (conditions, sql) = statement(ask, before, limit);
    conditions.query(&sql).fetch_all(connection).await?.iter().map(Listed::read).collect()
}

/// The statement of a page with its parameters: the newest first, or by change.
pub fn statement(ask: &InvoicesQuery, before: Option<Bookmark>, limit: i64) -> (Conditions, String) {
    let date = |date: Option<Date>| date.map(|date| date.to_string());
    let places = before.map(|(day, id, updated_at)| {
        let [day, id] = [day.to_string(), id].map(|text| Bound::from(text.as_str()));
        ([day, id.clone()], [updated_at.into(), id])
    });
    let (below, after) = places.unzip();
    // SQLite considers all indexes equal: a condition that must not be used for the look-up is cast.
    let [invoice_date, due_date] = match ask.updated_from {
        Some(_) => ["CAST(invoice_date AS TEXT)", "CAST(due_date AS TEXT)"],
        None => ["invoice_date", "due_date"],
    };
    let of_store = "EXISTS (SELECT 1 FROM invoice_lines l WHERE l.invoice_id = invoices.invoice_id \
                    AND l.store_id = ?)";
    let conditions = Conditions::default()
        .text("supplier_id = ?", ask.supplier_id.as_deref())
        .text(of_store, ask.store_id.as_deref())
        .text("state = ?", ask.state.map(InvoiceState::name))
        .text(&format!("{invoice_date} >= ?"), date(ask.from).as_deref())
        .text(&format!("{invoice_date} <= ?"), date(ask.to).as_deref())
        .text(&format!("{due_date} <= ?"), date(ask.due_to).as_deref())
        .text("invoice_no = ?", ask.invoice_no.as_deref());
    let (conditions, order) = match ask.updated_from {
        Some(from) => (conditions.changed(CHANGED, from, after), CHANGED.join(", ")),
        None => {
            let order = ["invoice_date", "invoice_id"];
            (conditions.below(order, below), "invoice_date DESC, invoice_id DESC".to_owned())
        }
    };
    (
        conditions,
        format!("SELECT document, updated_at FROM invoices WHERE {{}} ORDER BY {order} LIMIT {limit}"),
    )
}
