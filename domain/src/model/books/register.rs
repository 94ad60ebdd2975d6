//! Registers (tills) and their two counters. The ledger owns a register and its Z number; its receipt number belongs to
//! the shift that stands there.

use crate::model::base::ids::{RegisterId, Sku, StoreId};
use serde::{Deserialize, Serialize};

/// The till of a shop that names no till.
pub const MAIN: &str = "main";

/// The longest name for people of a till, or of one of its quick keys, in bytes.
pub const NAME_CHARS_MAX: usize = 64;

/// Most quick keys of a till.
pub const QUICK_KEYS_MAX: usize = 24;

/// Product that a till sells by one key, usually without a barcode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuickKey {
    /// SKU of the product.
    pub sku: Sku,
    /// Label of the key. Null for the product's name.
    pub label: Option<String>,
}

/// A register of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Register {
    /// Its name on the wire: at most 32 of `A-Za-z0-9_-`.
    pub register_id: RegisterId,
    /// Display name of the register.
    pub name: String,
    /// A disabled till is refused.
    pub disabled: bool,
    /// Quick keys in order, at most [`QUICK_KEYS_MAX`]. Empty if none were set, and the device has its own.
    pub quick_keys: Vec<QuickKey>,
    /// Last Z number given to a shift that was opened here. It starts at 0 and never has a gap.
    pub z_no: u64,
}

impl Register {
    /// A till that may sell, without quick keys.
    pub fn new(register_id: RegisterId, name: String) -> Self {
        Self { register_id, name, disabled: false, quick_keys: Vec::new(), z_no: 0 }
    }

    /// Gives the next Z number: to a close.
    pub fn next_z(&mut self) -> u64 {
        self.z_no = self.z_no.saturating_add(1);
        self.z_no
    }
}

/// The last receipt number that a register gave; it starts at 0 and never has a gap.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counters {
    pub register_id: RegisterId,
    /// The last receipt number given in this epoch (sales and returns share it).
    pub receipt: u64,
}

/// Text between register and number of a receipt, by epoch: empty in a store's first epoch,
/// `.<n><6 hex>` afterwards (docs/protocol.md#receipt-numbers).
pub fn series(epoch: &str) -> String {
    match epoch.split_once('-') {
        None | Some(("1", _)) => String::new(),
        Some((n, random)) => format!(".{n}{}", random.get(..6).unwrap_or(random)),
    }
}

/// `<store>-<register><series>-<8 digits>`.
pub fn receipt_no(store: &StoreId, register: &RegisterId, series: &str, number: u64) -> String {
    format!("{store}-{register}{series}-{number:08}")
}

/// Whether a receipt number is one of that store's.
pub fn is_numbered_by(receipt_no: &str, store: &str) -> bool {
    receipt_no.strip_prefix(store).is_some_and(|rest| rest.starts_with('-'))
}

/// Whether a register of the one store could give a number of the other, as `S1` with the register `A-1` and
/// `S1-A` with the register `1`.
pub fn share_numbers(store: &str, other: &str) -> bool {
    is_numbered_by(store, other) || is_numbered_by(other, store)
}

impl Counters {
    /// The counters of a register that gave no number yet.
    pub fn new(register_id: RegisterId) -> Self {
        Self { register_id, receipt: 0 }
    }

    /// Gives the next receipt number: to a completed sale or a return.
    pub fn next_receipt(&mut self, store: &StoreId, series: &str) -> String {
        self.receipt = self.receipt.saturating_add(1);
        receipt_no(store, &self.register_id, series, self.receipt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_of_one_store() {
        assert!(is_numbered_by("S1-A-00000001", "S1") && is_numbered_by("S1-A-1-00000001", "S1-A"));
        for other in ["S", "S1-A", "S2", ""] {
            assert!(!is_numbered_by("S1-main-00000001", other), "{other}");
        }
        assert!(share_numbers("S1", "S1-A") && share_numbers("S1-A", "S1"));
        for (one, other) in [("S1", "S1"), ("S1", "S10"), ("S1", "S1_A"), ("S1-A", "S1-B")] {
            assert!(!share_numbers(one, other), "{one} {other}");
        }
    }

    #[test]
    fn each_epoch_has_a_series_of_its_own() {
        let number = |epoch: &str| {
            let mut counters = Counters::new("till-1".into());
            counters.next_receipt(&"S001".into(), &series(epoch))
        };
        assert_eq!(number("1-0123456789abcdef"), "S001-till-1-00000001");
        assert_eq!(number("2-0123456789abcdef"), "S001-till-1.2012345-00000001");
    }
}
