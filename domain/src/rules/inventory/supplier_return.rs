//! Returns to suppliers: goods leave the stock at the average cost.

use crate::model::base::event::{Event, Rows, fact};
use crate::model::base::fields::Fields;
use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{MovementId, Sku, SupplierReturnId};
use crate::model::base::limits::{
    FIGURE_MAX, ID_BYTES_MAX, ITEMS_MAX, PRICE_MAX, QTY_MAX, REFERENCE_CHARS_MAX, SKU_BYTES_MAX,
    TEXT_CHARS_MAX,
};
use crate::model::base::money::{figure, product as times, sum};
use crate::model::base::refusal::Refusal;
use crate::model::inventory::barcode::SCAN_BYTES_MAX;
use crate::model::inventory::product::Product;
use crate::model::inventory::stock::{MovementReason, StockPlace};
use crate::model::inventory::supplier_return::{SupplierReturn, SupplierReturnLine};
use crate::rules::inventory::product::tracked;
use crate::rules::inventory::receiving::check_total;
use crate::rules::inventory::stock::{Allowed, StockContext, enough_damaged};
use crate::rules::selling::sale::check_name;
use crate::wire::record;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Request body of `POST /api/supplier-returns`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSupplierReturn {
    /// Supplier that the goods are returned to.
    #[schemars(length(min = 1, max = ID_BYTES_MAX))]
    pub supplier_id: String,
    /// Receipt of the goods. Null for none.
    #[schemars(length(max = REFERENCE_CHARS_MAX))]
    pub reference: Option<String>,
    /// Stock that the goods are taken from: sellable stock, or stock that was set aside as damaged.
    #[serde(default)]
    pub bucket: StockPlace,
    /// Returned lines, 1–500.
    #[schemars(length(min = 1, max = ITEMS_MAX))]
    pub lines: Vec<NewSupplierReturnLine>,
    /// Note in free text. Null for none.
    #[schemars(length(max = TEXT_CHARS_MAX))]
    pub note: Option<String>,
}

/// Line of a new supplier return: one SKU.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSupplierReturnLine {
    /// SKU of the product. May be omitted if `code` names it.
    #[serde(default)]
    #[schemars(length(max = SKU_BYTES_MAX))]
    pub sku: Sku,
    /// Code that was scanned, in place of `sku`. `qty` then counts scans, each of as many pieces as the code stands
    /// for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = SCAN_BYTES_MAX))]
    pub code: Option<String>,
    /// Number of pieces.
    #[schemars(range(min = 1, max = QTY_MAX))]
    pub qty: Quantity,
    /// Amount claimed for one piece, in minor currency units. Defaults to the average cost of the goods if `line_total`
    /// is omitted too.
    #[schemars(range(min = 0, max = PRICE_MAX))]
    pub unit_cost: Option<Money>,
    /// Amount claimed for all pieces together, in place of `unit_cost`, in minor currency units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = FIGURE_MAX))]
    pub line_total: Option<Money>,
}

crate::rules::selling::sale::scanned!(NewSupplierReturnLine, "lines", |line| vec![("qty", &mut line.qty)]);

impl NewSupplierReturn {
    /// Checks that need no data of the store.
    ///
    /// # Errors
    /// `validation_failed` with every field that is wrong.
    pub fn check(&self) -> Result<(), Refusal> {
        let mut fields = Fields::default();
        fields.id("supplier_id", &self.supplier_id);
        fields.text("reference", self.reference.as_deref(), REFERENCE_CHARS_MAX);
        fields.text("note", self.note.as_deref(), TEXT_CHARS_MAX);
        fields.count("lines", self.lines.len(), 1..=ITEMS_MAX);
        for (place, line) in self.lines.iter().take(ITEMS_MAX).enumerate() {
            check_name(line, place, &mut fields);
            fields.range(format!("lines[{place}].qty"), line.qty, 1..=QTY_MAX);
            fields.range_of(format!("lines[{place}].unit_cost"), line.unit_cost, 0..=PRICE_MAX);
            let costs = (line.line_total, line.unit_cost);
            check_total(&mut fields, format!("lines[{place}].line_total"), costs);
        }
        fields.done()
    }
}

