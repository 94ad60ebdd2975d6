//! Suppliers' prices of products: rows of their price lists, written one by one or from a file.

use crate::db::failure::Failure;
use crate::office::suppliers::supplier::{self, Known};
use crate::office::suppliers::supplier_price_file::PriceFile;
use crate::table::counter::{Turn, take_turn};
use crate::table::product;
use crate::table::supplier_price::{TABLE, of_key, put};
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::ids::Sku;
use domain::model::base::limits::{PRICE_MAX, QTY_MAX, SKU_BYTES_MAX};
use domain::model::base::patch::Given;
use domain::model::base::refusal::{FieldProblem, Refusal};
use domain::model::base::time::UtcMs;
use domain::model::inventory::supplier_price::{SupplierPrice, SupplierPriceState};
use edge::{ApiError, ids};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use std::collections::BTreeSet;

/// The longest code of a supplier, in bytes.
const CODE_BYTES_MAX: usize = 64;
/// The most days of lead times.
const DAYS_MAX: u32 = 3650;

/// A new row of a supplier's price list.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewSupplierPrice")]
pub struct New {
    /// Product code (SKU).
    #[schemars(length(min = 1, max = SKU_BYTES_MAX))]
    pub sku: Sku,
    /// The supplier's own code of the product. Null for none.
    #[schemars(length(max = CODE_BYTES_MAX))]
    pub supplier_sku: Option<String>,
    /// Price per piece in minor currency units.
    #[schemars(range(min = 0, max = PRICE_MAX))]
    pub unit_cost: Money,
    /// Minimum quantity in pieces. Null for 1.
    #[schemars(range(min = 1, max = QTY_MAX))]
    pub min_qty: Option<Quantity>,
    /// Number of pieces in a pack. Null for 1.
    #[schemars(range(min = 1, max = QTY_MAX))]
    pub pack_qty: Option<Quantity>,
    /// First day of the price. Null if it always applied.
    pub from: Option<Date>,
    /// Last day of the price. Null if it applies until the next price.
    pub to: Option<Date>,
    /// Days from order to delivery. Null if they are not known.
    #[schemars(range(min = 0, max = DAYS_MAX))]
    pub lead_time_days: Option<u32>,
    /// Whether the product is bought from this supplier by default.
    #[serde(default)]
    pub preferred: bool,
}

/// Changes of a supplier price. Omitted fields stay as they are.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ChangeSupplierPrice")]
pub struct Change {
    /// The supplier's own code of the product. Empty for none.
    #[serde(default)]
    #[schemars(length(max = CODE_BYTES_MAX))]
    pub supplier_sku: Given<String>,
    /// Price per piece in minor currency units.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(range(min = 0, max = PRICE_MAX))]
    pub unit_cost: Option<Money>,
    /// Number of pieces in a pack.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(range(min = 1, max = QTY_MAX))]
    pub pack_qty: Option<Quantity>,
    /// Last day of the price. Null if it applies until the next price.
    #[serde(default)]
    pub to: Given<Date>,
    /// Days from order to delivery. Null for the supplier's lead time.
    #[serde(default)]
    #[schemars(range(min = 0, max = DAYS_MAX))]
    pub lead_time_days: Given<u32>,
    /// Whether the product is bought from this supplier by default.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub preferred: Option<bool>,
    /// Whether the price is valid.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub state: Option<SupplierPriceState>,
}

/// Result of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ImportedSupplierPrices")]
pub struct Imported {
    /// Number of rows in the file.
    pub rows: usize,
    /// Number of new or changed rows.
    pub changed: usize,
}

/// Problems of the figures of a row, field by field.
pub(super) fn problems(price: &SupplierPrice) -> Vec<(&'static str, &'static str)> {
    let mut wrong = Vec::new();
    let mut rule = |holds: bool, field, problem| {
        if !holds {
            wrong.push((field, problem));
        }
    };
    rule((0..=PRICE_MAX).contains(&price.unit_cost), "unit_cost", "must be 0 to 1000000000000");
    rule((1..=QTY_MAX).contains(&price.min_qty), "min_qty", "must be 1 to 1000000");
    rule((1..=QTY_MAX).contains(&price.pack_qty), "pack_qty", "must be 1 to 1000000");
    rule(price.lead_time_days.is_none_or(|days| days <= DAYS_MAX), "lead_time_days", "must be 0 to 3650");
    let in_order = !matches!((price.from, price.to), (Some(from), Some(to)) if to < from);
    rule(in_order, "to", "must not be before from");
    let code = price.supplier_sku.as_deref().unwrap_or_default();
    let fits = code.len() <= CODE_BYTES_MAX && !code.contains('\0');
    rule(fits, "supplier_sku", "must be at most 64 bytes, without NUL");
    wrong
}

