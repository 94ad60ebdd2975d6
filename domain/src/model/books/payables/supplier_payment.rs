//! Money that went to a supplier.

use crate::model::base::figures::Money;
use crate::model::base::limits::{ID_BYTES_MAX, PRICE_MAX};
use crate::model::base::time::UtcMs;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Part of a payment that settles an invoice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Allocation {
    /// Invoice that is settled.
    pub invoice_id: String,
    /// Settled amount, including the discount, in minor currency units.
    pub amount: Money,
    /// Early-payment discount in minor currency units.
    pub discount: Money,
}

/// Part of a credit note that settles an invoice together with a payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreditUse {
    /// Credit note that is used.
    #[schemars(length(min = 1, max = ID_BYTES_MAX))]
    pub credit_note_id: String,
    /// Invoice that is settled.
    #[schemars(length(min = 1, max = ID_BYTES_MAX))]
    pub invoice_id: String,
    /// Settled amount in minor currency units.
    #[schemars(range(min = 1, max = PRICE_MAX))]
    pub amount: Money,
}

/// Amount of a document in one book that a payment moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SupplierPaymentPart")]
pub struct PaymentPart {
    /// Invoice or credit note.
    pub document_id: String,
    /// Store whose book it is. Empty for head office's own book.
    pub store_id: String,
    /// Moved amount in minor currency units.
    pub amount: Money,
}

/// Whether a payment is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SupplierPaymentState")]
pub enum PaymentState {
    /// Posted to the books.
    Posted,
    /// Reversed by a later entry.
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

/// Payment to a supplier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SupplierPayment {
    /// ID of the payment, `spm_…`.
    pub payment_id: String,
    /// Number of the payment, such as `PM-2026-000001`.
    pub doc_no: String,
    /// Supplier that was paid.
    pub supplier_id: String,
    /// Date of the payment.
    pub date: Date,
    /// Account that paid: the account of a bank, or a store's safe.
    pub account: String,
    /// Store whose safe paid. Empty if a bank account paid.
    pub store_id: String,
    /// Paid amount in minor currency units.
    pub amount: Money,
    /// Reference of the payment at the bank. Null for none.
    pub reference: Option<String>,
    /// Invoices that the payment settles.
    pub allocations: Vec<Allocation>,
    /// Amount settled by credit notes with this payment, in minor currency units.
    pub credits: Vec<CreditUse>,
    /// Amount that is not allocated to invoices yet, in minor currency units.
    pub unallocated: Money,
    /// Amounts that the payment moved, by document and book. A reversal restores them.
    pub parts: Vec<PaymentPart>,
    /// State of the payment.
    pub state: PaymentState,
    /// Reason given for the reversal. Null if the payment was not reversed.
    pub reversed_reason: Option<String>,
    /// User who recorded it.
    pub created_by: String,
    /// When the payment was recorded.
    pub created_at: UtcMs,
}
