//! A supplier's invoice.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::Sku;
use crate::model::base::time::UtcMs;
use crate::model::books::payables::BookOpen;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// State of an invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InvoiceState {
    /// May still be changed.
    #[default]
    Draft,
    /// Billed goods match what was ordered and received.
    Matched,
    /// A user must check it.
    Disputed,
    /// Owed, and posted to the books.
    Approved,
    /// Partly settled.
    PartiallyPaid,
    /// Settled in full.
    Paid,
    /// Cancelled; its number can be used again.
    Cancelled,
}

impl InvoiceState {
    /// The name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Matched => "matched",
            Self::Disputed => "disputed",
            Self::Approved => "approved",
            Self::PartiallyPaid => "partially_paid",
            Self::Paid => "paid",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether it is in the books.
    pub fn is_posted(self) -> bool {
        matches!(self, Self::Approved | Self::PartiallyPaid | Self::Paid)
    }

    /// Whether its pieces are taken from the received ones.
    pub fn holds_pieces(self) -> bool {
        self == Self::Matched || self.is_posted()
    }
}

/// Terms of an early-payment discount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscountTerms {
    /// Days after the invoice date within which the discount applies.
    pub days: u32,
    /// Discount in basis points of the invoice's total.
    pub bp: u32,
}

/// Line of a receipt, in the store that reported it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct ReceiptRef {
    /// Store that received the goods.
    pub store_id: String,
    /// The receiving document.
    pub receiving_id: String,
    /// Its line, from 1.
    pub line_no: u32,
}

/// Kind of difference found by matching an invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchExceptionKind {
    /// More pieces are billed than were received and are not billed yet.
    QtyOver,
    /// All received goods are already billed.
    NotReceived,
    /// The price exceeds the ordered price by more than the tolerance.
    PriceOver,
    /// The price is below the ordered price by more than the tolerance.
    PriceUnder,
    /// The goods were received without an order.
    NoOrder,
    /// The goods were received without a cost.
    CostMissing,
    /// The goods are from another supplier.
    WrongSupplier,
    /// The tax rate differs from the supplier's usual rate.
    TaxRate,
    /// Another invoice of the supplier has the same total within a few days.
    DuplicateSuspect,
    /// A user raised it.
    ByHand,
}

/// Difference found at a line by matching, with its acceptance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MatchException {
    /// Line number. Null for the whole invoice.
    pub line_no: Option<u32>,
    /// Kind of difference.
    #[serde(rename = "type")]
    pub kind: MatchExceptionKind,
    /// Whether the invoice is disputed until a user accepts the difference.
    pub stops: bool,
    /// Amount by which the invoice exceeds the ordered and received goods, in minor currency units. 0 if it does not,
    /// or if the amount is unknown.
    pub amount: Money,
    /// Expected value, for example the price of the order, in the unit of `actual`. Null if there is none.
    pub expected: Option<i64>,
    /// Value on the invoice: minor currency units, pieces or basis points, by `type`. Null if there is none.
    pub actual: Option<i64>,
    /// Reason for accepting the difference; for a difference raised by a user, the reason for raising it. Null if none
    /// was given.
    pub reason: Option<String>,
    /// User who accepted it. Null if it is not accepted.
    pub accepted_by: Option<String>,
}

/// Line of an invoice: for a line of a receipt, or for an expense.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct InvoiceLine {
    /// Line number, starting at 1.
    pub line_no: u32,
    /// Store whose book it is. Empty for head office's own book.
    pub store_id: String,
    /// Receipt of the goods. Null for an expense, or if no receipt was found.
    pub receiving_id: Option<String>,
    /// Line of that receipt. Null if there is no receipt.
    pub receiving_line_no: Option<u32>,
    /// Order of the goods. Null for none.
    pub po_id: Option<String>,
    /// Line of that order. Null if there is no order.
    pub po_line_no: Option<u32>,
    /// SKU of the product. Null for an expense.
    pub sku: Option<Sku>,
    /// Account of an expense. Null for goods.
    pub account: Option<String>,
    /// Description of the line. Null for none.
    pub description: Option<String>,
    /// Number of pieces.
    pub qty: Quantity,
    /// Price per piece in minor currency units.
    pub unit_cost: Money,
    /// Net amount, without tax, in minor currency units.
    pub net: Money,
    /// Tax rate in basis points.
    pub tax_rate_bp: u32,
    /// Tax added to the net amount, in minor currency units.
    pub tax: Money,
    /// Pieces of the receipt that the line bills. The line may bill more pieces: a user accepted those, and they belong
    /// to no receipt.
    pub matched_qty: Quantity,
    /// Amount that the approval moved out of account 2020, in minor currency units. Null until the approval, and for an
    /// expense.
    pub receipt_value: Option<Money>,
    /// Amount by which the line's net amount exceeds `receipt_value`, in minor currency units. Null while
    /// `receipt_value` is null.
    pub variance: Option<Money>,
}

