//! The rules of ledger: what may happen, and what comes of it.

mod evolve;
mod open_shift;
mod settle;
mod void;
pub use open_shift::open_shift;
pub use settle::{check_part, settle};
pub use void::{settle_correction, settle_void};
