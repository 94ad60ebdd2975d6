//! States of settlements and statements.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// State of the settlement of a store's day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettlementState {
    /// Items are still open.
    Open,
    /// Every item is matched, carried or written off.
    Reconciled,
    /// A user must resolve a difference.
    Discrepant,
    /// Posted; its day is locked.
    Approved,
}

impl SettlementState {
    pub const ALL: [Self; 4] = [Self::Open, Self::Reconciled, Self::Discrepant, Self::Approved];

    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Reconciled => "reconciled",
            Self::Discrepant => "discrepant",
            Self::Approved => "approved",
        }
    }

    /// State of a settlement that is not approved, by the numbers of items without a match and of open exceptions.
    pub fn of(items_open: i64, exceptions_open: i64) -> Self {
        match (items_open, exceptions_open) {
            (0, 0) => Self::Reconciled,
            (_, 0) => Self::Open,
            _ => Self::Discrepant,
        }
    }
}

/// State of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatementState {
    /// Some lines are not matched or resolved.
    Imported,
    /// Every line is matched or resolved.
    Reconciled,
    /// A user must resolve a difference.
    Discrepant,
    /// Approved: lines that belong to no settlement are posted.
    Approved,
}

impl StatementState {
    pub const ALL: [Self; 4] = [Self::Imported, Self::Reconciled, Self::Discrepant, Self::Approved];

    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Imported => "imported",
            Self::Reconciled => "reconciled",
            Self::Discrepant => "discrepant",
            Self::Approved => "approved",
        }
    }

    /// State of a statement that is not approved, by the numbers of lines without a match and of open exceptions.
    pub fn of(lines_open: i64, exceptions_open: i64) -> Self {
        match SettlementState::of(lines_open, exceptions_open) {
            SettlementState::Open => Self::Imported,
            SettlementState::Discrepant => Self::Discrepant,
            SettlementState::Reconciled | SettlementState::Approved => Self::Reconciled,
        }
    }
}
