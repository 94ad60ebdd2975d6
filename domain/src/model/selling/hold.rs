//! Holds: a basket waits, belongs to no shift, and is recalled by exactly one till.

use crate::model::base::figures::{Money, Quantity};
use crate::model::base::ids::{HoldId, RegisterId, TransactionId, UserId};
use crate::model::base::refusal::Refusal;
use crate::model::base::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// State of a hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HoldState {
    /// The basket is waiting.
    Active,
    /// The basket was recalled at a till.
    Recalled,
    /// The hold expired, and the sale was voided.
    Expired,
    /// The sale was voided.
    Voided,
}

/// A basket that was put on hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hold {
    /// ID of the hold, `hld_…`.
    pub hold_id: HoldId,
    /// State of the hold.
    pub state: HoldState,
    /// Transaction that is on hold.
    pub transaction_id: TransactionId,
    /// Register that put the basket on hold.
    pub register_id: RegisterId,
    /// Note on the hold, for example the customer's name. Null for none.
    pub note: Option<String>,
    /// User who put the basket on hold.
    pub held_by: UserId,
    /// When the basket was put on hold.
    pub held_at: UtcMs,
    /// When the hold expires and the sale is voided. Null if it does not expire.
    pub expires_at: Option<UtcMs>,
    /// Total of the basket when it was put on hold, in minor currency units.
    pub total: Money,
    /// Number of pieces in the basket.
    pub item_count: Quantity,
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
