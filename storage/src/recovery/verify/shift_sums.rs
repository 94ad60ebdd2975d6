//! Computes the sums of each shift from its transactions, with the functions of `domain`, and compares them with its
//! row.

use super::VerifyReport;
use domain::model::base::event::{Event, Fact};
use domain::model::base::figures::Money;
use domain::model::base::ids::{PaymentId, ShiftId, TransactionId};
use domain::model::base::refusal::Refusal;
use domain::model::books::shift::{Shift, ShiftState, ShiftTotals};
use domain::model::selling::payment::{EXCHANGE, ReversedPayment};
use domain::model::selling::transaction::{Payment, PaymentState, Transaction};
use std::collections::HashMap;

/// Payments of a transaction that count in its shift.
type Counted = HashMap<PaymentId, Payment>;

/// Sums of the shifts that are not closed.
#[derive(Debug, Default)]
pub struct Shifts {
    /// Sums computed from the events.
    replayed: HashMap<ShiftId, ShiftTotals>,
    /// Sums in the rows.
    rows: HashMap<ShiftId, ShiftTotals>,
    /// By shift, then by transaction: voids and corrections happen in the same shift.
    counted: HashMap<ShiftId, HashMap<TransactionId, Counted>>,
}

impl Shifts {
    /// Applies an event, and compares the shifts that it closes.
    pub fn event(&mut self, event: &Event, report: &mut VerifyReport) {
        let replayed = self.replay(event);
        if let Err((what, refusal)) = replayed {
            report.problem(format!("{what}: {refusal}"));
        }
        // A closed shift's sums were compared and are dropped; a count changes none of them.
        let known = |_: &&Shift| !matches!(event.fact, Fact::ShiftRecounted(_));
        for shift in event.shifts().filter(known) {
            self.set_row(shift);
            if matches!(shift.state, ShiftState::Closed | ShiftState::Interrupted) {
                self.compare(&shift.shift_id, report);
            }
        }
    }

    /// Takes over the sums of an event's shifts unchecked. Later events are added to them.
    pub fn trust(&mut self, event: &Event) {
        for shift in event.shifts() {
            self.replayed.insert(shift.shift_id.clone(), shift.totals.clone());
            self.set_row(shift);
        }
    }

    /// Compares the shifts that are still open.
    pub fn finish(mut self, report: &mut VerifyReport) {
        let open: Vec<ShiftId> = self.rows.keys().cloned().collect();
        open.iter().for_each(|shift_id| self.compare(shift_id, report));
    }

    /// Applies the sales, money and goods of an event to the sums. The sums that the event states are not used.
    fn replay(&mut self, event: &Event) -> Result<(), (String, Refusal)> {
        match &event.fact {
            Fact::TransactionOpen(it) => self.count_payments(&it.transaction),
            Fact::TenderCorrected(it) => self.count_payments(&it.transaction),
            Fact::TransactionPaid(it) => {
                self.count_payments(&it.transaction)?;
                let totals = self.totals(&it.transaction.shift_id);
                totals.add_sale(&it.transaction).map_err(problem_of(&it.transaction))
            }
            Fact::TransactionVoided(it) => {
                self.count_payments(&it.transaction)?;
                self.move_exchanged(&it.transaction, &it.refunds)?;
                self.totals(&it.transaction.shift_id).void(&it.transaction);
                Ok(())
            }
            Fact::SaleVoided(it) => {
                self.count_payments(&it.transaction)?;
                self.move_exchanged(&it.transaction, &it.refunds)?;
                let totals = self.totals(&it.transaction.shift_id);
                totals.uncomplete(&it.transaction);
                Ok(())
            }
            Fact::ShiftClosed(it) => {
                let totals = self.totals(&it.shift.shift_id);
                it.voided.iter().for_each(|basket| totals.void(basket));
                Ok(())
            }
            Fact::ReturnPosted(it) => {
                let totals = self.totals(&it.document.shift_id);
                totals.refund(&it.document).map_err(|refusal| (it.document.return_id.0.clone(), refusal))
            }
            Fact::ReturnVoided(it) => {
                let totals = self.totals(&it.document.shift_id);
                totals.unrefund(&it.document);
                Ok(())
            }
            Fact::CashMoved(it) => {
                if let Some(so_far) = self.totals(&it.movement.shift_id).of_cash(it.movement.kind) {
                    *so_far = so_far.saturating_add(it.movement.amount);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn totals(&mut self, shift_id: &ShiftId) -> &mut ShiftTotals {
        self.replayed.entry(shift_id.clone()).or_default()
    }

    /// Counts new payments, and subtracts reversed ones.
    fn count_payments(&mut self, transaction: &Transaction) -> Result<(), (String, Refusal)> {
        let of_shift = self.counted.entry(transaction.shift_id.clone()).or_default();
        let counted = of_shift.entry(transaction.transaction_id.clone()).or_default();
        let totals = self.replayed.entry(transaction.shift_id.clone()).or_default();
        for payment in &transaction.payments {
            let changed = match payment.state {
                PaymentState::Accepted if !counted.contains_key(&payment.payment_id) => {
                    counted.insert(payment.payment_id.clone(), payment.clone());
                    totals.take(std::slice::from_ref(payment))
                }
                PaymentState::Accepted => Ok(()),
                PaymentState::Reversed => {
                    counted.remove(&payment.payment_id).iter().for_each(|before| totals.untake(before));
                    Ok(())
                }
            };
            changed.map_err(problem_of(transaction))?;
        }
        Ok(())
    }

    /// Moves refunds of an exchange's payment from the clearing method to the methods of the original sale
    /// (docs/arithmetic.md#states-of-documents).
    fn move_exchanged(
        &mut self,
        transaction: &Transaction,
        refunds: &[ReversedPayment],
    ) -> Result<(), (String, Refusal)> {
        let totals = self.totals(&transaction.shift_id);
        for back in refunds.iter().filter(|back| back.exchange) {
            let clearing = totals.add_refund(EXCHANGE, back.amount.saturating_neg(), Money::ZERO);
            clearing.map_err(problem_of(transaction))?;
            totals.add_refund(&back.method, back.amount, back.rounding).map_err(problem_of(transaction))?;
        }
        Ok(())
    }

    fn set_row(&mut self, shift: &Shift) {
        self.rows.insert(shift.shift_id.clone(), shift.totals.clone());
    }

    fn compare(&mut self, shift_id: &ShiftId, report: &mut VerifyReport) {
        let Some(row) = self.rows.remove(shift_id) else { return };
        let replayed = self.replayed.remove(shift_id).unwrap_or_default();
        self.counted.remove(shift_id);
        if row != replayed {
            report.problem(format!(
                "shift {shift_id}: its row is {}, but its transactions give {}",
                text(&row),
                text(&replayed)
            ));
        }
    }
}

fn problem_of(transaction: &Transaction) -> impl Fn(Refusal) -> (String, Refusal) {
    let id = transaction.transaction_id.0.clone();
    move |refusal| (id.clone(), refusal)
}

fn text(totals: &ShiftTotals) -> String {
    serde_json::to_string(totals).unwrap_or_default()
}
