//! A member as the interface shows it.

use super::Member;
use serde_json::{Value, json};

/// The member with its points.
pub fn view(member: &Member, points_balance: i64) -> Value {
    json!({
        "member_id": member.member_id,
        "code": member.code,
        "name": member.name,
        "phone": member.phone,
        "email": member.email,
        "birth_date": member.birth_date,
        "tier": member.tier,
        "state": member.state,
        "merged_into": member.merged_into,
        "points_balance": points_balance,
        "joined_at": member.joined_at,
        "updated_at": member.updated_at,
        "version": member.version,
    })
}
