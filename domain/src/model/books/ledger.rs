//! The ledger: what two shifts can contend for.

use crate::model::base::ids::{RegisterId, UserId};
use crate::model::books::shift::Shift;
use crate::model::inventory::receiving::Receiving;
use serde::{Deserialize, Serialize};

mod book;
pub use book::{HeldBasket, LedgerBook};

/// Register and user of an open shift.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenShiftEntry {
    /// Register of the shift.
    pub register_id: RegisterId,
    /// User who opened the shift.
    pub user_id: UserId,
    pub business_date: jiff::civil::Date,
}

impl OpenShiftEntry {
    /// The entry of a shift.
    pub fn of(shift: &Shift) -> Self {
        Self {
            register_id: shift.register_id.clone(),
            user_id: shift.opened_by.clone(),
            business_date: shift.business_date,
        }
    }
}

/// A supplier's delivery note: it may be received once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DeliveryNote {
    /// The supplier; empty where none was named.
    pub supplier_id: String,
    /// The number on the note, as it is compared: [`note_key`].
    pub number: String,
}

/// Form in which the number of a supplier's paper is compared: without spaces and `- . /`, in upper case. A number
/// that consists of nothing else is left as it is.
pub fn note_key(number: &str) -> String {
    let kept = number.chars().filter(|c| !c.is_whitespace() && !matches!(c, '-' | '.' | '/'));
    let key: String = kept.flat_map(char::to_uppercase).collect();
    if key.is_empty() { number.to_owned() } else { key }
}

impl DeliveryNote {
    /// The note of a supplier, where there is a number.
    pub fn new(supplier_id: Option<&str>, number: Option<&str>) -> Option<Self> {
        let supplier_id = supplier_id.unwrap_or_default().to_owned();
        number.map(|number| Self { supplier_id, number: note_key(number) })
    }

    /// The note of a document.
    pub fn of(receiving: &Receiving) -> Option<Self> {
        Self::new(receiving.supplier_id.as_deref(), receiving.delivery_note_no.as_deref())
    }
}
