//! Other people's programs that the commands need, found or installed.

pub mod apt;
pub mod cpu;
pub mod faketime;
pub mod npm;
pub mod postgres;
pub mod supply;
pub mod units;
