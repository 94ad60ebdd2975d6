//! Returns: goods come back, money goes back (docs/arithmetic.md#returns-and-refunds).
//!
//! The shift drafts with what it knows; the ledger knows what came back before, and settles.

use crate::model::base::ids::{MemberId, RegisterId, ReturnId, ShiftId, Sku, StoreId, TransactionId, UserId};
use crate::model::base::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod after;
pub(crate) mod span;
pub use after::{LineReturned, SaleAfter};
pub use span::Span;

/// Destination of returned goods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Disposition {
    /// Put back on the shelf.
    Restock,
    /// Kept as damaged; can't be sold.
    Damaged,
    /// Kept for the supplier.
    Vendor,
    /// Discarded.
    #[default]
    None,
}

/// Lifecycle state of a return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReturnState {
    /// The return counts.
    Posted,
    /// Voided in its own shift.
    Voided,
}

/// Whether a receipt of another store was checked with the hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verification {
    /// The hub knows the receipt and has reserved the pieces.
    Verified,
    /// The hub could not be reached, and a manager approved the return.
    Pending,
}

/// Pieces of one sold line, or of one product without a receipt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReturnLine {
    /// 1-based, of the return.
    pub line_no: u32,
    /// Line of the sale. Null without a receipt.
    pub sold_line_no: Option<u32>,
    /// Pieces of the sold line that came back.
    pub pieces: Vec<Span>,
    /// SKU of the product.
    pub sku: Sku,
    /// Name of the product.
    pub name: String,
    /// Quantity in pieces.
    pub qty: i64,
    /// Unit price in whole currency units.
    pub price: i64,
    /// qty × price.
    pub gross: i64,
    /// Their part of the discount.
    pub discount: i64,
    /// The rate that the tax is of, in basis points.
    pub tax_rate_bp: u32,
    /// Their part of the tax.
    pub tax: i64,
    /// Amount refunded for these pieces.
    pub refund: i64,
    /// Cost of the goods; never shown to cashiers.
    pub cost: i64,
    /// Correction of earlier estimates.
    pub correction: i64,
    /// Destination of the returned goods.
    pub disposition: Disposition,
    /// Reason why the goods came back.
    pub reason: Option<String>,
    /// Whether stock is kept for the product.
    pub track_stock: bool,
    /// On hand afterwards, where they went back to the shelf.
    pub balance_after: Option<i64>,
}

/// Refund by one method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Refund {
    /// Payment method of the refund.
    pub method: String,
    /// Amount before cash rounding.
    pub amount: i64,
    /// Cash rounding: amount paid out − `amount`.
    pub rounding: i64,
    /// For an exchange of what cash had paid: the rounding that is carried over with it. No cash moves in this step.
    #[serde(default)]
    pub origin_rounding: i64,
    /// For an exchange: the method that had paid.
    pub origin: Option<String>,
    /// For an exchange: the transaction that it pays.
    pub transaction_id: Option<TransactionId>,
    /// Slip number or other reference of the payment.
    pub reference: Option<String>,
}

/// A return document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Return {
    /// `ret_…`
    pub return_id: ReturnId,
    /// By the register's counter.
    pub receipt_no: String,
    /// State of the return.
    pub state: ReturnState,
    /// Sale that the goods are from. Null without a receipt.
    pub transaction_id: Option<TransactionId>,
    /// Receipt number of another store.
    pub origin_receipt_no: Option<String>,
    /// Whether that was checked.
    pub verification: Option<Verification>,
    /// Store that took the return.
    pub store_id: StoreId,
    /// Register that took the return.
    pub register_id: RegisterId,
    /// Shift in which the return was made.
    pub shift_id: ShiftId,
    /// User who took the goods.
    pub cashier_id: UserId,
    /// User who approved it. Null if no approval was needed.
    pub approved_by: Option<UserId>,
    /// Member whose points moved.
    pub member_id: Option<MemberId>,
    /// Business date of the shift.
    pub business_date: jiff::civil::Date,
    /// Whether prices contained tax.
    pub prices_include_tax: bool,
    /// Returned lines.
    pub items: Vec<ReturnLine>,
    /// Σ refunds of its lines.
    pub refund_total: i64,
    /// Σ cash rounding.
    pub rounding: i64,
    /// Σ tax of its lines.
    pub tax: i64,
    /// Refunds, one per payment method or exchange.
    pub refunds: Vec<Refund>,
    /// Earned points that were taken back.
    pub points_reversed: i64,
    /// Spent points that were given back.
    pub points_back: i64,
    /// Free-text note.
    pub note: Option<String>,
    /// When the return was created.
    pub created_at: UtcMs,
    /// When the return was voided.
    pub voided_at: Option<UtcMs>,
    /// Reason given for voiding the return.
    pub void_reason: Option<String>,
}

impl Disposition {
    /// The disposition's name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Restock => "restock",
            Self::Damaged => "damaged",
            Self::Vendor => "vendor",
            Self::None => "none",
        }
    }
}

impl ReturnState {
    /// The state's name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Posted => "posted",
            Self::Voided => "voided",
        }
    }
}

/// Returns of one sale at one store, including pieces reserved for a return that is not reported yet.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TakenBack {
    /// Store that took the goods back.
    pub store_id: StoreId,
    /// Pieces taken back, one entry per line of which some came.
    pub lines: Vec<LineReturned>,
    /// Amounts that went back, by each method that had paid. Of pieces that are only reserved nothing is known.
    pub refunds: Vec<MethodBack>,
    /// Sum of the store's returns of the sale, in whole currency units.
    pub refunded: i64,
    /// Earned points that the store took back.
    pub points_reversed: i64,
    /// Spent points that the store gave back.
    pub points_back: i64,
}

/// Amount that went back by one method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MethodBack {
    /// Payment method. For an exchange, the one that had paid.
    pub method: String,
    /// Amount before cash rounding.
    pub amount: i64,
    /// Cash rounding.
    #[serde(default)]
    pub rounding: i64,
}
