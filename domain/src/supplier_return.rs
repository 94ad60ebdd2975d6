//! Supplier returns: goods back to where they came from, out of stock at the average.

use crate::event::Event;
use crate::fields::{Fields, REFERENCE_BYTES_MAX, TEXT_BYTES_MAX};
use crate::ids::{MovementId, Sku, StoreId, SupplierReturnId, UserId};
use crate::money::{figure, product as times, sum};
use crate::product::{Product, SKU_BYTES_MAX, tracked};
use crate::record;
use crate::refusal::Refusal;
use crate::sale::{ITEMS_MAX, PRICE_MAX, QTY_MAX};
use crate::stock::{MovementReason, StockPlace, StockRoom, enough_damaged};
use crate::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `POST /supplier-returns`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSupplierReturn {
    /// The supplier.
    pub supplier_id: String,
    /// The receipt that they came with.
    pub reference: Option<String>,
    /// What the goods are taken from: those that can be sold, or those that were put aside.
    #[serde(default)]
    pub bucket: StockPlace,
    /// What goes back, 1–500.
    pub lines: Vec<NewSupplierReturnLine>,
    /// A note.
    pub note: Option<String>,
}

/// One sku.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSupplierReturnLine {
    /// The product.
    pub sku: Sku,
    /// Pieces.
    pub qty: i64,
    /// What is claimed per piece; none: the average.
    pub unit_cost: Option<i64>,
}

/// One sku that went back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SupplierReturnLine {
    /// 1-based.
    pub line_no: u32,
    /// The product.
    pub sku: Sku,
    /// Its name at the time.
    pub name: String,
    /// Pieces.
    pub qty: i64,
    /// What the supplier owes for them.
    pub claim: i64,
    /// What they left the stock with.
    pub stock_cost: i64,
    /// Afterwards on hand, or put aside, wherever they were taken from.
    pub balance_after: i64,
}

/// A posted supplier return.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SupplierReturn {
    /// `srt_…`
    pub supplier_return_id: SupplierReturnId,
    /// The shop.
    pub store_id: StoreId,
    /// The supplier.
    pub supplier_id: String,
    /// The receipt that they came with.
    pub reference: Option<String>,
    /// What the goods were taken from.
    pub bucket: StockPlace,
    /// What went back.
    pub lines: Vec<SupplierReturnLine>,
    /// Σ claims.
    pub claim: i64,
    /// Σ stock costs; the difference is purchase variance.
    pub stock_cost: i64,
    /// A note.
    pub note: Option<String>,
    /// By its own time.
    pub business_date: jiff::civil::Date,
    /// Who.
    pub created_by: UserId,
    /// When.
    pub created_at: UtcMs,
}

impl NewSupplierReturn {
    fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        fields.id("supplier_id", &self.supplier_id);
        fields.text("reference", self.reference.as_deref(), REFERENCE_BYTES_MAX);
        fields.text("note", self.note.as_deref(), TEXT_BYTES_MAX);
        fields.count("lines", self.lines.len(), 1..=ITEMS_MAX);
        for (place, line) in self.lines.iter().take(ITEMS_MAX).enumerate() {
            fields.name(format!("lines[{place}].sku"), line.sku.as_str(), SKU_BYTES_MAX);
            fields.range(format!("lines[{place}].qty"), line.qty, 1..=QTY_MAX);
            fields.range_of(format!("lines[{place}].unit_cost"), line.unit_cost, 0..=PRICE_MAX);
        }
        fields.done()
    }
}

/// Sends goods back. `movement_ids` has one id per line.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `unknown_sku`, `insufficient_stock`.
pub fn give_back(
    cmd: &NewSupplierReturn,
    id: SupplierReturnId,
    movement_ids: Vec<MovementId>,
    products: &BTreeMap<Sku, Product>,
    room: &StockRoom<'_>,
) -> Result<Event, Refusal> {
    cmd.check()?;
    room.mandate.in_stock_room()?;
    let found = tracked(cmd.lines.iter().map(|line| &line.sku), products)?;
    let asked = cmd.lines.iter().map(|line| (&line.sku, line.qty));
    match cmd.bucket {
        StockPlace::OnHand => room.there(asked)?,
        StockPlace::Damaged => enough_damaged(asked, room.book)?,
    }
    let mut moves = room.moves("supplier_return", id.as_str(), movement_ids);
    let mut lines = Vec::with_capacity(found.len());
    for (line_no, (asked, product)) in (1_u32..).zip(cmd.lines.iter().zip(found)) {
        let unit = asked.unit_cost.unwrap_or_else(|| moves.row(&product.sku).unit_cost());
        let (stock_cost, balance_after) = match cmd.bucket {
            StockPlace::OnHand => {
                let moved = moves.send(&product.sku, line_no, asked.qty, MovementReason::Receiving)?;
                (moved.cost.saturating_neg(), moved.balance_after)
            }
            StockPlace::Damaged => {
                (moves.send_damaged(&product.sku, asked.qty)?, moves.row(&product.sku).damaged)
            }
        };
        lines.push(SupplierReturnLine {
            line_no,
            sku: product.sku.clone(),
            name: product.name.clone(),
            qty: asked.qty,
            claim: figure("lines", times(asked.qty, unit))?,
            stock_cost,
            balance_after,
        });
    }
    let (movements, stock) = moves.done();
    let document = SupplierReturn {
        supplier_return_id: id.clone(),
        store_id: room.rules.store_id.clone(),
        supplier_id: cmd.supplier_id.clone(),
        reference: cmd.reference.clone(),
        bucket: cmd.bucket,
        claim: sum("lines", lines.iter().map(|line| line.claim))?,
        stock_cost: sum("lines", lines.iter().map(|line| line.stock_cost))?,
        lines,
        note: cmd.note.clone(),
        business_date: room.today(),
        created_by: room.mandate.caller.user_id.clone(),
        created_at: room.now,
    };
    record::document_fits("lines", &document, document.lines.len())?;
    Ok(Event::SupplierReturnPosted { document: Box::new(document), movements, stock })
}
