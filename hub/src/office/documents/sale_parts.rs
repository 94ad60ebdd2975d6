//! Lines and payments of the sales on a page of the list, two statements for each store.

use crate::columns;
use crate::office::documents::document_parts::{Key, parts};
use crate::office::documents::transaction::{Include, View};
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::time::UtcMs;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Error};

/// A sale in the list, with the lines and payments that `include` asks for.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListedStoreTransaction")]
pub struct Listed {
    /// The sale.
    #[serde(flatten)]
    pub sale: View,
    /// Lines of the sale, in their order. Only with `include=items`.
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<Item>>,
    /// Payments of the sale that count, without corrected ones, in their order. Only with `include=payments`.
    #[serde(skip_serializing_if = "Option::is_none")]
    payments: Option<Vec<Payment>>,
}

/// A line of a sale in the list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListedSaleItem")]
struct Item {
    /// Code of the product.
    sku: String,
    /// Name of the product at the sale.
    name: String,
    /// Number of pieces.
    qty: Quantity,
    /// `qty` × `price`, in minor currency units.
    subtotal: Money,
    /// Discount, in minor currency units.
    discount: Money,
    /// Tax, in minor currency units.
    tax: Money,
    /// Tax code. Null if the product has none.
    tax_code: Option<String>,
    /// Tax rate in basis points.
    tax_rate_bp: i64,
    /// Total of the line, in minor currency units.
    total: Money,
}

/// A payment of a sale in the list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListedSalePayment")]
struct Payment {
    /// ID of the payment.
    payment_id: String,
    /// Payment method.
    method: String,
    /// Amount, in minor currency units.
    amount: Money,
    /// Cash rounding, in minor currency units.
    rounding: Money,
    /// Reference of the payment at its provider. Null for none.
    reference: Option<String>,
    /// When the payment was made.
    paid_at: UtcMs,
}

/// The sales of a page with their requested parts.
pub async fn with(
    connection: &mut AnyConnection,
    sales: Vec<View>,
    include: Option<Include>,
) -> Result<Vec<Listed>, Error> {
    let wants = |part| include == Some(part) || include == Some(Include::Both);
    let mut items = match wants(Include::Items) {
        true => Some(parts(connection, keys(&sales), ITEMS, item).await?),
        false => None,
    };
    let mut payments = match wants(Include::Payments) {
        true => Some(parts(connection, keys(&sales), PAYMENTS, payment).await?),
        false => None,
    };
    let listed = |sale: View| {
        let key = sale.key();
        let items = items.as_mut().map(|all| all.remove(&key).unwrap_or_default());
        let payments = payments.as_mut().map(|all| all.remove(&key).unwrap_or_default());
        Listed { sale, items, payments }
    };
    Ok(sales.into_iter().map(listed).collect())
}

fn keys(sales: &[View]) -> impl Iterator<Item = Key> {
    sales.iter().map(View::key)
}

const ITEMS: &str =
    "SELECT event_id, sku, name, qty, gross, discount, tax, tax_code, tax_rate_bp, total FROM sale_lines";
const PAYMENTS: &str =
    "SELECT event_id, payment_id, method, amount, rounding, reference, paid_at FROM payments";

fn item(row: &AnyRow) -> Result<Item, Error> {
    Ok(
        columns!(row => Item { sku, name, qty, subtotal: "gross", discount, tax, tax_code, tax_rate_bp, total }),
    )
}

fn payment(row: &AnyRow) -> Result<Payment, Error> {
    Ok(columns!(row => Payment { payment_id, method, amount, rounding, reference, paid_at }))
}
