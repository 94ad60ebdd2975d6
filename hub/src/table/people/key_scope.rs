//! Rights of an API key: areas of the API, each to read or to write.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// Tags of the API document whose operations API keys may call. Operations of all other tags are refused, so a new tag
/// is closed to keys until it is added here. Users, passkeys, API keys and log-ins never are: a key could make itself
/// another way in.
pub const AREAS: [&str; 17] = [
    "Audit",
    "Catalogue",
    "Documents of stores",
    "Event log",
    "Finance",
    "Goods of stores",
    "Lists",
    "Members",
    "Payables",
    "Purchasing",
    "Reports",
    "Settings",
    "Settlement",
    "Stock",
    "Stores",
    "Synchronisation",
    "Warehouses",
];

/// Number of scopes: each area to read and to write.
pub const SCOPES: usize = 2 * AREAS.len();

/// An area, to read or to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scope {
    tag: &'static str,
    writes: bool,
}

impl Scope {
    /// The scope that an operation needs. `None` if API keys may not call operations of this tag.
    pub fn of(tag: &str, writes: bool) -> Option<Self> {
        let tag = AREAS.into_iter().find(|area| *area == tag)?;
        Some(Self { tag, writes })
    }

    /// Every scope, ordered by area.
    pub fn all() -> impl Iterator<Item = Self> {
        AREAS.into_iter().flat_map(|tag| [false, true].map(|writes| Self { tag, writes }))
    }

    /// Tag of the operations that it permits.
    pub fn area(self) -> &'static str {
        self.tag
    }

    /// Whether it permits changes.
    pub fn writes(self) -> bool {
        self.writes
    }

    /// The scope's name, for example `documents_of_stores:read`.
    pub fn name(self) -> String {
        let area = self.tag.to_lowercase().replace(' ', "_");
        format!("{area}:{}", if self.writes { "write" } else { "read" })
    }
}

impl Serialize for Scope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

impl<'de> Deserialize<'de> for Scope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let found = Self::all().find(|scope| scope.name() == name);
        found.ok_or_else(|| D::Error::custom("is not a scope: use an area of the API with :read or :write"))
    }
}

impl JsonSchema for Scope {
    fn schema_name() -> Cow<'static, str> {
        "ApiKeyScope".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<String> = Self::all().map(Self::name).collect();
        json_schema!({"type": "string", "enum": names})
    }
}