fn check(price: &SupplierPrice) -> Result<(), ApiError> {
    let field =
        |(path, problem): (&str, &str)| FieldProblem { path: path.to_owned(), problem: problem.to_owned() };
    let wrong: Vec<FieldProblem> = problems(price).into_iter().map(field).collect();
    if wrong.is_empty() { Ok(()) } else { Err(ApiError::validation(&wrong)) }
}

impl New {
    pub(super) fn row(self, supplier_id: &str, now: UtcMs) -> SupplierPrice {
        SupplierPrice {
            row_id: ids::new("spp_"),
            supplier_id: supplier_id.to_owned(),
            sku: self.sku,
            supplier_sku: self.supplier_sku.filter(|code| !code.is_empty()),
            unit_cost: self.unit_cost,
            min_qty: self.min_qty.unwrap_or(Quantity::new(1)),
            pack_qty: self.pack_qty.unwrap_or(Quantity::new(1)),
            from: self.from,
            to: self.to,
            lead_time_days: self.lead_time_days,
            preferred: self.preferred,
            state: SupplierPriceState::Active,
            updated_at: now,
        }
    }
}

/// Locks the supplier's row: changes of one list are made one after the other. The same holds for changes of two
/// suppliers' lists, before either has locked a row: each product has one preferred supplier, whose rows the other
/// change writes.
async fn known(connection: &mut AnyConnection, supplier_id: &str) -> Result<(), Failure> {
    let found: Option<Known> = supplier::TABLE.locked(connection, supplier_id).await?;
    found.ok_or_else(|| ApiError::not_found("the supplier"))?;
    Ok(take_turn(connection, Turn::PreferredSuppliers).await?)
}

/// Adds a row.
///
/// # Errors
/// 404; 422; `unknown_sku`; 409 `duplicate` for a row of the same product, quantity and day.
pub async fn create(
    connection: &mut AnyConnection,
    supplier_id: &str,
    new: New,
    now: UtcMs,
) -> Result<SupplierPrice, Failure> {
    known(connection, supplier_id).await?;
    let price = new.row(supplier_id, now);
    check(&price)?;
    product::check_known(connection, &BTreeSet::from([&price.sku])).await?;
    if let Some(before) = of_key(connection, &price).await? {
        return Err(ApiError::from(Refusal::Duplicate { what: "supplier_price", id: before.row_id }).into());
    }
    put(connection, &price).await?;
    Ok(price)
}

/// Changes a row of a supplier's list: as it was, and as it is.
///
/// # Errors
/// 404; 422.
pub async fn change(
    connection: &mut AnyConnection,
    (supplier_id, row_id): (&str, &str),
    asked: Change,
    now: UtcMs,
) -> Result<[SupplierPrice; 2], Failure> {
    known(connection, supplier_id).await?;
    let found: Option<SupplierPrice> = TABLE.locked(connection, row_id).await?;
    let found = found.filter(|price| price.supplier_id == supplier_id);
    let before = found.ok_or_else(|| ApiError::not_found("the row"))?;
    let code = asked.supplier_sku.over(before.supplier_sku.clone());
    let price = SupplierPrice {
        supplier_sku: code.filter(|code| !code.is_empty()),
        unit_cost: asked.unit_cost.unwrap_or(before.unit_cost),
        pack_qty: asked.pack_qty.unwrap_or(before.pack_qty),
        to: asked.to.over(before.to),
        lead_time_days: asked.lead_time_days.over(before.lead_time_days),
        preferred: asked.preferred.unwrap_or(before.preferred),
        state: asked.state.unwrap_or(before.state),
        updated_at: now,
        ..before.clone()
    };
    check(&price)?;
    put(connection, &price).await?;
    Ok([before, price])
}

/// Imports a whole list; existing rows get the values of the file, others stay as they are.
///
/// # Errors
/// 404; `unknown_sku`; nothing is imported then.
pub async fn import(
    connection: &mut AnyConnection,
    supplier_id: &str,
    file: &PriceFile,
) -> Result<Imported, Failure> {
    known(connection, supplier_id).await?;
    product::check_known(connection, &file.rows.iter().map(|row| &row.sku).collect()).await?;
    let mut imported = Imported { rows: file.rows.len(), changed: 0 };
    for row in &file.rows {
        let before = of_key(connection, row).await?;
        let row = before.as_ref().map_or_else(|| row.clone(), |before| file.over(row, before));
        let same = before
            .is_some_and(|before| before == SupplierPrice { updated_at: before.updated_at, ..row.clone() });
        if !same {
            put(connection, &row).await?;
            imported.changed = imported.changed.saturating_add(1);
        }
    }
    Ok(imported)
}