impl InvoiceLine {
    /// Whether it bills goods.
    pub fn is_goods(&self) -> bool {
        self.account.is_none()
    }

    /// The line of the receipt that it bills.
    pub fn receipt(&self) -> Option<ReceiptRef> {
        let (receiving_id, line_no) = (self.receiving_id.clone()?, self.receiving_line_no?);
        Some(ReceiptRef { store_id: self.store_id.clone(), receiving_id, line_no })
    }
}

/// Invoice of a supplier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Invoice {
    /// ID of the invoice, `inv_…`.
    pub invoice_id: String,
    /// Number of the invoice at head office, such as `IN-2026-000001`.
    pub doc_no: String,
    /// Supplier that issued the invoice.
    pub supplier_id: String,
    /// The supplier's number of the invoice.
    pub invoice_no: String,
    /// Date of the invoice.
    pub invoice_date: Date,
    /// Date by which the invoice has to be paid.
    pub due_date: Date,
    /// State of the invoice.
    pub state: InvoiceState,
    /// Whether the invoice was already owed when the books began. Such an invoice is posted to account 3010 and bills
    /// no receipts.
    pub opening: bool,
    /// Sum of the lines' net amounts, in minor currency units.
    pub net: Money,
    /// Sum of the lines' tax, in minor currency units.
    pub tax: Money,
    /// Rounding by the supplier, signed, in minor currency units.
    pub rounding: Money,
    /// Amount owed: `net` + `tax` + `rounding`, in minor currency units.
    pub total: Money,
    /// Number of the tax invoice. Null for none.
    pub tax_invoice_no: Option<String>,
    /// Date of the tax invoice. Null for none.
    pub tax_invoice_date: Option<Date>,
    /// Terms of the early-payment discount. Null if there are none.
    pub discount_terms: Option<DiscountTerms>,
    /// Invoiced receipts and order lines.
    pub lines: Vec<InvoiceLine>,
    /// Differences from order and receipt.
    pub exceptions: Vec<MatchException>,
    /// Amount settled by payments, including discounts, in minor currency units.
    pub paid: Money,
    /// Early-payment discount that was taken, in minor currency units.
    pub discount: Money,
    /// Amount settled by credit notes, in minor currency units.
    pub credited: Money,
    /// Open amount, in minor currency units. It is 0 before the invoice is approved.
    pub open: Money,
    /// Open amount in each book.
    pub books: Vec<BookOpen>,
    /// When the invoice was last matched. Null if it was not.
    pub matched_at: Option<UtcMs>,
    /// User who approved the document. Null until it is approved.
    pub approved_by: Option<String>,
    /// When the invoice was approved. Null if it was not.
    pub approved_at: Option<UtcMs>,
    /// Note in free text. Null for none.
    pub note: Option<String>,
    /// User who recorded it.
    pub created_by: String,
    /// When the invoice was recorded.
    pub created_at: UtcMs,
    /// Users who changed the lines, the amounts or the supplier after the invoice was created.
    #[serde(default)]
    pub writers: Vec<String>,
}

impl Invoice {
    /// Everybody who wrote it.
    pub fn writers(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.created_by.as_str()).chain(self.writers.iter().map(String::as_str))
    }

    /// Whether an exception that was not accepted prevents its approval.
    pub fn is_stopped(&self) -> bool {
        self.exceptions.iter().any(|found| found.stops && found.accepted_by.is_none())
    }

    /// State and open amount of a posted invoice, by the payments and credit notes that settled it.
    pub fn settle(&mut self) {
        if !self.state.is_posted() {
            return;
        }
        let settled = self.paid.saturating_add(self.credited);
        self.open = self.total.saturating_sub(settled);
        self.state = match (self.open, settled) {
            (open, _) if open <= 0 => InvoiceState::Paid,
            (_, paid) if paid == 0 => InvoiceState::Approved,
            _ => InvoiceState::PartiallyPaid,
        };
    }
}
