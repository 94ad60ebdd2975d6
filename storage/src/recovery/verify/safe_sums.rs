//! The safe: compares the effects of floats, drops, counts and deposits with its row.

use super::VerifyReport;
use domain::model::base::event::{Event, Fact};
use domain::model::base::ids::ShiftId;
use domain::model::books::deposit::Safe;
use domain::rules::books::deposit::Share;
use std::collections::HashMap;

/// The safe over the journal so far.
#[derive(Debug, Default)]
pub struct SafeSums {
    row: Safe,
    replayed: Safe,
    /// The share of every shift: a record that comes back may name one that was counted long ago.
    shares: HashMap<ShiftId, Share>,
}

impl SafeSums {
    /// Applies an event; `refilled`: any event of a shift may hold more about it than was known.
    pub fn event(&mut self, event: &Event, refilled: bool, report: &mut VerifyReport) {
        let moves = matches!(
            event.fact,
            Fact::ShiftOpened(_)
                | Fact::CashMoved(_)
                | Fact::ShiftClosed(_)
                | Fact::ShiftRecounted(_)
                | Fact::CashDeposited(_)
                | Fact::SafeOpened(_)
        );
        if moves || (refilled && event.shift().is_some()) {
            self.replay(event, report);
        }
        if let Some(safe) = &event.rows.safe {
            self.row = (**safe).clone();
            self.compare(report);
        }
    }

    /// Compares the sums after which no row was written.
    pub fn finish(mut self, report: &mut VerifyReport) {
        self.compare(report);
    }

    fn replay(&mut self, event: &Event, report: &mut VerifyReport) {
        let before =
            event.shift().and_then(|shift| self.shares.insert(shift.shift_id.clone(), Share::of(shift)));
        match self.replayed.after(event, before.unwrap_or_default()) {
            Ok(safe) => self.replayed = safe,
            Err(refusal) => report.problem(format!("the safe: {refusal}")),
        }
    }

    fn compare(&mut self, report: &mut VerifyReport) {
        if self.row != self.replayed {
            let (row, replayed) = (self.row.balance, self.replayed.balance);
            report
                .problem(format!("the safe: its row is {row}, but its shifts and deposits give {replayed}"));
            self.replayed = self.row.clone();
        }
    }
}
