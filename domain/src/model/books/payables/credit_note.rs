//! What a supplier gives back.

use crate::model::base::time::UtcMs;
use crate::model::books::payables::BookOpen;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a credit note is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CreditNoteKind {
    /// Goods that went back after they were billed.
    Return,
    /// A price that was too high.
    Price,
    /// Goods that were billed, and whose receipt was taken back.
    ReceiptReversed,
}

/// How far a credit note is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CreditNoteState {
    /// Goods went back; the supplier's paper has not come. It is in the books.
    Expected,
    /// The paper is here, and not in the books.
    Draft,
    /// In the books.
    Approved,
    /// Applied to invoices in full.
    Applied,
    /// It does not count.
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

/// A part of a credit note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CreditNoteLine {
    /// The line of the invoice that it is of.
    pub invoice_line_no: Option<u32>,
    /// The book.
    pub store_id: String,
    /// The receipt that it is of.
    pub receiving_id: Option<String>,
    /// Its line.
    pub receiving_line_no: Option<u32>,
    /// Without tax.
    pub net: i64,
    /// Its tax.
    pub tax: i64,
}

/// A supplier's paper that says something else than was expected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposedPaper {
    /// User who recorded it.
    pub by: String,
    /// When.
    pub at: UtcMs,
    /// The supplier's number.
    pub credit_note_no: String,
    /// Its day.
    pub date: Date,
    /// Without tax.
    pub net: i64,
    /// Its tax.
    pub tax: i64,
}

impl ProposedPaper {
    /// Whether another one says the same, whoever wrote it down.
    pub fn says_as(&self, other: &Self) -> bool {
        let Self { credit_note_no, date, net, tax, .. } = other;
        (&self.credit_note_no, self.date, self.net, self.tax) == (credit_note_no, *date, *net, *tax)
    }
}

/// What a supplier gives back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CreditNote {
    /// `crn_…`
    pub credit_note_id: String,
    /// `CN-2026-000001`
    pub doc_no: String,
    /// Whose it is.
    pub supplier_id: String,
    /// The supplier's number; null until its document has come.
    pub credit_note_no: Option<String>,
    /// Its day; of an expected one the day of the return.
    pub date: Date,
    /// What it is for.
    pub kind: CreditNoteKind,
    /// The return that it is expected for.
    pub supplier_return_id: Option<String>,
    /// The invoice that it is of.
    pub invoice_id: Option<String>,
    /// What it is made of.
    pub lines: Vec<CreditNoteLine>,
    /// Σ net.
    pub net: i64,
    /// Σ tax.
    pub tax: i64,
    /// net + tax
    pub total: i64,
    /// What settled invoices.
    pub applied: i64,
    /// Amount that can still be applied to invoices.
    pub open: i64,
    /// The same, book by book.
    pub books: Vec<BookOpen>,
    /// How far it is.
    pub state: CreditNoteState,
    /// For people.
    pub note: Option<String>,
    /// User who created it; null if a supplier return did.
    pub created_by: Option<String>,
    /// When.
    pub created_at: UtcMs,
    /// What the supplier's paper says by one person, where it is not what was expected: it waits for another person who says
    /// the same.
    #[serde(default)]
    pub proposed: Option<ProposedPaper>,
}

impl CreditNote {
    /// What is open and the state follow from what was applied.
    pub fn settle(&mut self) {
        self.open = match self.state {
            CreditNoteState::Approved | CreditNoteState::Applied => self.total.saturating_sub(self.applied),
            _ => 0,
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
