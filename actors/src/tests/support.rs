//! Support of the tests: a shop with a real storage, and a hub with scripted answers.

pub mod hub;
pub mod shop;
