//! Shift sums: what a shift's transactions give, by the domain's own functions, is what its row says.

use super::VerifyReport;
use domain::event::Event;
use domain::ids::{ShiftId, TransactionId};
use domain::shift::{Shift, ShiftTotals};
use domain::transaction::Transaction;
use std::collections::HashMap;

/// Sums of the shifts that are not closed.
#[derive(Debug, Default)]
pub struct Shifts {
    replayed: HashMap<ShiftId, ShiftTotals>,
    rows: HashMap<ShiftId, ShiftTotals>,
    /// Payments that were counted of transactions that are not complete.
    counted: HashMap<TransactionId, usize>,
}

impl Shifts {
    /// Takes in an event.
    pub fn event(&mut self, event: &Event, report: &mut VerifyReport) {
        match event {
            Event::ShiftOpened { shift, .. } => self.row(shift),
            Event::TransactionOpen { transaction, shift } => {
                self.payments(transaction, report);
                shift.iter().for_each(|shift| self.row(shift));
            }
            Event::TransactionPaid { transaction, shift, .. } => {
                self.payments(transaction, report);
                self.counted.remove(&transaction.transaction_id);
                let totals = self.replayed.entry(transaction.shift_id.clone()).or_default();
                if let Err(refusal) = totals.complete(transaction) {
                    report.problem(format!("{}: {refusal}", transaction.transaction_id));
                }
                self.row(shift);
            }
            Event::ShiftClosed { shift, voided, .. } => {
                let totals = self.replayed.entry(shift.shift_id.clone()).or_default();
                for basket in voided {
                    self.counted.remove(&basket.transaction_id);
                    if let Err(refusal) = totals.void(basket) {
                        report.problem(format!("{}: {refusal}", basket.transaction_id));
                    }
                }
                self.row(shift);
                self.compare(&shift.shift_id, report);
            }
            Event::Restored { shifts, .. } => {
                for shift in shifts {
                    self.row(shift);
                    self.compare(&shift.shift_id, report);
                }
            }
            _ => {}
        }
    }

    /// Compares the shifts that are still open.
    pub fn finish(mut self, report: &mut VerifyReport) {
        let open: Vec<ShiftId> = self.rows.keys().cloned().collect();
        open.iter().for_each(|shift_id| self.compare(shift_id, report));
    }

    fn payments(&mut self, transaction: &Transaction, report: &mut VerifyReport) {
        let counted = self.counted.entry(transaction.transaction_id.clone()).or_default();
        let new = transaction.payments.get(*counted..).unwrap_or_default();
        *counted = transaction.payments.len();
        let totals = self.replayed.entry(transaction.shift_id.clone()).or_default();
        if let Err(refusal) = totals.take(new) {
            report.problem(format!("{}: {refusal}", transaction.transaction_id));
        }
    }

    fn row(&mut self, shift: &Shift) {
        self.rows.insert(shift.shift_id.clone(), shift.totals.clone());
    }

    fn compare(&mut self, shift_id: &ShiftId, report: &mut VerifyReport) {
        let Some(row) = self.rows.remove(shift_id) else { return };
        let replayed = self.replayed.remove(shift_id).unwrap_or_default();
        if row != replayed {
            report.problem(format!(
                "shift {shift_id}: its row says {}, its transactions give {}",
                text(&row),
                text(&replayed)
            ));
        }
    }
}

fn text(totals: &ShiftTotals) -> String {
    serde_json::to_string(totals).unwrap_or_default()
}
