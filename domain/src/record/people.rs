//! Records of people: members and their points, users, the audit log; and of settings of products.

use super::text;
use crate::audit::AuditEntry;
use crate::event::Stamp;
use crate::ids::{MemberId, Sku, StoreId, UserId};
use crate::member::{Member, changed};
use crate::points::PointsEntry;
use crate::time::UtcMs;
use crate::user::{Role, User};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A field that both sides may write (docs/protocol.md#last-write-wins).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldWrite {
    /// What it is now.
    pub value: Value,
    /// Hybrid clock of the write.
    pub at: String,
    /// The event, or the hub's change, whose value this one replaced; empty: none.
    pub base: String,
}

/// Payload of `member.changed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberChanged {
    /// The member.
    pub id: MemberId,
    /// The fields that were written.
    pub fields: BTreeMap<String, FieldWrite>,
}

/// Payload of `product_settings.changed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProductSettingsChanged {
    /// The product.
    pub id: Sku,
    /// The fields that were written.
    pub fields: BTreeMap<String, FieldWrite>,
}

/// Payload of `points.adjusted`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointsAdjusted {
    /// The day it counts for.
    pub business_date: Date,
    /// What moved.
    pub entry: PointsEntry,
    /// Why.
    pub reason: String,
}

/// Payload of `user.changed`: all that a rebuilt box needs to let the person in again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserChanged {
    /// Who.
    pub user_id: UserId,
    /// Login name.
    pub username: String,
    /// Display name.
    pub name: String,
    /// What the person may do.
    pub role: Role,
    /// The store that the person belongs to.
    pub store_id: StoreId,
    /// Whether the person may log in.
    pub disabled: bool,
    /// Tokens of an earlier version are dead.
    pub token_version: u64,
    /// argon2id in PHC form; none: no log-in by password. Head office keeps it with the record, and gives it to
    /// nobody but this store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_hash: Option<String>,
    /// When it was changed.
    pub updated_at: UtcMs,
}

/// Payload of `audit.recorded`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditRecorded {
    /// The day it counts for, where a day matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub business_date: Option<Date>,
    /// What was done.
    #[serde(flatten)]
    pub entry: AuditEntry,
}

/// The record of a changed member; `before` is none for a new one.
pub fn member_changed(stamp: &Stamp, before: Option<&Member>, after: &Member) -> String {
    let values = match before {
        Some(before) => changed(before, after),
        None => crate::member::fields(after),
    };
    let base = |field: &str| before.and_then(|before| before.marks.get(field));
    let fields = values
        .into_iter()
        .map(|(field, value)| {
            let base = base(field).map(|mark| mark.event_id.clone()).unwrap_or_default();
            (field.to_owned(), FieldWrite { value, at: stamp.at.clone(), base })
        })
        .collect();
    text(stamp, "member.changed", MemberChanged { id: after.member_id.clone(), fields })
}

/// The record of a member's fields as they are given: also of a value that the store has already, and the
/// hub has not.
pub fn member_written(stamp: &Stamp, changed: &MemberChanged) -> String {
    text(stamp, "member.changed", changed)
}

/// The record of settings of a product that this store changed.
pub fn product_settings_changed(stamp: &Stamp, changed: &ProductSettingsChanged) -> String {
    text(stamp, "product_settings.changed", changed)
}

/// The record of points that a manager moved.
pub fn points_adjusted(stamp: &Stamp, entry: &PointsEntry, reason: &str) -> String {
    let (business_date, reason) = (entry.business_date, reason.to_owned());
    text(stamp, "points.adjusted", PointsAdjusted { business_date, entry: entry.clone(), reason })
}

/// The record of a user that this store changed.
pub fn user_changed(stamp: &Stamp, user: &User) -> String {
    let User { user_id, username, name, role, store_id, password_hash, token_version, disabled, .. } =
        user.clone();
    let updated_at = user.updated_at;
    let payload = UserChanged {
        user_id,
        username,
        name,
        role,
        store_id,
        disabled,
        token_version,
        password_hash,
        updated_at,
    };
    text(stamp, "user.changed", payload)
}

/// The record of a sensitive action.
pub fn audit_recorded(stamp: &Stamp, business_date: Option<Date>, entry: &AuditEntry) -> String {
    text(stamp, "audit.recorded", AuditRecorded { business_date, entry: entry.clone() })
}
