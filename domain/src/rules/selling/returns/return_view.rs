//! A return as the interface shows it.

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

/// A return with its lines. The spans of pieces that came back are not shown.
// It serialises itself straight into an answer, without the detour by a JSON tree.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Return")]
pub struct ReturnView<'a> {
    return_id: &'a str,
    receipt_no: &'a str,
    state: ReturnState,
    transaction_id: Option<&'a str>,
    origin_receipt_no: Option<&'a str>,
    verification: Option<Verification>,
    store_id: &'a str,
    register_id: &'a str,
    shift_id: &'a str,
    cashier_id: &'a str,
    approved_by: Option<&'a str>,
    member_id: Option<&'a str>,
    business_date: jiff::civil::Date,
    prices_include_tax: bool,
    items: Vec<ReturnLineView<'a>>,
    refund_total: i64,
    rounding: i64,
    tax: i64,
    refunds: &'a [Refund],
    points_reversed: i64,
    points_back: i64,
    note: Option<&'a str>,
    created_at: UtcMs,
    voided_at: Option<UtcMs>,
    void_reason: Option<&'a str>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ReturnLine")]
struct ReturnLineView<'a> {
    line_no: u32,
    sold_line_no: Option<u32>,
    sku: &'a str,
    name: &'a str,
    qty: i64,
    price: i64,
    gross: i64,
    discount: i64,
    tax: i64,
    refund: i64,
    disposition: Disposition,
    restock: bool,
    reason: Option<&'a str>,
    balance_after: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    correction: Option<i64>,
}

/// Preview of a return before it is posted. Nothing has changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReturnQuote<'a> {
    transaction_id: Option<&'a str>,
    origin_receipt_no: Option<&'a str>,
    verification: Option<Verification>,
    items: Vec<ReturnLineView<'a>>,
    refund_total: i64,
    /// Cash rounding of the refunds. The amount given out is refund_total + rounding.
    rounding: i64,
    tax: i64,
    refunds: &'a [Refund],
    points_reversed: i64,
    points_back: i64,
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
