//! A member that a store does not find: head office is asked for it.

use crate::model::base::ids::MemberId;
use crate::model::base::time::UtcMs;
use crate::model::people::member::MemberKey;
use crate::wire::feed::{Change, Coverage};
use crate::wire::sync::FIND_BYTES_MAX;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Request body of `POST /api/sync/members`: finds the member that has one of these values. At least one is required.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindMember {
    /// Current or earlier ID of the member. Null for none.
    #[schemars(length(min = 1))]
    pub member_id: Option<MemberId>,
    /// Phone number in E.164 format. Null for none.
    #[schemars(length(min = 1, max = FIND_BYTES_MAX))]
    pub phone: Option<String>,
    /// E-mail address in lower case. Null for none.
    #[schemars(length(min = 1, max = FIND_BYTES_MAX))]
    pub email: Option<String>,
    /// Code of the member, exactly as given. Null for none.
    #[schemars(length(min = 1, max = FIND_BYTES_MAX))]
    pub code: Option<String>,
}

/// Answer to `POST /api/sync/members`: the member and its points, as the feed would send them. Empty if there is no
/// such member.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FoundMember {
    /// Changes of kinds `member` and `points`. Their cursors must not be pulled from.
    pub changes: Vec<Change>,
    /// The store's own records that the balances contain.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// Generation of the hub's database.
    pub hub_generation: String,
    /// Current time of the hub's clock.
    pub hub_time: UtcMs,
}

impl FindMember {
    pub fn by_id(id: &MemberId) -> Self {
        Self { member_id: Some(id.clone()), ..Self::default() }
    }

    /// By any of these.
    pub fn by_keys(keys: Vec<MemberKey>) -> Self {
        keys.into_iter().fold(Self::default(), |find, key| match key {
            MemberKey::Phone(phone) => Self { phone: Some(phone), ..find },
            MemberKey::Email(email) => Self { email: Some(email), ..find },
            MemberKey::Code(code) => Self { code: Some(code), ..find },
        })
    }

    /// Values that are searched for, field by field.
    pub fn texts(&self) -> Vec<(&'static str, &str)> {
        let id = self.member_id.as_ref().map(MemberId::as_str);
        let asked = [
            ("member_id", id),
            ("phone", self.phone.as_deref()),
            ("email", self.email.as_deref()),
            ("code", self.code.as_deref()),
        ];
        asked.into_iter().filter_map(|(name, text)| Some((name, text?))).collect()
    }
}
