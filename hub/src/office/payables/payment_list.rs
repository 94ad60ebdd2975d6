//! Lists payments.

use crate::db::document::decode;
use crate::db::filter::{Bound, Conditions};
use domain::model::books::payables::{PaymentState, SupplierPayment};
use edge::page::{Cursor, Limit};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

/// Query parameters of the list.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SupplierPaymentsQuery {
    /// Items on a page.
    #[serde(default)]
    pub limit: Limit,
    /// `next_cursor` of the previous page; omitted for the first page.
    pub cursor: Option<Cursor>,
    /// Only those to this supplier.
    pub supplier_id: Option<String>,
    /// Only those in this state.
    pub state: Option<PaymentState>,
    /// Only those of this day or later.
    pub from: Option<Date>,
    /// Only those of this day or earlier.
    pub to: Option<Date>,
}

/// The newest first, before the payment of a day.
pub async fn list(
    connection: &mut AnyConnection,
    ask: &SupplierPaymentsQuery,
    before: Option<(Date, String)>,
    limit: i64,
) -> Result<Vec<SupplierPayment>, sqlx::Error> {
    let date = |date: Option<Date>| date.map(|date| date.to_string());
    let below = before.map(|(day, id)| [day.to_string(), id].map(|text| Bound::from(text.as_str())));
    let conditions = Conditions::default()
        .text("supplier_id = ?", ask.supplier_id.as_deref())
        .text("state = ?", ask.state.map(PaymentState::name))
        .text("payment_date >= ?", date(ask.from).as_deref())
        .text("payment_date <= ?", date(ask.to).as_deref())
        .below(["payment_date", "payment_id"], below);
    let sql = format!(
        "SELECT document FROM supplier_payments WHERE {{}} ORDER BY payment_date DESC, payment_id DESC LIMIT {limit}"
    );
    let one = |row: &AnyRow| decode(row.try_get("document")?);
    conditions.query(&sql).fetch_all(connection).await?.iter().map(one).collect()
}
