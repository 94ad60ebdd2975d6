//! A return as the interface shows it.

use crate::model::base::figures::{Money, Points, Quantity};
use crate::model::base::time::UtcMs;
use crate::model::people::user::Role;
use crate::model::selling::returns::{Disposition, Refund, Return, ReturnLine, ReturnState, Verification};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// `document` as `role` may see it: the cost of goods is not for cashiers.
pub fn view(document: &Return, role: Role) -> Value {
    serde_json::to_value(ReturnView::new(document, role)).unwrap_or_default()
}

/// A return with its lines.
// It serialises itself straight into an answer, without the detour by a JSON tree.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Return")]
pub struct ReturnView<'a> {
    /// ID of the return, `ret_…`.
    return_id: &'a str,
    /// Receipt number of the return.
    receipt_no: &'a str,
    /// State of the return.
    state: ReturnState,
    /// Sale that the goods are from. Null for a return without a receipt.
    transaction_id: Option<&'a str>,
    /// Receipt number of the sale, if another store made it. Null otherwise.
    origin_receipt_no: Option<&'a str>,
    /// Result of the check of another store's receipt. Null for a sale of this store, or without a receipt.
    verification: Option<Verification>,
    /// Store that took the goods back.
    store_id: &'a str,
    /// Register of the return.
    register_id: &'a str,
    /// Shift of the return.
    shift_id: &'a str,
    /// User who recorded the return.
    cashier_id: &'a str,
    /// User who approved the return. Null if no approval was needed.
    approved_by: Option<&'a str>,
    /// Member of the sale. Null if it has none.
    member_id: Option<&'a str>,
    /// Business date of the return.
    business_date: jiff::civil::Date,
    /// Whether the prices contain tax.
    prices_include_tax: bool,
    /// Returned lines.
    items: Vec<ReturnLineView<'a>>,
    /// Sum of the refunds before cash rounding, in minor currency units.
    refund_total: Money,
    /// Sum of the cash rounding of the refunds, in minor currency units.
    rounding: Money,
    /// Tax of the returned lines, in minor currency units.
    tax: Money,
    /// Refunds, one for each payment method.
    refunds: &'a [Refund],
    /// Earned points that the return takes from the member.
    points_reversed: Points,
    /// Spent points that the return gives back to the member.
    points_back: Points,
    /// Note in free text. Null for none.
    note: Option<&'a str>,
    /// When the return was recorded.
    created_at: UtcMs,
    /// When the return was voided. Null if it was not.
    voided_at: Option<UtcMs>,
    /// Reason given for voiding the return. Null if it was not voided.
    void_reason: Option<&'a str>,
}

/// A returned line: pieces of one sold line, or of one product without a receipt.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ReturnLine")]
struct ReturnLineView<'a> {
    /// Line number in the return, from 1.
    line_no: u32,
    /// Line number in the sale. Null without a receipt.
    sold_line_no: Option<u32>,
    /// Product code (SKU).
    sku: &'a str,
    /// Name of the product.
    name: &'a str,
    /// Number of returned pieces.
    qty: Quantity,
    /// Price of one piece, in minor currency units.
    price: Money,
    /// `qty` × `price`, in minor currency units.
    gross: Money,
    /// Share of these pieces in the discounts of the sold line, in minor currency units.
    discount: Money,
    /// Share of these pieces in the tax of the sold line, in minor currency units.
    tax: Money,
    /// Amount refunded for these pieces, in minor currency units.
    refund: Money,
    /// Destination of the returned goods.
    disposition: Disposition,
    /// Whether the goods went back to sellable stock: `disposition` is `restock`.
    restock: bool,
    /// Reason why the goods came back. Null if none was given.
    reason: Option<&'a str>,
    /// Pieces on hand after the return. Null if the goods did not go back to sellable stock.
    balance_after: Option<Quantity>,
    /// Cost of the goods, in minor currency units. Omitted for cashiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<Money>,
    /// Correction of the estimated cost of pieces that were sold below zero stock, in minor currency units. Omitted for
    /// cashiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    correction: Option<Money>,
}

