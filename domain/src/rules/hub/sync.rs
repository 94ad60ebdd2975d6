//! Rules of the synchronisation with head office.

mod decided;
mod digest;
pub mod lww;
pub mod mending;
pub mod parking;
pub mod problem;
pub mod rules;
pub mod session;
pub mod settle;
pub mod tally;
pub use decided::decided;
pub use digest::{Counted, counted, counted_of};
