//! A member as the interface shows it.

use crate::model::base::ids::MemberId;
use crate::model::base::time::UtcMs;
use crate::model::people::member::{Member, MemberState};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

/// A member with its points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Member")]
pub struct MemberView {
    /// `mbr_…`; of a merged one, the one that it goes on as.
    pub member_id: MemberId,
    /// Card number or the like.
    pub code: Option<String>,
    /// Name.
    pub name: String,
    /// E.164.
    pub phone: Option<String>,
    /// Lower-cased.
    pub email: Option<String>,
    /// Birthday.
    pub birth_date: Option<Date>,
    /// Tier, as head office names them.
    pub tier: Option<String>,
    /// Where it is in its life.
    pub state: MemberState,
    /// Points that may be spent; below 0: owed.
    pub points_balance: i64,
    /// When it was registered.
    pub joined_at: UtcMs,
    /// When it was last changed.
    pub updated_at: UtcMs,
    /// Highest stamp of its fields.
    pub version: String,
}

/// The member with its points.
pub fn view(member: &Member, points_balance: i64) -> MemberView {
    let Member { member_id, code, name, phone, email, birth_date, tier, state, .. } = member.clone();
    let Member { joined_at, updated_at, version, .. } = member.clone();
    MemberView {
        member_id,
        code,
        name,
        phone,
        email,
        birth_date,
        tier,
        state,
        points_balance,
        joined_at,
        updated_at,
        version,
    }
}
