//! Tiers of members.

use crate::db::failure::Failure;
use crate::office::lists::entry::{self, Entry, Problems};
use domain::rules::base::store_settings::MULTIPLIER_BP_MAX;
use edge::ApiError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;

/// A member tier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tier {
    /// Code of the tier, as members name it.
    pub tier: String,
    /// Display name of the tier.
    pub name: String,
    /// Points that members of the tier earn, in basis points of the usual points; 20000 means twice as many.
    pub multiplier_bp: i64,
}

impl Entry for Tier {
    const LIST: &'static str = "tiers";
    const WHAT: &'static str = "the tier";
    fn key(&self) -> String {
        self.tier.clone()
    }
}

/// Request body of `POST /api/tiers`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTier {
    /// Code of the tier, as members name it.
    pub tier: String,
    /// Display name of the tier.
    pub name: String,
    /// Points that members of the tier earn, in basis points of the usual points; 20000 means twice as many.
    pub multiplier_bp: i64,
}

/// Request body of `PATCH /api/tiers/:tier`. Omitted fields stay as they are.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TierChange {
    /// Display name of the tier.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub name: Option<String>,
    /// Points that members of the tier earn, in basis points of the usual points; 20000 means twice as many.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub multiplier_bp: Option<i64>,
}

/// Adds a tier.
///
/// # Errors
/// 422; 409 `duplicate`.
pub async fn create(connection: &mut AnyConnection, new: NewTier) -> Result<Tier, Failure> {
    let NewTier { tier, name, multiplier_bp } = new;
    let tier = Tier { tier, name: name.trim().to_owned(), multiplier_bp };
    check(&tier)?;
    entry::add(connection, &tier).await?;
    Ok(tier)
}

/// Changes a tier.
///
/// # Errors
/// 404; 422.
pub async fn change(
    connection: &mut AnyConnection,
    tier: &str,
    asked: TierChange,
) -> Result<[Tier; 2], Failure> {
    let before: Tier = entry::locked(connection, tier).await?;
    let mut tier = before.clone();
    tier.name = asked.name.map_or(tier.name, |name| name.trim().to_owned());
    tier.multiplier_bp = asked.multiplier_bp.unwrap_or(tier.multiplier_bp);
    check(&tier)?;
    entry::put(connection, &tier).await?;
    Ok([before, tier])
}

fn check(tier: &Tier) -> Result<(), ApiError> {
    let mut problems = Problems::default();
    problems.code("tier", &tier.tier);
    problems.name(&tier.name);
    let sound = (0..=MULTIPLIER_BP_MAX).contains(&tier.multiplier_bp);
    problems.rule(sound, "multiplier_bp", "must be 0 to 100000");
    problems.done()
}
