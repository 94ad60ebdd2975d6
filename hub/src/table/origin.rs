//! Head office or a store: where a value comes from, as columns name it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Head office.
    Hub,
    /// A store.
    Store,
}
