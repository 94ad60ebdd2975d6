//! A transaction as the interface shows it.

use super::version;
use crate::model::base::time::UtcMs;
use crate::model::people::user::Role;
use crate::model::selling::transaction::{Line, LineDiscount, Payment, Transaction, TransactionState};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// `transaction` as `role` may see it: the cost of goods is not for cashiers.
pub fn view(transaction: &Transaction, role: Role) -> Value {
    serde_json::to_value(TransactionView::new(transaction, role)).unwrap_or_default()
}

/// A transaction with its lines, payments and totals.
// It serialises itself straight into an answer, without the detour by a JSON tree.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Transaction")]
pub struct TransactionView<'a> {
    transaction_id: &'a str,
    receipt_no: Option<&'a str>,
    state: TransactionState,
    business_date: jiff::civil::Date,
    occurred_at: UtcMs,
    store_id: &'a str,
    register_id: &'a str,
    shift_id: &'a str,
    cashier_id: &'a str,
    member_id: Option<&'a str>,
    items: Vec<LineView<'a>>,
    subtotal: i64,
    discount: i64,
    tax: i64,
    rounding: i64,
    total: i64,
    points_earned: i64,
    points_redeemed: i64,
    payments: &'a [Payment],
    amount_paid: i64,
    amount_due: i64,
    cash_due: i64,
    change: i64,
    refunded: i64,
    flags: &'a [String],
    created_at: UtcMs,
    paid_at: Option<UtcMs>,
    voided_at: Option<UtcMs>,
    void_reason: Option<&'a str>,
    note: Option<&'a str>,
    /// Version of an open basket, to be sent in `If-Match`.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Line")]
struct LineView<'a> {
    line_no: u32,
    sku: &'a str,
    name: &'a str,
    /// Code that was scanned, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a str>,
    /// Pieces in one scan of it; `qty` counts pieces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pack_qty: Option<i64>,
    qty: i64,
    price: i64,
    list_price: i64,
    discounts: &'a [LineDiscount],
    discount: i64,
    tax_rate_bp: u32,
    tax_code: Option<&'a str>,
    tax: i64,
    total: i64,
    price_override: bool,
    /// Reason given for setting another price by hand, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    price_reason: Option<&'a str>,
    returned_qty: i64,
    /// Cost of the pieces to the shop. Null until the sale is paid; omitted for cashiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<Option<i64>>,
}

impl<'a> TransactionView<'a> {
    /// Transaction as `role` may see it.
    pub fn new(transaction: &'a Transaction, role: Role) -> Self {
        let t = transaction;
        Self {
            transaction_id: t.transaction_id.as_str(),
            receipt_no: t.receipt_no.as_deref(),
            state: t.state,
            business_date: t.business_date,
            occurred_at: t.occurred_at,
            store_id: t.store_id.as_str(),
            register_id: t.register_id.as_str(),
            shift_id: t.shift_id.as_str(),
            cashier_id: t.cashier_id.as_str(),
            member_id: t.member_id.as_ref().map(|id| id.as_str()),
            items: t.items.iter().map(|line| LineView::new(line, t, role)).collect(),
            subtotal: t.subtotal,
            discount: t.discount,
            tax: t.tax,
            rounding: t.rounding,
            total: t.total,
            points_earned: t.points_earned,
            points_redeemed: t.points_redeemed,
            payments: &t.payments,
            amount_paid: t.amount_paid,
            amount_due: t.amount_due,
            cash_due: t.cash_due,
            change: t.change,
            refunded: t.refunded,
            flags: &t.flags,
            created_at: t.created_at,
            paid_at: t.paid_at,
            voided_at: t.voided_at,
            void_reason: t.void_reason.as_deref(),
            note: t.note.as_deref(),
            version: version(t),
        }
    }
}

impl<'a> LineView<'a> {
    fn new(line: &'a Line, sale: &'a Transaction, role: Role) -> Self {
        let scan = sale.scan(line.line_no);
        Self {
            line_no: line.line_no,
            sku: line.sku.as_str(),
            name: &line.name,
            code: scan.map(|scan| scan.code.as_str()),
            pack_qty: scan.map(|scan| scan.pack_qty),
            qty: line.qty,
            price: line.price,
            list_price: line.list_price,
            discounts: &line.discounts,
            discount: line.discount,
            tax_rate_bp: line.tax_rate_bp,
            tax_code: line.tax_code.as_deref(),
            tax: line.tax,
            total: line.total,
            price_override: line.price_override,
            price_reason: sale.price_reason(line.line_no),
            returned_qty: line.returned_qty,
            cost: (role != Role::Cashier).then_some(line.cost),
        }
    }
}
