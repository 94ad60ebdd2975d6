//! Credits of suppliers.

use crate::model::base::figures::Money;
use crate::model::base::time::UtcMs;
use crate::model::books::payables::BookOpen;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reason for a credit note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CreditNoteKind {
    /// For goods that were returned after they were billed.
    Return,
    /// For a price that was too high.
    Price,
    /// For billed goods whose receipt was reversed.
    ReceiptReversed,
}

/// State of a credit note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CreditNoteState {
    /// Expected: goods were returned, and the supplier's document has not arrived. Already posted to the books.
    Expected,
    /// The supplier's document has arrived. Not posted to the books yet.
    Draft,
    /// Posted to the books.
    Approved,
    /// Applied to invoices in full.
    Applied,
    /// Cancelled.
    Cancelled,
}

impl CreditNoteState {
    /// The name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Expected => "expected",
            Self::Draft => "draft",
            Self::Approved => "approved",
            Self::Applied => "applied",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Line of a credit note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CreditNoteLine {
    /// Invoice line that is credited. Null for none.
    pub invoice_line_no: Option<u32>,
    /// Store whose book it is. Empty for head office's own book.
    pub store_id: String,
    /// Receipt of goods that is credited. Null for none.
    pub receiving_id: Option<String>,
    /// Line of that receipt. Null if there is none.
    pub receiving_line_no: Option<u32>,
    /// Account of the invoice line that is credited. Null for goods.
    #[serde(default)]
    pub account: Option<String>,
    /// Net amount, without tax, in minor currency units.
    pub net: Money,
    /// Tax amount in minor currency units.
    pub tax: Money,
}

/// A supplier's document that differs from the expected credit note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposedPaper {
    /// User who recorded it.
    pub by: String,
    /// When the document was recorded.
    pub at: UtcMs,
    /// The supplier's number of the credit note.
    pub credit_note_no: String,
    /// Date of the document.
    pub date: Date,
    /// Net amount, without tax, in minor currency units.
    pub net: Money,
    /// Tax amount in minor currency units.
    pub tax: Money,
}

impl ProposedPaper {
    /// Whether another one states the same, regardless of who recorded it.
    pub fn says_as(&self, other: &Self) -> bool {
        let Self { credit_note_no, date, net, tax, .. } = other;
        (&self.credit_note_no, self.date, self.net, self.tax) == (credit_note_no, *date, *net, *tax)
    }
}

/// Credit note of a supplier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CreditNote {
    /// ID of the credit note, `crn_…`.
    pub credit_note_id: String,
    /// Number of the credit note, such as `CN-2026-000001`.
    pub doc_no: String,
    /// Supplier that issued the credit note.
    pub supplier_id: String,
    /// The supplier's number of the credit note. Null until the supplier's document has arrived.
    pub credit_note_no: Option<String>,
    /// Date of the credit note. For an expected one, the date of the return.
    pub date: Date,
    /// Reason for the credit note.
    pub kind: CreditNoteKind,
    /// Supplier return that the credit note is expected for. Null for none.
    pub supplier_return_id: Option<String>,
    /// Invoice that is credited. Null for none.
    pub invoice_id: Option<String>,
    /// Lines of the credit note.
    pub lines: Vec<CreditNoteLine>,
    /// Sum of the lines' net amounts, in minor currency units.
    pub net: Money,
    /// Sum of the lines' tax, in minor currency units.
    pub tax: Money,
    /// Total amount: `net` + `tax`, in minor currency units.
    pub total: Money,
    /// Amount that was applied to invoices, in minor currency units.
    pub applied: Money,
    /// Amount that can still be applied to invoices, in minor currency units.
    pub open: Money,
    /// Open amount in each book.
    pub books: Vec<BookOpen>,
    /// State of the credit note.
    pub state: CreditNoteState,
    /// Note in free text. Null for none.
    pub note: Option<String>,
    /// User who created it. Null if a supplier return did.
    pub created_by: Option<String>,
    /// When the credit note was created.
    pub created_at: UtcMs,
    /// Figures of the supplier's document as one user recorded them, if they differ from the expected ones. They count
    /// when a second user records the same figures. Null for none.
    #[serde(default)]
    pub proposed: Option<ProposedPaper>,
}

impl CreditNote {
    /// Recomputes the open amount and the state from the applied amount.
    pub fn settle(&mut self) {
        self.open = match self.state {
            CreditNoteState::Approved | CreditNoteState::Applied => self.total.saturating_sub(self.applied),
            _ => Money::ZERO,
        };
        self.state = match self.state {
            CreditNoteState::Approved | CreditNoteState::Applied if self.open > 0 => {
                CreditNoteState::Approved
            }
            CreditNoteState::Approved => CreditNoteState::Applied,
            state => state,
        };
    }
}
