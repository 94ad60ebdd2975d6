//! Transactions: the till's baskets and sales, as they are stored and shown.

use crate::model::base::figures::{BasisPoints, Money, Points, Quantity};
use crate::model::base::ids::{
    MemberId, PaymentId, RegisterId, ShiftId, Sku, StoreId, TransactionId, UserId,
};
use crate::model::base::refusal::Refusal;
use crate::model::base::time::UtcMs;
use crate::model::people::points::{LotPart, earned};
use crate::model::selling::payment::POINTS;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Flag: a line was sold at another price than the catalogue's.
pub const PRICE_OVERRIDE: &str = "price_override";

/// Flag: goods went out that were not there on paper.
pub const NEGATIVE_STOCK: &str = "negative_stock";

/// State of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TransactionState {
    /// Items may change; nothing is paid.
    Open,
    /// On hold; it belongs to no shift.
    Held,
    /// A part of the total is paid.
    PartiallyPaid,
    /// Complete; only returns and a void can still change it.
    Paid,
    /// The transaction was cancelled.
    Voided,
}

impl Payment {
    /// The original method of the payment: for an exchange, the method of the earlier sale.
    pub fn settled_method(&self) -> &str {
        self.origin.as_deref().unwrap_or(&self.method)
    }

    /// Whether the payment is valid.
    pub fn counts(&self) -> bool {
        self.state == PaymentState::Accepted
    }
}

impl From<Transaction> for TransactionHead {
    fn from(whole: Transaction) -> Self {
        Self {
            transaction_id: whole.transaction_id,
            receipt_no: whole.receipt_no,
            state: whole.state,
            business_date: whole.business_date,
            occurred_at: whole.occurred_at,
            store_id: whole.store_id,
            register_id: whole.register_id,
            shift_id: whole.shift_id,
            cashier_id: whole.cashier_id,
            member_id: whole.member_id,
        }
    }
}

impl Transaction {
    /// Sum of the accepted payments by points.
    pub fn paid_by_points(&self) -> Money {
        let points = self.payments.iter().filter(|payment| payment.counts() && payment.method == POINTS);
        points.fold(Money::ZERO, |sum, payment| sum.saturating_add(payment.amount))
    }

    /// Scan of a line. `None` if it was not scanned.
    pub fn scan(&self, line_no: u32) -> Option<&Scan> {
        self.scans.iter().find(|scan| scan.line_no == line_no)
    }

    /// Reason why the price of a line was set by hand. `None` if none was given.
    pub fn price_reason(&self, line_no: u32) -> Option<&str> {
        let reason = self.price_reasons.iter().find(|reason| reason.line_no == line_no)?;
        Some(&reason.reason)
    }

    /// Points that it earns, or will earn, with its present payments.
    pub fn earning(&self) -> Points {
        earned(self.total.saturating_sub(self.paid_by_points()), self.earn_per, self.multiplier_bp)
    }
}

impl TransactionState {
    /// The state's name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Held => "held",
            Self::PartiallyPaid => "partially_paid",
            Self::Paid => "paid",
            Self::Voided => "voided",
        }
    }

    /// Whether payments are accepted.
    pub fn payable(self) -> bool {
        matches!(self, Self::Open | Self::PartiallyPaid)
    }

    /// The steps that are possible from here (docs/arithmetic.md#states-of-documents).
    pub fn steps(self) -> &'static [&'static str] {
        match self {
            Self::Open => &["change", "pay", "hold", "void"],
            Self::Held => &["recall", "void"],
            Self::PartiallyPaid => &["pay", "reverse", "void"],
            Self::Paid => &["return", "void"],
            Self::Voided => &[],
        }
    }

    /// `invalid_state`, with the possible steps.
    pub fn refusal(self) -> Refusal {
        let allowed = self.steps().iter().map(|step| (*step).to_owned()).collect();
        Refusal::InvalidState { state: self.name().to_owned(), allowed }
    }
}

/// Source of a discount on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiscountSource {
    /// Promotion of head office.
    Promotion,
    /// Discount by the cashier on this line.
    Manual,
    /// Share of this line in the cashier's discount on the whole basket.
    Basket,
}

/// One discount of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineDiscount {
    /// Source of the discount.
    pub source: DiscountSource,
    /// Promotion that gave the discount. Null if the discount is from no promotion.
    pub promotion_id: Option<String>,
    /// Discount in minor currency units, ≥ 0.
    pub amount: Money,
    /// Reason given for the discount. Null if none was given.
    pub reason: Option<String>,
}

/// A line. `total` is its part of the transaction's total.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Line number, starting at 1.
    pub line_no: u32,
    pub sku: Sku,
    /// Product name at the time.
    pub name: String,
    /// Number of pieces, 1–1,000,000.
    pub qty: Quantity,
    pub price: Money,
    /// Unit price of the catalogue at the time.
    pub list_price: Money,
    /// Every discount with its source.
    pub discounts: Vec<LineDiscount>,
    /// Sum of the discounts, the basket's share included.
    pub discount: Money,
    /// Basis points.
    pub tax_rate_bp: u32,
    /// Tax code that explains a rate of 0.
    pub tax_code: Option<String>,
    /// Tax on, or contained in, the line's net.
    pub tax: Money,
    /// net + tax (on top) or net (contained).
    pub total: Money,
    /// `price` differs from `list_price`.
    pub price_override: bool,
    /// Pieces that came back.
    pub returned_qty: Quantity,
    /// Whether stock of the product is kept.
    pub track_stock: bool,
    /// Cost of the pieces to the shop, known once paid; never shown to cashiers.
    pub cost: Option<Money>,
}

