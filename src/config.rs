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
    /// The HTTP edge.
    pub http: machine::Http,
    /// The data folder.
    pub storage: machine::Storage,
    /// Backups.
    pub backup: machine::Backup,
    /// Tokens and passwords.
    pub auth: machine::Auth,
    /// The restart budget.
    pub supervision: machine::Supervision,
    /// Stored answers.
    pub idempotency: machine::Idempotency,
    /// Tax.
    pub tax: shop::Tax,
    /// Payment methods and cash rounding.
    pub payments: shop::Payments,
    /// Paper and printers.
    pub printing: printing::Printing,
    /// Loyalty points.
    pub points: shop::Points,
    /// Prices other than the catalogue's.
    pub pricing: shop::Pricing,
    /// Reason codes.
    pub reasons: domain::model::selling::reasons::Reasons,
    /// Returns.
    pub returns: shop::Returns,
    /// Holds.
    pub holds: shop::Holds,
    /// Shifts.
    pub shifts: shop::Shifts,
    /// Tills.
    pub registers: shop::Registers,
    /// Actions that a manager has to approve.
    pub approval: shop::Approval,
    /// Goods of suppliers.
    pub receiving: shop::Receiving,
    /// Members.
    pub members: shop::Members,
    /// Stock.
    pub stock: shop::Stock,
    /// Link to head office.
    pub hub: machine::Hub,
    /// Synchronisation.
    pub sync: machine::Sync,
    /// The log.
    pub log: machine::Log,
}
