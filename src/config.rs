//! Settings: `config.toml`, then the environment, over the defaults.
//!
//! The names are contract. The shipped `config.toml` shows every key at its default, and a test
//! proves it; unknown keys and wrong types are refused, so nothing starts with half-read settings.

pub mod check;
pub mod load;
pub mod machine;
pub mod printing;
pub mod rules;
pub mod shop;
pub mod write;

pub use edge::settings::{duration, error, show};

use serde::{Deserialize, Serialize};

/// Every setting of the store, section by section.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Identity of the store.
    pub store: shop::Store,
    pub http: machine::Http,
    pub storage: machine::Storage,
    pub backup: machine::Backup,
    pub auth: machine::Auth,
    pub supervision: machine::Supervision,
    pub idempotency: machine::Idempotency,
    pub tax: shop::Tax,
    /// Payment methods and cash rounding.
    pub payments: shop::Payments,
    pub printing: printing::Printing,
    pub points: shop::Points,
    /// Prices other than the catalogue's.
    pub pricing: shop::Pricing,
    pub reasons: domain::model::selling::reasons::Reasons,
    pub returns: shop::Returns,
    pub holds: shop::Holds,
    pub shifts: shop::Shifts,
    pub registers: shop::Registers,
    /// Actions that a manager has to approve.
    pub approval: shop::Approval,
    pub receiving: shop::Receiving,
    pub members: shop::Members,
    pub stock: shop::Stock,
    /// Link to head office.
    pub hub: machine::Hub,
    pub sync: machine::Sync,
    pub log: machine::Log,
}
