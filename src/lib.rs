//! The Store Router: settings, commands, the HTTP interface of one store, and their assembly. Rules are in `domain`,
//! the storage engine in `storage`, and the actors in `actors`.
//!
//! Terms are defined in docs/glossary.md.

pub mod app;
pub mod cli;
pub mod config;
pub mod confirmed_time;
pub mod control;
pub mod exit;
pub mod folder;
pub mod http;
pub mod hub_address;
pub mod printing;
pub mod random;
pub mod receipt;
pub mod start;
pub mod stock_csv;
pub mod sync_key;
pub mod upkeep;