/// The code by which a line was scanned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scan {
    pub line_no: u32,
    pub code: String,
    /// Pieces in one scan of it.
    pub pack_qty: Quantity,
}

/// Reason why the price of a line was set by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceReason {
    pub line_no: u32,
    /// The reason, in words.
    pub reason: String,
}

/// Whether a payment is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaymentState {
    /// The payment is valid.
    Accepted,
    /// The payment was reversed.
    Reversed,
}

/// A payment of a transaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Payment {
    /// ID of the payment, `pay_…`.
    pub payment_id: PaymentId,
    /// Payment method: `cash`, `card`, …
    pub method: String,
    /// Part of `total` that the payment settles, before rounding, in minor currency units.
    pub amount: Money,
    /// Amount tendered by the customer, in minor currency units.
    pub tendered: Money,
    /// Change given: `tendered` − `amount` − `rounding`, in minor currency units.
    pub change: Money,
    /// Cash rounding of this payment, in minor currency units.
    pub rounding: Money,
    /// For an `exchange` of a sale that was paid in cash: the cash rounding of the returned sale, in minor currency
    /// units. If the payment is reversed in cash, the customer gets `amount` + `origin_rounding`.
    #[serde(default)]
    pub origin_rounding: Money,
    /// Slip number or other reference of the payment. Null for none.
    pub reference: Option<String>,
    /// Whether the payment is valid.
    pub state: PaymentState,
    /// For an `exchange`: the payment methods of the returned sale. Null for other methods.
    pub origin: Option<String>,
    /// When the payment was accepted.
    pub paid_at: UtcMs,
}

/// The first fields of a [`Transaction`], in their order, so that a reader who only needs these does not read its
/// lines.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TransactionHead {
    /// ID of the transaction, `trx_…`.
    pub transaction_id: TransactionId,
    /// As in [`Transaction`].
    pub receipt_no: Option<String>,
    /// State of the transaction.
    pub state: TransactionState,
    /// Business date of the shift.
    pub business_date: jiff::civil::Date,
    /// As in [`Transaction`].
    pub occurred_at: UtcMs,
    /// Store of the transaction.
    pub store_id: StoreId,
    /// Register of the transaction.
    pub register_id: RegisterId,
    /// Shift of the transaction.
    pub shift_id: ShiftId,
    /// User who created the document.
    pub cashier_id: UserId,
    /// Member that the transaction is attributed to.
    pub member_id: Option<MemberId>,
}

/// A basket, and once paid a sale.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transaction {
    /// ID of the transaction, `trx_…`.
    pub transaction_id: TransactionId,
    /// Given by the payment that completes the sale.
    pub receipt_no: Option<String>,
    /// State of the transaction.
    pub state: TransactionState,
    /// Business date of the shift.
    pub business_date: jiff::civil::Date,
    /// When the transaction was created; once it is paid, when the completing payment was made.
    pub occurred_at: UtcMs,
    /// Store of the transaction.
    pub store_id: StoreId,
    /// Register of the transaction.
    pub register_id: RegisterId,
    /// Shift of the transaction.
    pub shift_id: ShiftId,
    /// User who created the document.
    pub cashier_id: UserId,
    /// Member that the transaction is attributed to.
    pub member_id: Option<MemberId>,
    /// Its lines, in order; never merged or split.
    pub items: Vec<Line>,
    /// Lines that were scanned; apart from them, for a long sale must fit into one record.
    pub scans: Vec<Scan>,
    /// Reasons of prices that were set by hand; apart from the lines for the same reason.
    #[serde(default)]
    pub price_reasons: Vec<PriceReason>,
    /// Whether prices contain tax (`tax.prices_include_tax` when it was made).
    pub prices_include_tax: bool,
    /// Sum of quantity × price of the sold lines, in minor currency units.
    pub subtotal: Money,
    /// Sum of the line discounts.
    pub discount: Money,
    /// Sum of the line taxes.
    pub tax: Money,
    /// Sum of the cash rounding of its payments.
    pub rounding: Money,
    /// subtotal − discount + tax (on top), or without + tax (contained).
    pub total: Money,
    /// Points that paying earned, or will earn.
    pub points_earned: Points,
    /// Points that payments took.
    pub points_redeemed: Points,
    /// Minor currency units per point when the transaction was created; 0 if it earns none.
    pub earn_per: Money,
    /// Points rate of its member at that time, in basis points of the normal rate.
    pub multiplier_bp: BasisPoints,
    /// Last day of the points that it earned.
    pub points_expire: Option<jiff::civil::Date>,
    /// The lots that its points payments took from.
    pub points_lots: Vec<LotPart>,
    /// Its payments, in order.
    pub payments: Vec<Payment>,
    /// Sum of the accepted amounts.
    pub amount_paid: Money,
    /// total − amount_paid.
    pub amount_due: Money,
    /// Amount due if the rest is paid in cash now.
    pub cash_due: Money,
    /// Sum of the change of its payments.
    pub change: Money,
    /// Sum of the refunds of its returns.
    pub refunded: Money,
    /// Marks for a person, for example `negative_stock`, `price_override`.
    pub flags: Vec<String>,
    /// When the transaction was created.
    pub created_at: UtcMs,
    /// When the transaction was completed.
    pub paid_at: Option<UtcMs>,
    /// When the transaction was voided.
    pub voided_at: Option<UtcMs>,
    /// Reason given for voiding the transaction.
    pub void_reason: Option<String>,
    pub note: Option<String>,
}
