//! Rules of the ledger: the decisions that concern a whole store.

mod close_shift;
mod evolve;
mod move_shift;
mod open_shift;
mod settle;
mod void;
pub use close_shift::numbered;
pub use move_shift::may_stand;
pub use open_shift::open_shift;
pub use settle::{check_part, settle};
pub use void::{settle_correction, settle_void};
