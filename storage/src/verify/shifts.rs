//! Shift sums: what a shift's transactions give, by the domain's own functions, is what its row says.

use super::VerifyReport;
use domain::event::Event;
use domain::ids::{PaymentId, ShiftId, TransactionId};
use domain::payment::EXCHANGE;
use domain::refusal::Refusal;
use domain::sale::GivenBack;
use domain::shift::{Shift, ShiftTotals};
use domain::transaction::{Payment, PaymentState, Transaction};
use std::collections::HashMap;

/// Payments of a transaction that count in its shift.
type Counted = HashMap<PaymentId, Payment>;

/// Sums of the shifts that are not closed.
#[derive(Debug, Default)]
pub struct Shifts {
    replayed: HashMap<ShiftId, ShiftTotals>,
    rows: HashMap<ShiftId, ShiftTotals>,
    /// By shift, then by transaction: what is voided or corrected is so in its own shift.
    counted: HashMap<ShiftId, HashMap<TransactionId, Counted>>,
}

impl Shifts {
    /// Takes in an event.
    pub fn event(&mut self, event: &Event, report: &mut VerifyReport) {
        let replayed = self.replay(event);
        if let Err((what, refusal)) = replayed {
            report.problem(format!("{what}: {refusal}"));
        }
        match event {
            Event::ShiftClosed { shift, .. } => {
                self.row(shift);
                self.compare(&shift.shift_id, report);
            }
            Event::Restored { shifts, .. } => {
                for shift in shifts {
                    self.row(shift);
                    self.compare(&shift.shift_id, report);
                }
            }
            // A closed shift's sums were compared and are let go; a count changes none of them.
            Event::ShiftRecounted { .. } => {}
            other => other.shift().into_iter().for_each(|shift| self.row(shift)),
        }
    }

    /// Takes the sums of an event's shift as they are: whatever follows is counted from there.
    pub fn trust(&mut self, event: &Event) {
        if let Some(shift) = event.shift() {
            self.replayed.insert(shift.shift_id.clone(), shift.totals.clone());
            self.row(shift);
        }
    }

    /// Compares the shifts that are still open.
    pub fn finish(mut self, report: &mut VerifyReport) {
        let open: Vec<ShiftId> = self.rows.keys().cloned().collect();
        open.iter().for_each(|shift_id| self.compare(shift_id, report));
    }

    /// Does to the sums what the event says of sales, money and goods, never what it says of the sums.
    fn replay(&mut self, event: &Event) -> Result<(), (String, Refusal)> {
        match event {
            Event::TransactionOpen { transaction, .. } | Event::TenderCorrected { transaction, .. } => {
                self.payments(transaction)
            }
            Event::TransactionPaid { transaction, .. } => {
                self.payments(transaction)?;
                self.totals(&transaction.shift_id).complete(transaction).map_err(of(transaction))
            }
            Event::TransactionVoided { transaction, refunds, .. } => {
                self.payments(transaction)?;
                self.exchanged(transaction, refunds)?;
                self.totals(&transaction.shift_id).void(transaction).map_err(of(transaction))
            }
            Event::SaleVoided { transaction, refunds, .. } => {
                self.payments(transaction)?;
                self.exchanged(transaction, refunds)?;
                self.totals(&transaction.shift_id).uncomplete(transaction).map_err(of(transaction))
            }
            Event::ShiftClosed { shift, voided, .. } => voided
                .iter()
                .try_for_each(|basket| self.totals(&shift.shift_id).void(basket).map_err(of(basket))),
            Event::ReturnPosted { document, .. } => {
                let totals = self.totals(&document.shift_id);
                totals.refund(document).map_err(|refusal| (document.return_id.0.clone(), refusal))
            }
            Event::ReturnVoided { document, .. } => {
                let totals = self.totals(&document.shift_id);
                totals.unrefund(document).map_err(|refusal| (document.return_id.0.clone(), refusal))
            }
            Event::CashMoved { movement, .. } => {
                if let Some(so_far) = self.totals(&movement.shift_id).of_cash(movement.kind) {
                    *so_far = so_far.saturating_add(movement.amount);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn totals(&mut self, shift_id: &ShiftId) -> &mut ShiftTotals {
        self.replayed.entry(shift_id.clone()).or_default()
    }

    /// Counts payments that are new, and takes back those that were reversed.
    fn payments(&mut self, transaction: &Transaction) -> Result<(), (String, Refusal)> {
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
                    counted.remove(&payment.payment_id).map_or(Ok(()), |before| totals.untake(&before))
                }
            };
            changed.map_err(of(transaction))?;
        }
        Ok(())
    }

    /// What an exchange paid goes back by the methods of its origin (docs/arithmetic.md#states-of-documents).
    fn exchanged(
        &mut self,
        transaction: &Transaction,
        refunds: &[GivenBack],
    ) -> Result<(), (String, Refusal)> {
        let totals = self.totals(&transaction.shift_id);
        for back in refunds.iter().filter(|back| back.exchange) {
            let clearing = totals.give_back(EXCHANGE, back.amount.saturating_neg(), 0);
            clearing.map_err(of(transaction))?;
            totals.give_back(&back.method, back.amount, back.rounding).map_err(of(transaction))?;
        }
        Ok(())
    }

    fn row(&mut self, shift: &Shift) {
        self.rows.insert(shift.shift_id.clone(), shift.totals.clone());
    }

    fn compare(&mut self, shift_id: &ShiftId, report: &mut VerifyReport) {
        let Some(row) = self.rows.remove(shift_id) else { return };
        let replayed = self.replayed.remove(shift_id).unwrap_or_default();
        self.counted.remove(shift_id);
        if row != replayed {
            report.problem(format!(
                "shift {shift_id}: its row says {}, its transactions give {}",
                text(&row),
                text(&replayed)
            ));
        }
    }
}

fn of(transaction: &Transaction) -> impl Fn(Refusal) -> (String, Refusal) {
    let id = transaction.transaction_id.0.clone();
    move |refusal| (id.clone(), refusal)
}

fn text(totals: &ShiftTotals) -> String {
    serde_json::to_string(totals).unwrap_or_default()
}
