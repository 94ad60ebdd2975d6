//! The ledger: resources for which two shifts can contend.

use crate::model::base::ids::{RegisterId, UserId};
use crate::model::base::text::plain;
use crate::model::books::shift::Shift;
use crate::model::inventory::receiving::Receiving;
use serde::{Deserialize, Serialize};

mod book;
pub use book::{HeldBasket, LedgerBook};

/// Registers and user of an open shift.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenShiftEntry {
    /// Registers where the shift stands.
    pub registers: Vec<RegisterId>,
    /// User who opened the shift.
    pub user_id: UserId,
    pub business_date: jiff::civil::Date,
}

impl OpenShiftEntry {
    /// The entry of a shift.
    pub fn of(shift: &Shift) -> Self {
        Self {
            registers: shift.registers().to_vec(),
            user_id: shift.opened_by.clone(),
            business_date: shift.business_date,
        }
    }
}

/// A supplier's delivery note: it may be received once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DeliveryNote {
    /// The supplier, whose own numbers these are.
    pub supplier_id: String,
    /// The number on the note, as it is compared: [`note_key`].
    pub number: String,
}

/// Form in which the number of a supplier's paper is compared: its letters and digits alone, composed (Unicode NFKC) and
/// in upper case. A number without any keeps its other characters; a blank one has none.
pub fn note_key(number: &str) -> String {
    let number = plain(number);
    let kept = number.chars().filter(|c| c.is_alphanumeric());
    let key: String = kept.flat_map(char::to_uppercase).collect();
    if key.is_empty() { number.split_whitespace().collect() } else { key }
}

/// The number of a delivery note as it was written. `None` for a blank one, too.
pub fn stated_note(number: Option<&str>) -> Option<&str> {
    number.map(str::trim).filter(|number| !note_key(number).is_empty())
}

impl DeliveryNote {
    /// The note of a supplier. `None` without a number, and without a supplier: a number without a supplier may belong
    /// to two suppliers.
    pub fn new(supplier_id: Option<&str>, number: Option<&str>) -> Option<Self> {
        let (supplier_id, number) = (supplier_id?.to_owned(), note_key(stated_note(number)?));
        Some(Self { supplier_id, number })
    }

    /// The note of a document.
    pub fn of(receiving: &Receiving) -> Option<Self> {
        Self::new(receiving.supplier_id.as_deref(), receiving.delivery_note_no.as_deref())
    }
}
