//! What the tests stand on: a shop over a real storage, and a hub that answers as a test wants it to.

pub mod hub;
pub mod shop;
