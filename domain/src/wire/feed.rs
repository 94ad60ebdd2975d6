//! What the feed carries, kind by kind; products and promotions are their own records.

use crate::model::base::figures::Points;
use crate::model::base::ids::{RegisterId, StoreId, UserId};
use crate::model::base::time::UtcMs;
use crate::model::people::user::{FieldTimes, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

pub mod check;
pub mod lane;
pub use lane::Kind;

/// Kind `store`: a store of the company. Every store receives all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StoreDown {
    /// ID of the store, which is also the change's.
    pub store_id: StoreId,
    /// Name of the store.
    pub name: String,
    /// Whether head office disabled the store, so that it does not receive what is sent to it.
    pub disabled: bool,
}

/// Kind `user`: a person that head office gives to the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UserDown {
    /// ID of the user.
    pub user_id: UserId,
    /// Login name, lower-cased.
    pub username: String,
    /// Display name.
    pub name: String,
    /// Role of the user.
    pub role: Role,
    /// Store that the user belongs to.
    pub store_id: StoreId,
    /// argon2id in PHC form, where head office set it last.
    pub password_hash: Option<String>,
    /// When each of these fields was set. A value that was set later at the store stays.
    pub times: FieldTimes,
    /// Version of the user's tokens. Those of a lower version are revoked.
    pub token_version: u64,
    /// Whether the user is denied access. Only a higher `grant` restores it.
    pub disabled: bool,
    /// Number of times that head office granted the user access. A denial applies to every `user` with the same or a
    /// lower number, in any order of arrival.
    pub grant: u64,
    /// When the user was created, at a store or head office.
    pub created_at: UtcMs,
    /// Head office gave the person to the store: names and role are its own.
    pub given: bool,
}

/// Kind `token_revocation`; the change's ID is the user's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RevocationDown {
    /// User whose tokens are revoked.
    pub user_id: UserId,
    /// Version of the user's tokens. Those of a lower version are revoked.
    pub token_version: u64,
    /// When the tokens were revoked.
    pub revoked_at: UtcMs,
}

/// One field of a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FieldDown {
    /// The value that counts.
    pub value: Value,
    /// Its stamp.
    pub at: String,
    /// The `event_id` or hub change that wrote the value: the `base` of a write that replaces it.
    pub by: String,
}

/// Kind `member`: its fields as they count now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemberDown {
    /// ID of the member.
    pub member_id: String,
    /// When the member was registered, at whichever place. Omitted if the record states neither this nor any merge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joined_at: Option<UtcMs>,
    /// Member that this one was merged into, by head office's decision alone, whatever its fields contain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<String>,
    /// Members that were merged into this one: their points and sales are this one's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<String>,
    /// By name.
    pub fields: BTreeMap<String, FieldDown>,
}

/// The store's own records that the balances of a page contain.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Covered {
    /// Name of the epoch.
    pub epoch: String,
    /// Sequence number of the last record that the balances contain.
    pub seq: u64,
    /// Hash of the record at `seq`. If the store's own hash differs, the store must send a hello.
    pub hash: String,
}

/// Kind `points`; the change's ID is the member's. All stores get the same record: which of the receiving store's own
/// records it contains is sent once, beside the changes of the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PointsDown {
    /// ID of the member.
    pub member_id: String,
    /// Sum of the entries that head office has applied, when the page was made.
    pub balance: Points,
}

/// The receiving store's own records that all balances of a page contain. Both lists are empty if a page has no
/// balance. Read together with the balances from one state of the database.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// The store's own records that the balances contain, except those in `missing`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub includes: Vec<Covered>,
    /// Events that the balances do not contain because they are parked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

impl Coverage {
    /// Whether the balances contain the store's record at this place. `event_id` is its event's, where that
    /// can be read.
    pub fn covers(&self, epoch: &str, seq: u64, event_id: impl FnOnce() -> Option<String>) -> bool {
        self.includes.iter().any(|end| end.epoch == epoch && end.seq >= seq)
            && (self.missing.is_empty() || event_id().is_none_or(|id| !self.missing.contains(&id)))
    }
}

/// Kind `settings` of a product; the change's ID is the setting's name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SettingDown {
    /// Name of the setting.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// Its stamp.
    pub at: String,
    /// The `event_id` or hub change that wrote the value.
    pub by: String,
}

/// ID of the record of kind `settings` with the settings that head office made for the store.
pub const STORE_SETTINGS: &str = "store";

/// Kind `settings`, ID [`STORE_SETTINGS`]: all that head office set for the store, by section and key as in its settings file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StoreSettingsDown {
    /// Fields by name. A field that is not there is as in the store's settings file.
    pub fields: BTreeMap<String, FieldDown>,
}

/// Kind `register`; the change's ID is the till's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegisterDown {
    /// ID of the register.
    pub register_id: RegisterId,
    /// Display name of the register. Null if head office gave it none.
    pub name: Option<String>,
    /// Whether the register is refused. Null if head office never set it.
    pub disabled: Option<bool>,
}

/// Version of a record that contains what a push wrote. The store shows its own value until the feed reaches this
/// version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordVersion {
    /// Type of the record: `member`, …
    pub kind: String,
    /// ID of the record.
    pub id: String,
    /// Version of the record at the hub.
    pub version: String,
}

/// A change of the hub's feed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Position of the change in the feed.
    pub cursor: String,
    /// Kind of record: `product`, …
    pub kind: String,
    /// ID of the record.
    pub id: String,
    /// Version of the record.
    pub version: String,
    /// Whether the record was deleted.
    pub deleted: bool,
    /// When the record takes effect. Null if it takes effect at once.
    pub effective_at: Option<UtcMs>,
    /// The record itself.
    pub payload: serde_json::Value,
}

/// Answer to a pull.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PullAnswer {
    /// Changes after the cursor, in order.
    pub changes: Vec<Change>,
    /// Cursor to continue from.
    pub next_cursor: String,
    /// Whether more changes wait.
    pub more: bool,
    /// The store's own records that the balances among the changes contain.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// Generation of the hub's database.
    pub hub_generation: String,
    /// Current time of the hub's clock.
    pub hub_time: UtcMs,
}
