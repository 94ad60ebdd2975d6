//! Money that went to a supplier.

use crate::model::base::time::UtcMs;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a payment settles of an invoice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Allocation {
    /// Which one.
    pub invoice_id: String,
    /// Settled amount, including the discount.
    pub amount: i64,
    /// Early-payment discount.
    pub discount: i64,
}

/// What a credit note settles of an invoice with a payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreditUse {
    /// Which credit note.
    pub credit_note_id: String,
    /// Which invoice.
    pub invoice_id: String,
    /// How much.
    pub amount: i64,
}

/// What a payment moved of a document in a book.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SupplierPaymentPart")]
pub struct PaymentPart {
    /// The invoice or the credit note.
    pub document_id: String,
    /// The book.
    pub store_id: String,
    /// How much.
    pub amount: i64,
}

/// Whether a payment counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SupplierPaymentState")]
pub enum PaymentState {
    /// In the books.
    Posted,
    /// Taken back.
    Reversed,
}

impl PaymentState {
    /// The name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Posted => "posted",
            Self::Reversed => "reversed",
        }
    }
}

/// Money that went to a supplier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SupplierPayment {
    /// `spm_…`
    pub payment_id: String,
    /// `PM-2026-000001`
    pub doc_no: String,
    /// To whom.
    pub supplier_id: String,
    /// When.
    pub date: Date,
    /// From where: a bank's account, or a store's safe.
    pub account: String,
    /// The store whose safe it is; empty: a bank's account.
    pub store_id: String,
    /// What left.
    pub amount: i64,
    /// What the bank calls it.
    pub reference: Option<String>,
    /// What it settles.
    pub allocations: Vec<Allocation>,
    /// Amount settled by credit notes with this payment.
    pub credits: Vec<CreditUse>,
    /// What it settles nothing with yet.
    pub unallocated: i64,
    /// What it moved of each document, book by book: its reversal puts that back.
    pub parts: Vec<PaymentPart>,
    /// Whether it counts.
    pub state: PaymentState,
    /// Why it was taken back.
    pub reversed_reason: Option<String>,
    /// User who recorded it.
    pub created_by: String,
    /// When.
    pub created_at: UtcMs,
}
