//! The rules of promotion: what may happen, and what comes of it.

mod evaluate;
mod kind;
pub use evaluate::{Explained, PromoLine, Shared, evaluate, explain};
