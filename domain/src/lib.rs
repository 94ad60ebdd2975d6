//! The rules and the words of a shop: pure functions over plain values.
//!
//! Nothing in this crate waits, reads, writes, looks at a clock or rolls dice: time, ids and
//! randomness arrive as arguments. `decide` answers a command with an event or a refusal,
//! `settle` completes a draft with what two shifts can contend for, `evolve` folds an event.
//!
//! `model` says what is and imports neither of the others; `wire` says what is sent and imports `model`;
//! `rules` say what may happen.
//!
//! The words are those of docs/glossary.md.

#![warn(clippy::arithmetic_side_effects)]

pub mod model;
pub mod rules;
pub mod wire;
