//! The rules and terms of a store: pure functions over plain values.
//!
//! Nothing in this crate waits, reads, writes, uses a clock or draws random numbers: time, IDs and randomness are
//! arguments. `decide` answers a command with an event or a refusal, `settle` completes a draft with rows that two
//! shifts may change at the same time, `evolve` applies an event.
//!
//! `model` has the data and imports neither of the others. `wire` has the messages and imports `model`. `rules` decide
//! what is allowed.
//!
//! Terms are defined in docs/glossary.md.

#![warn(clippy::arithmetic_side_effects)]

pub mod model;
pub mod rules;
pub mod wire;
