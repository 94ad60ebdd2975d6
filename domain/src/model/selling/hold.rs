//! Holds: a basket waits, belongs to no shift, and is recalled by exactly one till.

use crate::model::base::ids::{HoldId, RegisterId, TransactionId, UserId};
use crate::model::base::refusal::Refusal;
use crate::model::base::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a hold is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HoldState {
    /// Waiting.
    Active,
    /// A till took it.
    Recalled,
    /// It waited too long: the sale was voided.
    Expired,
    /// The sale was voided.
    Voided,
}

/// A waiting basket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hold {
    /// `hld_…`
    pub hold_id: HoldId,
    /// Where it is in its life.
    pub state: HoldState,
    /// The basket.
    pub transaction_id: TransactionId,
    /// The till that put it away.
    pub register_id: RegisterId,
    /// For whom, or the like.
    pub note: Option<String>,
    /// Who put it away.
    pub held_by: UserId,
    /// When.
    pub held_at: UtcMs,
    /// When its sale will be voided; none: never.
    pub expires_at: Option<UtcMs>,
    /// The basket's total when it was put away.
    pub total: i64,
    /// Pieces in it.
    pub item_count: i64,
}

impl HoldState {
    /// The state's name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Recalled => "recalled",
            Self::Expired => "expired",
            Self::Voided => "voided",
        }
    }

    /// `invalid_state`; only an active hold has steps.
    pub fn refusal(self) -> Refusal {
        let steps: &[&str] = if self == Self::Active { &["recall", "void"] } else { &[] };
        let allowed = steps.iter().map(|step| (*step).to_owned()).collect();
        Refusal::InvalidState { state: self.name().to_owned(), allowed }
    }
}
