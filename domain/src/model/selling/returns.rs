//! Returns: goods come back, money goes back (docs/arithmetic.md#returns-and-refunds).
//!
//! The shift drafts a return with its own facts; the ledger knows earlier returns, and settles it.

use crate::model::base::figures::{Money, Points, Quantity};
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
    /// Back in sellable stock.
    Restock,
    /// Set aside as damaged; can't be sold.
    Damaged,
    /// Set aside for the supplier.
    Vendor,
    /// Discarded.
    #[default]
    None,
}

/// State of a return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReturnState {
    /// The return is valid.
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
    /// Number of pieces.
    pub qty: Quantity,
    /// Unit price in minor currency units.
    pub price: Money,
    /// qty × price.
    pub gross: Money,
    /// Their part of the discount.
    pub discount: Money,
    /// The rate that the tax is of, in basis points.
    pub tax_rate_bp: u32,
    /// Their part of the tax.
    pub tax: Money,
    /// Amount refunded for these pieces.
    pub refund: Money,
    /// Cost of the goods; never shown to cashiers.
    pub cost: Money,
    /// Correction of the estimated cost of pieces that were sold below zero stock, in minor currency units.
    pub correction: Money,
    /// Destination of the returned goods.
    pub disposition: Disposition,
    /// Reason why the goods came back. Null for none.
    pub reason: Option<String>,
    /// Whether stock of the product is kept.
    pub track_stock: bool,
    /// On hand afterwards, where they went back to the shelf.
    pub balance_after: Option<Quantity>,
}

/// Refund by one method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Refund {
    /// Payment method of the refund.
    pub method: String,
    /// Amount before cash rounding, in minor currency units.
    pub amount: Money,
    /// Cash rounding: the paid-out amount less `amount`, in minor currency units.
    pub rounding: Money,
    /// For an exchange of a sale that was paid in cash: the cash rounding of the returned sale, in minor currency
    /// units. No cash moves in this step.
    #[serde(default)]
    pub origin_rounding: Money,
    /// For an exchange: the payment method of the returned sale. Null for other methods.
    pub origin: Option<String>,
    /// For an exchange: the transaction that it pays. Null for other methods.
    pub transaction_id: Option<TransactionId>,
    /// Slip number or other reference of the payment. Null for none.
    pub reference: Option<String>,
}

/// A return document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Return {
    /// ID of the return, `ret_…`.
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
    /// Sum of the refunds of its lines.
    pub refund_total: Money,
    /// Sum of the cash rounding.
    pub rounding: Money,
    /// Sum of the tax of its lines.
    pub tax: Money,
    /// Refunds, one per payment method or exchange.
    pub refunds: Vec<Refund>,
    /// Earned points that were deducted.
    pub points_reversed: Points,
    /// Spent points that were given back.
    pub points_back: Points,
    /// Note in free text. Null for none.
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

/// Returns of a sale at one store, including pieces that are reserved for a return that is not reported yet.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TakenBack {
    /// Store that took the goods back.
    pub store_id: StoreId,
    /// Returned pieces, by line of the sale.
    pub lines: Vec<LineReturned>,
    /// Refunded amounts, by the payment method of the sale. Pieces that are only reserved are not included.
    pub refunds: Vec<MethodBack>,
    /// Sum of the store's returns of the sale, in minor currency units.
    pub refunded: Money,
    /// Earned points that the store took from the member.
    pub points_reversed: Points,
    /// Spent points that the store gave back to the member.
    pub points_back: Points,
}

/// Refunded amount by one payment method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MethodBack {
    /// Payment method. For an exchange, the payment method of the returned sale.
    pub method: String,
    /// Amount before cash rounding, in minor currency units.
    pub amount: Money,
    /// Cash rounding, in minor currency units.
    #[serde(default)]
    pub rounding: Money,
}
