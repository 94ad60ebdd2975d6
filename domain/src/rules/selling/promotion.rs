//! Rules of promotion: decisions and their effects.

mod evaluate;
mod kind;
pub use evaluate::{Explained, PromoLine, Shared, evaluate, explain};
