//! The steps of an invoice's life.

use crate::model::base::refusal::Refusal;
use crate::model::books::payables::{Invoice, InvoiceState};

/// A step of an invoice's life that a person takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvoiceStep {
    /// It is written anew.
    Change,
    /// It is compared with what was ordered and received.
    Match,
    /// A person does not agree.
    Dispute,
    /// Approves the invoice, with the user's responsibility for it.
    Approve,
    Pay,
    /// Cancels the invoice, so that it does not count.
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

    fn fits(self, state: InvoiceState) -> bool {
        use InvoiceState::{Approved, Disputed, Draft, Matched, PartiallyPaid};
        match self {
            Self::Change | Self::Match | Self::Cancel => matches!(state, Draft | Disputed),
            Self::Dispute => matches!(state, Draft | Matched),
            Self::Approve => state == Matched,
            Self::Pay => matches!(state, Approved | PartiallyPaid),
        }
    }

    /// Passes an invoice that the step is possible for.
    ///
    /// # Errors
    /// `invalid_state` with what is possible instead.
    pub fn check(self, invoice: &Invoice) -> Result<(), Refusal> {
        let state = invoice.state;
        if self.fits(state) {
            return Ok(());
        }
        let allowed = Self::ALL.into_iter().filter(|step| step.fits(state));
        let allowed = allowed.map(|step| step.name().to_owned()).collect();
        Err(Refusal::InvalidState { state: state.name().to_owned(), allowed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_is_possible_in_its_states_alone() {
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
                assert_eq!(step.fits(state), allowed.contains(&step.name()), "{state:?} {step:?}");
            }
        }
    }
}
