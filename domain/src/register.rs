//! Registers (tills) and their two counters.

use crate::ids::{RegisterId, StoreId};
use serde::{Deserialize, Serialize};

/// The till of a shop that names none.
pub const MAIN: &str = "main";
/// The longest till name on the wire, in bytes.
pub const ID_BYTES_MAX: usize = 32;
/// What a till name must be, for a person.
pub const ID_PROBLEM: &str = "must be 1 to 32 of A-Z, a-z, 0-9, _ and -";

/// Whether `id` may name a till.
pub fn valid_id(id: &str) -> bool {
    (1..=ID_BYTES_MAX).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

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
