//! Records of people: members and their points, users, the audit log; and of settings of products.

use crate::model::base::ids::{MemberId, Sku, StoreId, UserId};
use crate::model::base::limits::FIGURE_MAX;
use crate::model::base::time::UtcMs;
use crate::model::hub::stamp::Stamp;
use crate::model::people::audit::AuditEntry;
use crate::model::people::member::{Member, changed};
use crate::model::people::points::PointsEntry;
use crate::model::people::user::{FieldTimes, LATEST_WORD, Role, User};
use crate::wire::record::effect::of_store;
use crate::wire::record::{About, AnyPayload, Effect, Payload, text};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A field that both sides may write (docs/protocol.md#last-write-wins).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldWrite {
    /// New value of the field.
    pub value: Value,
    /// Hybrid clock of the write.
    pub at: String,
    /// The event, or the hub's change, whose value this one replaced; empty: none.
    pub base: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberChanged {
    /// ID of the member.
    pub id: MemberId,
    /// The fields that were written.
    pub fields: BTreeMap<String, FieldWrite>,
}

impl Payload for MemberChanged {
    fn about(&self) -> About {
        About::default().belongs("member", self.id.as_str())
    }

    fn effect(&self, _kind: &str, _store_id: &str) -> Result<Effect, String> {
        if self.fields.is_empty() {
            return Err("no field was written".to_owned());
        }
        Ok(Effect::default())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProductSettingsChanged {
    /// SKU of the product.
    pub id: Sku,
    /// The fields that were written.
    pub fields: BTreeMap<String, FieldWrite>,
}

impl Payload for ProductSettingsChanged {
    fn about(&self) -> About {
        About::default()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointsAdjusted {
    /// Business date to which the record belongs.
    pub business_date: Date,
    pub entry: PointsEntry,
    /// Reason given for the correction.
    pub reason: String,
}

impl Payload for PointsAdjusted {
    fn about(&self) -> About {
        let about = About::day(self.business_date, self.entry.points);
        about.belongs("member", self.entry.member_id.as_str()).points(Some(&self.entry.member_id), &[])
    }

    fn effect(&self, _kind: &str, _store_id: &str) -> Result<Effect, String> {
        Ok(Effect { points: vec![self.entry.clone()], ..Effect::default() })
    }
}

/// Payload of `user.changed`: all that a rebuilt box needs to let the person in again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserChanged {
    /// ID of the user.
    pub user_id: UserId,
    pub username: String,
    pub name: String,
    /// Role of the user.
    pub role: Role,
    /// The store that the person belongs to.
    pub store_id: StoreId,
    /// Whether the user is disabled.
    pub disabled: bool,
    /// Version of the user's tokens. Those of an earlier version are revoked.
    pub token_version: u64,
    /// argon2id in PHC form. `None`: no log-in by password. Head office keeps it with the record, and sends it to
    /// this store only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_hash: Option<String>,
    /// When each of these fields was set. The record has all fields of the user, also those that were set earlier.
    pub times: FieldTimes,
    /// When the user was created, at a store or head office.
    pub created_at: UtcMs,
    /// When the user was last changed.
    pub updated_at: UtcMs,
}

impl Payload for UserChanged {
    fn about(&self) -> About {
        About::default()
    }

    fn effect(&self, _kind: &str, store_id: &str) -> Result<Effect, String> {
        of_store(self.store_id.as_str(), store_id)?;
        // A denial applies regardless of its times: head office reads later ones as the latest valid time.
        if self.times.latest() > LATEST_WORD && !self.disabled {
            return Err(format!("times is later than {LATEST_WORD}: the store's clock was wrong"));
        }
        if i64::try_from(self.token_version).is_ok_and(|version| version <= FIGURE_MAX) {
            return Ok(Effect::default());
        }
        Err(format!("token_version is above {FIGURE_MAX}: it could never rise again"))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditRecorded {
    /// The day it counts for, where a day matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub business_date: Option<Date>,
    /// The recorded audit entry.
    #[serde(flatten)]
    pub entry: AuditEntry,
}

impl Payload for AuditRecorded {
    fn about(&self) -> About {
        About { business_date: self.business_date, ..About::default() }
    }
}

/// The record of a changed member; `before` is none for a new one.
pub fn member_changed(stamp: &Stamp, before: Option<&Member>, after: &Member) -> String {
    let values = match before {
        Some(before) => changed(before, after),
        None => crate::model::people::member::fields(after),
    };
    let base = |field: &str| before.and_then(|before| before.marks.get(field));
    let fields = values
        .into_iter()
        .map(|(field, value)| {
            let base = base(field).map(|mark| mark.event_id.clone()).unwrap_or_default();
            (field.to_owned(), FieldWrite { value, at: stamp.at.clone(), base })
        })
        .collect();
    text(stamp, AnyPayload::MemberChanged, MemberChanged { id: after.member_id.clone(), fields })
}

/// The record of a member's fields as they are given: also of a value that the store has already, and the
/// hub has not.
pub fn member_written(stamp: &Stamp, changed: &MemberChanged) -> String {
    text(stamp, AnyPayload::MemberChanged, changed.clone())
}

/// The record of settings of a product that this store changed.
pub fn product_settings_changed(stamp: &Stamp, changed: &ProductSettingsChanged) -> String {
    text(stamp, AnyPayload::ProductSettingsChanged, changed.clone())
}

/// The record of points that a manager moved.
pub fn points_adjusted(stamp: &Stamp, entry: &PointsEntry, reason: &str) -> String {
    let (business_date, reason) = (entry.business_date, reason.to_owned());
    text(stamp, AnyPayload::PointsAdjusted, PointsAdjusted { business_date, entry: entry.clone(), reason })
}

/// The record of a user that this store changed.
pub fn user_changed(stamp: &Stamp, user: &User) -> String {
    let User {
        user_id, username, name, role, store_id, password_hash, times, token_version, disabled, ..
    } = user.clone();
    let (created_at, updated_at) = (user.created_at, user.updated_at);
    let payload = UserChanged {
        user_id,
        username,
        name,
        role,
        store_id,
        disabled,
        token_version,
        password_hash,
        times,
        created_at,
        updated_at,
    };
    text(stamp, AnyPayload::UserChanged, payload)
}

/// The record of a sensitive action.
pub fn audit_recorded(stamp: &Stamp, business_date: Option<Date>, entry: &AuditEntry) -> String {
    text(stamp, AnyPayload::AuditRecorded, AuditRecorded { business_date, entry: entry.clone() })
}