/// Requires a manager if the goods cost more than the supplier owes for them, by more than a person may write off. A
/// supplier who is not on a list owes nothing, since the claim can't be checked: the whole cost is a loss.
fn within_limit(
    lines: &[SupplierReturnLine],
    is_listed: bool,
    context: &StockContext<'_>,
) -> Result<Allowed, Refusal> {
    let owed = |line: &SupplierReturnLine| if is_listed { line.claim } else { Money::ZERO };
    let lost = |line: &SupplierReturnLine| line.stock_cost.saturating_sub(owed(line)).max(Money::ZERO);
    let loss = lines.iter().fold(Money::ZERO, |sum, line| sum.saturating_add(lost(line)));
    let action = match is_listed {
        true => "returning goods for less than they cost",
        false => "returning goods of this cost to a supplier who is not in the list of suppliers",
    };
    context.write_off(loss, action)
}

/// Returns goods to a supplier. `is_listed`: the supplier is in head office's list. `movement_ids` has one ID per line.
///
/// # Errors
/// `validation_failed`, `insufficient_role`, `unknown_sku`, `insufficient_stock`, `approval_required`.
pub fn return_to_supplier(
    cmd: &NewSupplierReturn,
    id: SupplierReturnId,
    movement_ids: Vec<MovementId>,
    is_listed: bool,
    products: &BTreeMap<Sku, Product>,
    context: &StockContext<'_>,
) -> Result<Event<fact::SupplierReturnPosted>, Refusal> {
    cmd.check()?;
    context.authorization.in_stock_room()?;
    let found = tracked(cmd.lines.iter().map(|line| &line.sku), products)?;
    let asked = cmd.lines.iter().map(|line| (&line.sku, line.qty));
    match cmd.bucket {
        StockPlace::OnHand => context.require_on_hand(asked)?,
        StockPlace::Damaged => enough_damaged(asked, context.book)?,
    }
    let mut moves = context.moves("supplier_return", id.as_str(), movement_ids);
    let mut lines = Vec::with_capacity(found.len());
    for (line_no, (asked, product)) in (1_u32..).zip(cmd.lines.iter().zip(found)) {
        let (stock_cost, balance_after) = match cmd.bucket {
            StockPlace::OnHand => {
                let moved = moves.send(&product.sku, line_no, asked.qty, MovementReason::Receiving)?;
                (moved.cost.saturating_neg(), moved.balance_after)
            }
            StockPlace::Damaged => {
                (moves.send_damaged(&product.sku, asked.qty)?, moves.row(&product.sku).damaged)
            }
        };
        let claim = match (asked.line_total, asked.unit_cost) {
            (Some(total), _) => total,
            (None, Some(unit_cost)) => figure("lines", times(asked.qty, unit_cost))?,
            (None, None) => stock_cost,
        };
        lines.push(SupplierReturnLine {
            line_no,
            sku: product.sku.clone(),
            name: product.name.clone(),
            qty: asked.qty,
            claim,
            stock_cost,
            balance_after,
        });
    }
    let written_off = within_limit(&lines, is_listed, context)?.written_off;
    let rows = Rows { written_off, ..moves.done() };
    let document = SupplierReturn {
        supplier_return_id: id.clone(),
        store_id: context.rules.store_id.clone(),
        supplier_id: cmd.supplier_id.clone(),
        reference: cmd.reference.clone(),
        bucket: cmd.bucket,
        claim: sum("lines", lines.iter().map(|line| line.claim))?,
        stock_cost: sum("lines", lines.iter().map(|line| line.stock_cost))?,
        lines,
        note: cmd.note.clone(),
        business_date: context.today(),
        created_by: context.authorization.caller.user_id.clone(),
        created_at: context.now,
    };
    record::document_fits("lines", &document, document.lines.len())?;
    Ok(Event::new(fact::SupplierReturnPosted { document }, rows))
}
