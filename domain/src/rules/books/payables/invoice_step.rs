//! The steps of a supplier invoice, and in which states each is possible.

use crate::model::base::refusal::Refusal;
use crate::model::books::payables::{Invoice, InvoiceState};

/// A step that a user takes with a supplier invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvoiceStep {
    /// Changes the invoice's contents.
    Change,
    /// Compares the invoice with its order and receipts.
    Match,
    /// Marks the invoice as disputed.
    Dispute,
    /// Approves the invoice for payment.
    Approve,
    /// Pays the invoice, in part or in full.
    Pay,
    /// Cancels the invoice.
    Cancel,
}

impl InvoiceStep {
    const ALL: [Self; 6] = [Self::Change, Self::Match, Self::Dispute, Self::Approve, Self::Pay, Self::Cancel];

    /// The name as in the path.
    pub fn name(self) -> &'static str {
        match self {
            Self::Change => "change",
            Self::Match => "match",
            Self::Dispute => "dispute",
            Self::Approve => "approve",
            Self::Pay => "pay",
            Self::Cancel => "cancel",
        }
    }

    fn is_possible_in(self, state: InvoiceState) -> bool {
        use InvoiceState::{Approved, Disputed, Draft, Matched, PartiallyPaid};
        match self {
            Self::Change | Self::Match | Self::Cancel => matches!(state, Draft | Disputed),
            Self::Dispute => matches!(state, Draft | Matched),
            Self::Approve => state == Matched,
            Self::Pay => matches!(state, Approved | PartiallyPaid),
        }
    }

    /// Checks that the step is possible in the invoice's state.
    ///
    /// # Errors
    /// `invalid_state`, with the steps that are possible.
    pub fn check(self, invoice: &Invoice) -> Result<(), Refusal> {
        let state = invoice.state;
        if self.is_possible_in(state) {
            return Ok(());
        }
        let allowed = Self::ALL.into_iter().filter(|step| step.is_possible_in(state));
        let allowed = allowed.map(|step| step.name().to_owned()).collect();
        Err(Refusal::InvalidState { state: state.name().to_owned(), allowed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_is_possible_only_in_its_states() {
        use InvoiceState::{Approved, Cancelled, Disputed, Draft, Matched, Paid, PartiallyPaid};
        let table: [(InvoiceState, &[&str]); 7] = [
            (Draft, &["change", "match", "dispute", "cancel"]),
            (Matched, &["dispute", "approve"]),
            (Disputed, &["change", "match", "cancel"]),
            (Approved, &["pay"]),
            (PartiallyPaid, &["pay"]),
            (Paid, &[]),
            (Cancelled, &[]),
        ];
        for (state, allowed) in table {
            for step in InvoiceStep::ALL {
                assert_eq!(step.is_possible_in(state), allowed.contains(&step.name()), "{state:?} {step:?}");
            }
        }
    }
}
