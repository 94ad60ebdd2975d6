//! Registers (tills) and their two counters.

use crate::ids::{RegisterId, StoreId};
use serde::{Deserialize, Serialize};

/// A till.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Register {
    /// Its name on the wire: at most 32 of `A-Za-z0-9_-`.
    pub register_id: RegisterId,
    /// Its name for people.
    pub name: String,
    /// A disabled till is refused.
    pub disabled: bool,
}

/// The last numbers that a register gave; both start at 0 and never have a gap.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counters {
    /// The register.
    pub register_id: RegisterId,
    /// The last receipt number given in this epoch (sales and returns share it).
    pub receipt: u64,
    /// The last Z number given.
    pub z: u64,
}

/// Text that stands between register and number, by epoch: empty in a store's first epoch,
/// `.<n><6 hex>` afterwards (sync.md, *Receipt numbers*).
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