/// Preview of a return before it is posted. Nothing has changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReturnQuote<'a> {
    /// Sale that the goods are from. Null for a return without a receipt.
    transaction_id: Option<&'a str>,
    /// Receipt number of the sale, if another store made it. Null otherwise.
    origin_receipt_no: Option<&'a str>,
    /// Result of the check of another store's receipt. Null for a sale of this store, or without a receipt.
    verification: Option<Verification>,
    /// Lines that would be returned.
    items: Vec<ReturnLineView<'a>>,
    /// Sum of the refunds before cash rounding, in minor currency units.
    refund_total: Money,
    /// Sum of the cash rounding of the refunds, in minor currency units. The customer gets `refund_total` + `rounding`.
    rounding: Money,
    /// Tax of the returned lines, in minor currency units.
    tax: Money,
    /// Refunds, one for each payment method.
    refunds: &'a [Refund],
    /// Earned points that the return would take from the member.
    points_reversed: Points,
    /// Spent points that the return would give back to the member.
    points_back: Points,
    /// Whether the caller needs a manager's approval for the return.
    approval_required: bool,
}

impl<'a> ReturnQuote<'a> {
    /// Quote of a return as it would be posted.
    pub fn new(document: &'a Return, approval_required: bool, role: Role) -> Self {
        let d = document;
        Self {
            transaction_id: d.transaction_id.as_ref().map(|id| id.as_str()),
            origin_receipt_no: d.origin_receipt_no.as_deref(),
            verification: d.verification,
            items: d.items.iter().map(|line| ReturnLineView::new(line, role)).collect(),
            refund_total: d.refund_total,
            rounding: d.rounding,
            tax: d.tax,
            refunds: &d.refunds,
            points_reversed: d.points_reversed,
            points_back: d.points_back,
            approval_required,
        }
    }
}

impl<'a> ReturnView<'a> {
    /// Return as `role` may see it.
    pub fn new(document: &'a Return, role: Role) -> Self {
        let d = document;
        Self {
            return_id: d.return_id.as_str(),
            receipt_no: &d.receipt_no,
            state: d.state,
            transaction_id: d.transaction_id.as_ref().map(|id| id.as_str()),
            origin_receipt_no: d.origin_receipt_no.as_deref(),
            verification: d.verification,
            store_id: d.store_id.as_str(),
            register_id: d.register_id.as_str(),
            shift_id: d.shift_id.as_str(),
            cashier_id: d.cashier_id.as_str(),
            approved_by: d.approved_by.as_ref().map(|id| id.as_str()),
            member_id: d.member_id.as_ref().map(|id| id.as_str()),
            business_date: d.business_date,
            prices_include_tax: d.prices_include_tax,
            items: d.items.iter().map(|line| ReturnLineView::new(line, role)).collect(),
            refund_total: d.refund_total,
            rounding: d.rounding,
            tax: d.tax,
            refunds: &d.refunds,
            points_reversed: d.points_reversed,
            points_back: d.points_back,
            note: d.note.as_deref(),
            created_at: d.created_at,
            voided_at: d.voided_at,
            void_reason: d.void_reason.as_deref(),
        }
    }
}

impl<'a> ReturnLineView<'a> {
    fn new(line: &'a ReturnLine, role: Role) -> Self {
        let shown = role != Role::Cashier;
        Self {
            line_no: line.line_no,
            sold_line_no: line.sold_line_no,
            sku: line.sku.as_str(),
            name: &line.name,
            qty: line.qty,
            price: line.price,
            gross: line.gross,
            discount: line.discount,
            tax: line.tax,
            refund: line.refund,
            disposition: line.disposition,
            restock: line.disposition == Disposition::Restock,
            reason: line.reason.as_deref(),
            balance_after: line.balance_after,
            cost: shown.then_some(line.cost),
            correction: shown.then_some(line.correction),
        }
    }
}
