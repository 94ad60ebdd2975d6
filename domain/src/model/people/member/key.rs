//! Keys that identify exactly one member: phone, e-mail, code.

use crate::model::base::ids::MemberId;
use crate::model::people::member::Member;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A unique key of a member.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemberKey {
    /// Phone number in E.164 format. Null for none.
    Phone(String),
    /// E-mail address in lower case. Null for none.
    Email(String),
    /// Code of the member, exactly as given. Null for none.
    Code(String),
}

/// The keys in use, and the members that commands name.
///
/// The owner of the book may load both on demand: a rule reads only the rows that its command names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemberBook {
    /// Members by ID.
    pub members: BTreeMap<MemberId, Member>,
    /// Members by unique key.
    pub keys: BTreeMap<MemberKey, MemberId>,
}

impl MemberKey {
    /// The keys of a member.
    pub fn of(member: &Member) -> Vec<Self> {
        let phone = member.phone.clone().map(Self::Phone);
        let email = member.email.clone().map(Self::Email);
        let code = member.code.clone().map(Self::Code);
        [phone, email, code].into_iter().flatten().collect()
    }

    /// Keys that no longer name a member after the member's change.
    pub(crate) fn freed(before: Option<&Member>, after: &Member) -> Vec<Self> {
        let kept = Self::of(after);
        let before = before.map(Self::of).unwrap_or_default();
        before.into_iter().filter(|key| !kept.contains(key)).collect()
    }
}
