//! Applies events to the ledger's book.

use crate::model::base::event::{Event, Fact, Rows};
use crate::model::books::ledger::{DeliveryNote, HeldBasket, LedgerBook, OpenShiftEntry};
use crate::model::books::register::Register;
use crate::model::inventory::adjustment::{Adjustment, AdjustmentState};
use crate::model::inventory::opname::{Opname, OpnameLine};

impl LedgerBook {
    /// Applies an event. The rows of an event are applied for every fact; the match has the further changes of a fact.
    pub fn evolve(&mut self, event: &Event) {
        self.take_rows(&event.rows);
        match &event.fact {
            Fact::TransactionOpen(it) => self.reserve_points(&it.transaction),
            Fact::TransactionVoided(it) => drop(self.reserved_points.remove(&it.transaction.transaction_id)),
            Fact::TransactionPaid(it) => drop(self.reserved_points.remove(&it.transaction.transaction_id)),
            Fact::TransactionHeld(it) => {
                let held = HeldBasket { hold: it.hold.clone(), basket: it.transaction.clone() };
                self.holds.insert(it.hold.hold_id.clone(), held);
            }
            Fact::HoldRecalled(it) => drop(self.holds.remove(&it.hold.hold_id)),
            Fact::HoldVoided(it) => drop(self.holds.remove(&it.hold.hold_id)),
            Fact::ShiftOpened(it) => {
                self.shifts.insert(it.shift.shift_id.clone(), OpenShiftEntry::of(&it.shift));
                self.days.entry(it.shift.business_date).or_insert(it.shift.business_date);
            }
            Fact::ShiftMoved(it) => {
                self.shifts.insert(it.shift.shift_id.clone(), OpenShiftEntry::of(&it.shift));
            }
            Fact::ShiftClosed(it) => drop(self.shifts.remove(&it.shift.shift_id)),
            Fact::DaySealed(it) => {
                self.days.remove(&it.day.business_date);
                self.sealed.insert(it.day.business_date, it.day.sealed_by.is_none());
            }
            Fact::DayReopened(it) => {
                self.sealed.remove(&it.day.business_date);
                self.days.insert(it.day.business_date, it.day.open_until);
            }
            Fact::RegisterChanged(it) => self.take_register(&it.register),
            Fact::ReceivingPosted(it) => {
                if let Some(note) = DeliveryNote::of(&it.receiving) {
                    self.delivery_notes.insert(note, it.receiving.receiving_id.clone());
                }
            }
            Fact::ReceivingReversed(it) => {
                self.reversed_receivings.insert(it.receiving.receiving_id.clone());
                it.freed.iter().for_each(|note| drop(self.delivery_notes.remove(note)));
            }
            Fact::AdjustmentChanged(it) => self.take_adjustment(&it.adjustment),
            Fact::TransferChanged(it) => {
                self.transfers.insert(it.transfer.transfer_id.clone(), it.transfer.clone());
            }
            Fact::OpnameChanged(it) => self.take_opname(&it.opname, &it.lines),
            _ => {}
        }
    }

    /// Applies the rows that an event carries, with their values after it.
    fn take_rows(&mut self, rows: &Rows) {
        self.stock.extend(rows.stock.iter().map(|row| (row.sku.clone(), row.clone())));
        self.points.extend(rows.account.iter().map(|row| (row.member_id.clone(), (**row).clone())));
        self.sales.extend(rows.after.iter().map(|row| (row.transaction_id.clone(), (**row).clone())));
        self.orders.extend(rows.progress.iter().map(|row| (row.po_id.clone(), (**row).clone())));
        rows.register.iter().for_each(|row| self.take_register(row));
        if let Some(row) = &rows.written_off {
            self.written_off.insert(row.user_id.clone(), (**row).clone());
        }
        if let Some(safe) = &rows.safe {
            self.safe = (**safe).clone();
        }
    }

    fn take_register(&mut self, register: &Register) {
        self.registers.insert(register.register_id.clone(), register.clone());
    }

    /// Keeps an adjustment that waits for approval or was decided on. An adjustment that was posted at once is loaded
    /// from the rows when it is reversed.
    fn take_adjustment(&mut self, adjustment: &Adjustment) {
        if adjustment.state == AdjustmentState::Pending || adjustment.decided_at.is_some() {
            self.adjustments.insert(adjustment.adjustment_id.clone(), adjustment.clone());
        }
    }

    fn take_opname(&mut self, opname: &Opname, lines: &[OpnameLine]) {
        self.opnames.insert(opname.opname_id.clone(), opname.clone());
        if opname.state.is_over() {
            self.counted.retain(|(id, _), _| *id != opname.opname_id);
            return;
        }
        for line in lines {
            self.counted.insert((line.opname_id.clone(), line.sku.clone()), line.clone());
        }
    }
}
