//! A member as the interface shows it.

use crate::model::base::figures::Points;
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
    /// ID of the member, `mbr_…`. For a merged member, the ID of the member that it was merged into.
    pub member_id: MemberId,
    /// Card number or other code of the member. Null for none.
    pub code: Option<String>,
    /// Name of the member.
    pub name: String,
    /// Phone number in E.164 format. Null for none.
    pub phone: Option<String>,
    /// E-mail address in lower case. Null for none.
    pub email: Option<String>,
    /// Date of birth. Null if it is not known.
    pub birth_date: Option<Date>,
    /// Code of the member's tier, as head office defines it. Null for none.
    pub tier: Option<String>,
    /// State of the member.
    pub state: MemberState,
    /// Points that may be spent. Negative if the member owes points.
    pub points_balance: Points,
    /// When the member was registered.
    pub joined_at: UtcMs,
    /// When the member was last changed.
    pub updated_at: UtcMs,
    /// Version of the record: the latest write time of its fields.
    pub version: String,
}

/// The member with its points.
pub fn view(member: &Member, points_balance: Points) -> MemberView {
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
