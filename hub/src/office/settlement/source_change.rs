//! What is said of a source.

use crate::office::settlement::file::format::Format;
use domain::model::base::patch::Given;
use domain::rules::books::settlement::{FeeOnRefunds, SourceKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether its files are still imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "StatementSourceState")]
pub enum State {
    /// They are.
    Active,
    /// It keeps its lines.
    Inactive,
}

/// What a terminal or shop of a source is to us.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoreRef {
    /// As it is in its files.
    #[serde(rename = "ref")]
    pub name: String,
    /// The store.
    pub store_id: String,
}

/// What is said of a source: of a new one `name`, `kind` and `methods` at least.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "StatementSourceChange")]
pub struct Change {
    /// Of a new one; it does not change.
    pub kind: Option<SourceKind>,
    /// For people.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub name: Option<String>,
    /// Whose payments it settles.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub methods: Option<Vec<String>>,
    /// The asset account where its money arrives.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub account: Option<String>,
    /// Null: files of any account are taken.
    pub account_no: Given<String>,
    /// Null: rows of any currency are taken.
    pub currency: Given<String>,
    /// Null: times in files change no day.
    pub timezone: Given<String>,
    /// Null: fees are as they are reported.
    pub fee_rate_bp: Given<i64>,
    /// Of each payment, beside the rate.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub fee_fixed: Option<i64>,
    /// By how much a fee may be another.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub fee_tolerance: Option<i64>,
    /// How the fee of a refunded payment is treated.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub fee_on_refunds: Option<FeeOnRefunds>,
    /// How many days after a payment its line may come.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub window_days: Option<i64>,
    /// How many days after a payment it is reported.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub lag_days: Option<i64>,
    /// Its terminals.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub store_refs: Option<Vec<StoreRef>>,
    /// How its files look.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub csv: Option<Format>,
    /// Whether they are still imported.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub state: Option<State>,
}
