//! Registers (tills) and their two counters.

use crate::ids::{RegisterId, StoreId};
use crate::refusal::Refusal;
use serde::{Deserialize, Serialize};

mod change;
mod view;

pub use change::{ChangeRegister, NAME_BYTES_MAX, NewRegister, RegisterState, add, change};
pub use view::RegisterView;

/// The till of a shop that names none.
pub const MAIN: &str = "main";
/// The longest till name on the wire, in bytes.
pub const ID_BYTES_MAX: usize = 32;
/// What a till name must be, for a person.
pub const ID_PROBLEM: &str = "must be 1 to 32 of A-Z, a-z, 0-9, _ and -";

/// Most tills of a store, those that were made by their first use among them.
pub const REGISTERS_MAX: usize = 500;

/// Whether another till finds room.
///
/// # Errors
/// `validation_failed`.
pub(crate) fn room(count: usize) -> Result<(), Refusal> {
    if count < REGISTERS_MAX {
        return Ok(());
    }
    let problem = format!("a store has at most {REGISTERS_MAX} tills: use the name of one that exists");
    Err(Refusal::field("register_id", problem))
}

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

impl Counters {
    /// The counters of a register that gave no number yet.
    pub fn new(register_id: RegisterId) -> Self {
        Self { register_id, receipt: 0, z: 0 }
    }

    /// Gives the next receipt number: to a completed sale or a return.
    pub fn next_receipt(&mut self, store: &StoreId, series: &str) -> String {
        self.receipt = self.receipt.saturating_add(1);
        receipt_no(store, &self.register_id, series, self.receipt)
    }

    /// Gives the next Z number: to a close.
    pub fn next_z(&mut self) -> u64 {
        self.z = self.z.saturating_add(1);
        self.z
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_epoch_has_a_series_of_its_own() {
        let number = |epoch: &str| {
            let mut counters = Counters::new("till-1".into());
            counters.next_receipt(&"S001".into(), &series(epoch))
        };
        assert_eq!(number("1-0123456789abcdef"), "S001-till-1-00000001");
        assert_eq!(number("2-0123456789abcdef"), "S001-till-1.2012345-00000001");
    }

    #[test]
    fn till_names_fit_a_header() {
        for good in ["main", "till-1", "A_b-9", &"x".repeat(32)] {
            assert!(valid_id(good), "{good}");
        }
        for bad in ["", "till 1", "käse", "a.b", &"x".repeat(33)] {
            assert!(!valid_id(bad), "{bad}");
        }
    }
}
