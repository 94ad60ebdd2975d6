//! The ledger: what two shifts can contend for.

mod open_shift;
mod settle;

pub use open_shift::open_shift;
pub use settle::settle;

use crate::event::Event;
use crate::ids::{ReceivingId, RegisterId, ShiftId, Sku, UserId};
use crate::receiving::Receiving;
use crate::register::Register;
use crate::shift::Shift;
use crate::stock::Stock;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// Stock, the registry of open shifts, tills, and the delivery notes seen.
///
/// Whoever keeps the book may load `stock` and `delivery_notes` on demand: a rule looks only at
/// the rows that its command names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LedgerBook {
    /// Stock by sku.
    pub stock: HashMap<Sku, Stock>,
    /// Shifts that are not closed.
    pub shifts: HashMap<ShiftId, OpenShiftEntry>,
    /// Known tills.
    pub registers: BTreeMap<RegisterId, Register>,
    /// Receiving documents by delivery note.
    pub delivery_notes: BTreeMap<DeliveryNote, ReceivingId>,
}

/// Who sells where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenShiftEntry {
    /// The till.
    pub register_id: RegisterId,
    /// Who opened it.
    pub user_id: UserId,
}

impl OpenShiftEntry {
    /// The entry of a shift.
    pub fn of(shift: &Shift) -> Self {
        Self { register_id: shift.register_id.clone(), user_id: shift.opened_by.clone() }
    }
}

/// A supplier's delivery note: it may be received once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DeliveryNote {
    /// The supplier; empty where none was named.
    pub supplier_id: String,
    /// The number on the note.
    pub number: String,
}

impl DeliveryNote {
    /// The note of a supplier, where there is a number.
    pub fn new(supplier_id: Option<&str>, number: Option<&str>) -> Option<Self> {
        let supplier_id = supplier_id.unwrap_or_default().to_owned();
        number.map(|number| Self { supplier_id, number: number.to_owned() })
    }

    /// The note of a document.
    pub fn of(receiving: &Receiving) -> Option<Self> {
        Self::new(receiving.supplier_id.as_deref(), receiving.delivery_note_no.as_deref())
    }
}

impl LedgerBook {
    /// Folds an event.
    pub fn evolve(&mut self, event: &Event) {
        match event {
            Event::TransactionPaid { stock, .. } | Event::StockOpened { stock, .. } => self.take_rows(stock),
            Event::ReceivingPosted { receiving, stock, .. } => {
                self.take_rows(stock);
                if let Some(note) = DeliveryNote::of(receiving) {
                    self.delivery_notes.insert(note, receiving.receiving_id.clone());
                }
            }
            Event::ShiftOpened { shift, register } => {
                self.shifts.insert(shift.shift_id.clone(), OpenShiftEntry::of(shift));
                self.registers.insert(register.register_id.clone(), register.clone());
            }
            Event::ShiftClosed { shift, .. } => {
                self.shifts.remove(&shift.shift_id);
            }
            _ => {}
        }
    }

    fn take_rows(&mut self, rows: &[Stock]) {
        for row in rows {
            self.stock.insert(row.sku.clone(), row.clone());
        }
    }

    /// The row of a sku; one that is not there starts at zero.
    pub(crate) fn row(&self, sku: &Sku) -> Stock {
        let empty = || Stock { sku: sku.clone(), ..Stock::default() };
        self.stock.get(sku).cloned().unwrap_or_else(empty)
    }
}
