//! Tiers of members.

use crate::http::prelude::*;
use crate::office::lists::entry::{self, Entry, Problems};
use domain::model::base::figures::BasisPoints;
use domain::model::base::limits::{NAME_CHARS_MAX, SHORT_ID_BYTES_MAX};
use domain::rules::base::store_settings::MULTIPLIER_BP_MAX;

const TIER: &str = r#"{"tier": "gold", "name": "Gold", "multiplier_bp": 15000}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/tiers", ADMIN, "Lists").summary("List member tiers, ordered by code").lists::<Tier>(TIER),
    post("/api/tiers", ADMIN, "Lists")
        .summary("Create a member tier; stores get it through their setting `tiers`")
        .refuses(&[Code::Duplicate])
        .creates::<NewTier>(TIER, TIER),
    patch("/api/tiers/:tier", ADMIN, "Lists")
        .summary("Update a member tier")
        .command::<TierChange>(r#"{"multiplier_bp": 20000}"#, TIER),
];

/// A member tier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tier {
    /// Code of the tier, as members name it.
    pub tier: String,
    /// Display name of the tier.
    pub name: String,
    /// Points that members of the tier earn, in basis points of the usual points; 20000 means twice as many.
    pub multiplier_bp: BasisPoints,
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
    #[schemars(length(min = 1, max = SHORT_ID_BYTES_MAX))]
    pub tier: String,
    /// Display name of the tier.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: String,
    /// Points that members of the tier earn, in basis points of the usual points; 20000 means twice as many.
    #[schemars(range(min = 0, max = MULTIPLIER_BP_MAX.get()))]
    pub multiplier_bp: BasisPoints,
}

/// Request body of `PATCH /api/tiers/:tier`. Omitted fields stay as they are.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TierChange {
    /// Display name of the tier.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: Option<String>,
    /// Points that members of the tier earn, in basis points of the usual points; 20000 means twice as many.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(range(min = 0, max = MULTIPLIER_BP_MAX.get()))]
    pub multiplier_bp: Option<BasisPoints>,
}

impl Command for NewTier {
    const ACTION: &'static str = "tier.created";
    type Answer = Tier;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Tier>, Failure> {
        let NewTier { tier, name, multiplier_bp } = self;
        let tier = Tier { tier, name: entry::named(&name)?, multiplier_bp };
        check(&tier)?;
        entry::add(tx.connection, &tier).await?;
        entry::created("/api/tiers", &tier)
    }
}

impl Command for TierChange {
    const ACTION: &'static str = "tier.changed";
    type Answer = Tier;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Tier>, Failure> {
        let before: Tier = entry::locked(tx.connection, tx.path.get("tier")).await?;
        let mut tier = before.clone();
        if let Some(name) = &self.name {
            tier.name = entry::named(name)?;
        }
        tier.multiplier_bp = self.multiplier_bp.unwrap_or(tier.multiplier_bp);
        check(&tier)?;
        entry::put(tx.connection, &tier).await?;
        entry::changed(&before, &tier)
    }
}

fn check(tier: &Tier) -> Result<(), ApiError> {
    let mut problems = Problems::default();
    problems.code("tier", &tier.tier);
    problems.name(&tier.name);
    let sound = (BasisPoints::ZERO..=MULTIPLIER_BP_MAX).contains(&tier.multiplier_bp);
    problems.rule(sound, "multiplier_bp", "must be 0 to 100000");
    problems.done()
}
