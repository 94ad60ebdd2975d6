//! Lines of the returns on a page of the list.

use crate::columns;
use crate::db::column::Columns;
use crate::office::documents::document_parts::parts;
use crate::office::documents::return_document::{Include, View};
use domain::model::base::figures::{BasisPoints, Money, Quantity};
use domain::model::selling::returns::Disposition;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Error};

/// A return in the list, with the lines that `include` asks for.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListedStoreReturn")]
pub struct Listed {
    /// The return.
    #[serde(flatten)]
    document: View,
    /// Lines of the return, in their order. Only with `include=items`.
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<Item>>,
}

/// A line of a return in the list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListedReturnItem")]
struct Item {
    /// Line of the sale. Null without a receipt.
    sold_line_no: Option<i64>,
    /// Code of the product.
    sku: String,
    /// Number of pieces.
    qty: Quantity,
    /// Tax, in minor currency units.
    tax: Money,
    /// Tax code of the sold line. Null if it has none, or if it is not known.
    tax_code: Option<String>,
    /// Tax rate in basis points.
    tax_rate_bp: BasisPoints,
    /// Amount refunded for these pieces, in minor currency units.
    refund: Money,
    /// Destination of the returned goods.
    disposition: Disposition,
}

/// The returns of a page with their requested parts.
pub async fn with(
    connection: &mut AnyConnection,
    returns: Vec<View>,
    include: Option<Include>,
) -> Result<Vec<Listed>, Error> {
    let mut items = match include {
        Some(Include::Items) => Some(parts(connection, returns.iter().map(View::key), ITEMS, item).await?),
        None => None,
    };
    let listed = |document: View| {
        let items = items.as_mut().map(|all| all.remove(&document.key()).unwrap_or_default());
        Listed { document, items }
    };
    Ok(returns.into_iter().map(listed).collect())
}

const ITEMS: &str = "SELECT event_id, sold_line_no, sku, qty, tax, tax_code, tax_rate_bp, refund, disposition \
                     FROM return_lines";

fn item(row: &AnyRow) -> Result<Item, Error> {
    let disposition = row.named("disposition")?;
    Ok(columns!(row => Item {
        sold_line_no, sku, qty, tax, tax_code, tax_rate_bp, refund; disposition = disposition,
    }))
}
