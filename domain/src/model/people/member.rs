//! Members: people to whom sales are attributed and who collect points.

use crate::model::base::figures::BasisPoints;
use crate::model::base::ids::MemberId;
use crate::model::base::settings::Rules;
use crate::model::base::time::UtcMs;
use crate::model::hub::stamp::Stamp;
use crate::model::people::points::MULTIPLIER_BP;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

mod key;
pub use key::{MemberBook, MemberKey};

/// State of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemberState {
    /// May buy, and earn and redeem points.
    Active,
    /// May buy, but can't earn or redeem points.
    Blocked,
    /// Merged into another member.
    Merged,
    /// All personal data was erased.
    Erased,
}

/// Last write of a field, by which the hub resolves conflicts (docs/protocol.md#last-write-wins).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct FieldMark {
    /// Hybrid clock of the write.
    pub at: String,
    /// The event that wrote it, or the hub's change.
    pub event_id: String,
    /// Whether the value was written here, and head office's decision on it is not here yet: it stays on top of the
    /// feed's value.
    pub open: bool,
}

impl FieldMark {
    /// A write of this store.
    pub(crate) fn local(stamp: &Stamp) -> Self {
        Self { at: stamp.at.clone(), event_id: stamp.event_id.0.clone(), open: true }
    }

    /// Mark of a value that head office has.
    pub(crate) fn from_hub(at: &str, by: &str) -> Self {
        Self { at: at.to_owned(), event_id: by.to_owned(), open: false }
    }
}

/// A member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Member {
    /// ID of the member, `mbr_…`.
    pub member_id: MemberId,
    /// Card number or the like; unique.
    pub code: Option<String>,
    /// Name of the member.
    pub name: String,
    /// E.164; unique.
    pub phone: Option<String>,
    /// Lower-cased; unique.
    pub email: Option<String>,
    /// Date of birth. Null if it is not known.
    pub birth_date: Option<Date>,
    /// Code of the member's tier, as head office defines it. Null for none.
    pub tier: Option<String>,
    /// State of the member.
    pub state: MemberState,
    /// Member that this one was merged into.
    pub merged_into: Option<MemberId>,
    /// Members that were merged into this one.
    pub merged: Vec<MemberId>,
    /// When the member was registered.
    pub joined_at: UtcMs,
    /// When the member was last changed.
    pub updated_at: UtcMs,
    /// Version of the record: the latest write time of its fields.
    pub version: String,
    /// Last write of each field.
    pub marks: BTreeMap<String, FieldMark>,
}

impl MemberState {
    /// The state's name as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Blocked => "blocked",
            Self::Merged => "merged",
            Self::Erased => "erased",
        }
    }
}

/// Most members that are merged into one.
pub const MERGED_MAX: usize = 100;

impl Member {
    /// The IDs whose points and sales are this member's: its own, and those of members that were merged into it.
    pub fn family(&self) -> impl Iterator<Item = &MemberId> {
        std::iter::once(&self.member_id).chain(&self.merged)
    }

    /// A member without any known or written field.
    pub fn blank(member_id: MemberId, at: UtcMs) -> Self {
        Self {
            member_id,
            code: None,
            name: String::new(),
            phone: None,
            email: None,
            birth_date: None,
            tier: None,
            state: MemberState::Active,
            merged_into: None,
            merged: Vec::new(),
            joined_at: at,
            updated_at: at,
            version: String::new(),
            marks: BTreeMap::new(),
        }
    }

    /// Points that the member earns, in basis points of the points of a member without a tier.
    pub fn multiplier_bp(&self, rules: &Rules) -> BasisPoints {
        match self.state {
            MemberState::Active => {
                let tier = self.tier.as_ref().and_then(|tier| rules.policy.tiers.get(tier));
                tier.copied().unwrap_or(MULTIPLIER_BP)
            }
            _ => BasisPoints::ZERO,
        }
    }
}

/// The field that states whether a member is active, blocked or erased.
pub const STATE: &str = "state";
/// Name of a member whose data was erased.
pub const ERASED_NAME: &str = "erased";

/// Value of a field of a member whose data was erased.
pub fn of_erased(field: &str) -> Value {
    match field {
        STATE => json!(MemberState::Erased),
        "name" => json!(ERASED_NAME),
        _ => Value::Null,
    }
}

/// The fields that both sides may write, with their values.
pub(crate) fn fields(member: &Member) -> BTreeMap<&'static str, Value> {
    BTreeMap::from([
        ("code", json!(member.code)),
        ("name", json!(member.name)),
        ("phone", json!(member.phone)),
        ("email", json!(member.email)),
        ("birth_date", json!(member.birth_date)),
        ("tier", json!(member.tier)),
        ("state", json!(member.state)),
    ])
}

/// The fields whose values differ, with the new ones.
pub fn changed(before: &Member, after: &Member) -> BTreeMap<&'static str, Value> {
    let old = fields(before);
    fields(after).into_iter().filter(|(field, value)| old.get(field) != Some(value)).collect()
}
