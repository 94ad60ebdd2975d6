//! A transaction as the interface shows it.

use super::version;
use crate::model::base::figures::{Money, Points, Quantity};
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
    /// ID of the transaction, `trx_…`.
    transaction_id: &'a str,
    /// Receipt number. Null until the transaction is paid in full.
    receipt_no: Option<&'a str>,
    /// State of the transaction.
    state: TransactionState,
    /// Business date of the shift.
    business_date: jiff::civil::Date,
    /// When the transaction was created; once it is paid, when the last payment was made.
    occurred_at: UtcMs,
    /// Store of the transaction.
    store_id: &'a str,
    /// Register of the transaction.
    register_id: &'a str,
    /// Shift of the transaction.
    shift_id: &'a str,
    /// User who created the transaction.
    cashier_id: &'a str,
    /// Member that the transaction is attributed to. Null for none.
    member_id: Option<&'a str>,
    /// Lines, in the order in which they were added.
    items: Vec<LineView<'a>>,
    /// Sum of `qty` × `price` of the lines, in minor currency units.
    subtotal: Money,
    /// Sum of the lines' discounts, in minor currency units.
    discount: Money,
    /// Sum of the lines' tax, in minor currency units.
    tax: Money,
    /// Sum of the cash rounding of the payments, in minor currency units.
    rounding: Money,
    /// Total to pay, before cash rounding, in minor currency units: `subtotal` − `discount`, plus `tax` if prices do
    /// not contain it.
    total: Money,
    /// Points that the sale earned, or will earn when it is paid.
    points_earned: Points,
    /// Points that the payments used.
    points_redeemed: Points,
    /// Payments, in order.
    payments: &'a [Payment],
    /// Sum of the accepted payments, in minor currency units.
    amount_paid: Money,
    /// Amount that is still to be paid: `total` − `amount_paid`, in minor currency units.
    amount_due: Money,
    /// Amount to pay if the rest is paid in cash now, with cash rounding, in minor currency units.
    cash_due: Money,
    /// Sum of the change given, in minor currency units.
    change: Money,
    /// Sum of the refunds of the sale's returns, in minor currency units.
    refunded: Money,
    /// Points to check, for example `negative_stock` or `price_override`. Empty if there are none.
    flags: &'a [String],
    /// When the transaction was created.
    created_at: UtcMs,
    /// When the transaction was paid in full. Null until then.
    paid_at: Option<UtcMs>,
    /// When the transaction was voided. Null if it was not.
    voided_at: Option<UtcMs>,
    /// Reason given for voiding the transaction. Null if it was not voided.
    void_reason: Option<&'a str>,
    /// Note in free text. Null for none.
    note: Option<&'a str>,
    /// Version of an open basket, to send in `If-Match`. Omitted once the transaction is not open.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
}

/// A line of a transaction: one product at one price.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Line")]
struct LineView<'a> {
    /// Line number, from 1.
    line_no: u32,
    /// Product code (SKU).
    sku: &'a str,
    /// Name of the product when it was sold.
    name: &'a str,
    /// Code that was scanned. Omitted if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a str>,
    /// Pieces that one scan of `code` stands for. Omitted without a `code`. `qty` counts pieces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pack_qty: Option<Quantity>,
    /// Number of pieces.
    qty: Quantity,
    /// Price of one piece, in minor currency units.
    price: Money,
    /// Price of one piece in the catalogue at that time, in minor currency units.
    list_price: Money,
    /// Discounts of the line, each with its source.
    discounts: &'a [LineDiscount],
    /// Sum of `discounts`, in minor currency units.
    discount: Money,
    /// Tax rate in basis points.
    tax_rate_bp: u32,
    /// Tax code that explains a rate of 0. Null for none.
    tax_code: Option<&'a str>,
    /// Tax of the line, in minor currency units: added to the net amount, or contained in it.
    tax: Money,
    /// Amount that the line adds to the total, in minor currency units: net + tax, or net if prices contain tax.
    total: Money,
    /// Whether `price` differs from `list_price`.
    price_override: bool,
    /// Reason given for a price set by hand. Omitted if none was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    price_reason: Option<&'a str>,
    /// Number of pieces that were returned.
    returned_qty: Quantity,
    /// Cost of the pieces, in minor currency units. Null until the sale is paid; omitted for cashiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<Option<Money>>,
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
