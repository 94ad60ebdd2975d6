//! Rules of promotions.

mod evaluate;
mod kind;
pub use evaluate::{Explained, PromoLine, Shared, evaluate, explain};
