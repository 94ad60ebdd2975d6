//! How events change the ledger.

use super::{DeliveryNote, LedgerBook, OpenShiftEntry};
use crate::adjustment::{Adjustment, AdjustmentState};
use crate::event::Event;
use crate::opname::{Opname, OpnameLine};
use crate::points::PointsAccount;
use crate::returns::SaleAfter;
use crate::stock::Stock;

impl LedgerBook {
    /// Folds an event.
    pub fn evolve(&mut self, event: &Event) {
        match event {
            Event::TransactionOpen { transaction, .. } => self.reserve_points(transaction),
            Event::TransactionVoided { transaction, .. } => {
                self.reserved_points.remove(&transaction.transaction_id);
            }
            Event::TransactionPaid { transaction, stock, account, .. } => {
                self.reserved_points.remove(&transaction.transaction_id);
                self.take_rows(stock);
                self.take_account(account.as_deref());
            }
            Event::SaleVoided { after, stock, account, .. } => {
                self.take_sale(Some(after));
                self.take_rows(stock);
                self.take_account(account.as_deref());
            }
            Event::ReturnPosted { after, stock, account, .. }
            | Event::ReturnVoided { after, stock, account, .. } => {
                self.take_sale(after.as_deref());
                self.take_rows(stock);
                self.take_account(account.as_deref());
            }
            Event::TenderCorrected { after, .. } => self.take_sale(Some(after)),
            Event::PointsChanged { account, .. } => self.take_account(Some(account)),
            Event::TransactionHeld { hold, transaction } => {
                let waiting = ((**hold).clone(), (**transaction).clone());
                self.holds.insert(hold.hold_id.clone(), waiting);
            }
            Event::HoldRecalled { hold, .. } | Event::HoldVoided { hold, .. } => {
                self.holds.remove(&hold.hold_id);
            }
            Event::ShiftOpened { shift, register } => {
                self.shifts.insert(shift.shift_id.clone(), OpenShiftEntry::of(shift));
                self.days.entry(shift.business_date).or_insert(shift.business_date);
                self.registers.insert(register.register_id.clone(), register.clone());
            }
            Event::ShiftClosed { shift, .. } => {
                self.shifts.remove(&shift.shift_id);
            }
            Event::DaySealed { day } => {
                self.days.remove(&day.business_date);
                self.sealed.insert(day.business_date, day.sealed_by.is_none());
            }
            Event::DayReopened { day } => {
                self.sealed.remove(&day.business_date);
                self.days.insert(day.business_date, day.open_until);
            }
            Event::RegisterChanged { register } => {
                self.registers.insert(register.register_id.clone(), register.clone());
            }
            other => self.evolve_goods(other),
        }
    }

    /// What only moves goods.
    fn evolve_goods(&mut self, event: &Event) {
        match event {
            Event::ReceivingPosted { receiving, stock, .. } => {
                self.take_rows(stock);
                if let Some(note) = DeliveryNote::of(receiving) {
                    self.delivery_notes.insert(note, receiving.receiving_id.clone());
                }
            }
            Event::ReceivingReversed { receiving, freed, stock, .. } => {
                self.take_rows(stock);
                self.reversed_receivings.insert(receiving.receiving_id.clone());
                if let Some(note) = freed {
                    self.delivery_notes.remove(note);
                }
            }
            Event::SupplierReturnPosted { stock, .. } | Event::StockOpened { stock, .. } => {
                self.take_rows(stock);
            }
            Event::AdjustmentChanged { adjustment, stock, .. } => {
                self.take_rows(stock);
                self.take_adjustment(adjustment);
            }
            Event::TransferChanged { transfer, stock, .. } => {
                self.take_rows(stock);
                self.transfers.insert(transfer.transfer_id.clone(), (**transfer).clone());
            }
            Event::OrderProgressed { progress } => {
                self.orders.insert(progress.po_id.clone(), (**progress).clone());
            }
            Event::OpnameChanged { opname, lines, stock, .. } => {
                self.take_rows(stock);
                self.take_opname(opname, lines);
            }
            _ => {}
        }
    }

    fn take_rows(&mut self, rows: &[Stock]) {
        for row in rows {
            self.stock.insert(row.sku.clone(), row.clone());
        }
    }

    fn take_account(&mut self, account: Option<&PointsAccount>) {
        if let Some(account) = account {
            self.points.insert(account.member_id.clone(), account.clone());
        }
    }

    fn take_sale(&mut self, after: Option<&SaleAfter>) {
        if let Some(after) = after {
            self.sales.insert(after.transaction_id.clone(), after.clone());
        }
    }

    /// One that was posted at once is not contended for before it is reversed.
    fn take_adjustment(&mut self, adjustment: &Adjustment) {
        if adjustment.state == AdjustmentState::Pending || adjustment.decided_at.is_some() {
            self.adjustments.insert(adjustment.adjustment_id.clone(), adjustment.clone());
        }
    }

    fn take_opname(&mut self, opname: &Opname, lines: &[OpnameLine]) {
        self.opnames.insert(opname.opname_id.clone(), opname.clone());
        if opname.state.over() {
            self.counted.retain(|(id, _), _| *id != opname.opname_id);
            return;
        }
        for line in lines {
            self.counted.insert((line.opname_id.clone(), line.sku.clone()), line.clone());
        }
    }
}
