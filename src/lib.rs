//! The Store Router: settings, commands, the HTTP interface of one shop, and how they are put
//! together. No rules, no storage engine, no actor references: those live in `domain`, `storage`
//! and `actors`.
//!
//! The words are those of docs/glossary.md.

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
pub mod sync_key;
pub mod upkeep;
