//! Rules of the ledger: the decisions that concern a whole store.

mod evolve;
mod open_shift;
mod settle;
mod void;
pub use open_shift::open_shift;
pub use settle::{check_part, settle};
pub use void::{settle_correction, settle_void};
