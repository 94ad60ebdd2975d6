//! Changes a source.

use domain::model::base::figures::{BasisPoints, Money};
use domain::model::base::patch::Given;
use domain::rules::books::settlement::{FeeOnRefunds, SourceKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statements::format::Format;

/// Whether the files of a source are still imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "StatementSourceState")]
pub enum State {
    /// Files of the source are imported.
    Active,
    /// Files of the source are no longer imported; its lines are kept.
    Inactive,
}

/// Store that a terminal or shop of a source belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoreRef {
    /// Name of the terminal or shop in the files.
    #[serde(rename = "ref")]
    pub name: String,
    /// ID of the store.
    pub store_id: String,
}

/// Fields of a source. A new source needs at least `name`, `kind` and `methods`. In a change, omitted fields stay as
/// they are.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "StatementSourceChange")]
pub struct Change {
    /// Kind of source. It can't be changed later.
    #[serde(deserialize_with = "domain::model::base::patch::set")]
    pub kind: Option<SourceKind>,
    /// Display name of the source.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub name: Option<String>,
    /// Payment methods that the source settles.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub methods: Option<Vec<String>>,
    /// Asset account that receives the source's money.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub account: Option<String>,
    /// Number or IBAN of the account. Null to accept files of any account.
    #[serde(deserialize_with = "domain::model::base::patch::text")]
    pub account_no: Given<String>,
    /// ISO 4217 code of the currency. Null to accept rows in any currency.
    #[serde(deserialize_with = "domain::model::base::patch::text")]
    pub currency: Given<String>,
    /// Time zone of the times in the files. Null to use the files' days as they are.
    #[serde(deserialize_with = "domain::model::base::patch::text")]
    pub timezone: Given<String>,
    /// Fee of each payment, in basis points. Null if the reported fees are accepted.
    pub fee_rate_bp: Given<BasisPoints>,
    /// Fixed fee of each payment, in addition to the rate, in minor currency units.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub fee_fixed: Option<Money>,
    /// Amount by which a fee may differ from the expected one, in minor currency units.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub fee_tolerance: Option<Money>,
    /// Treatment of the fee of a refunded payment.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub fee_on_refunds: Option<FeeOnRefunds>,
    /// Number of days after a payment within which its line is expected.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub window_days: Option<i64>,
    /// Number of days after which a payment that was not reported is overdue.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub lag_days: Option<i64>,
    /// Terminals and shops of the source, with their stores.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub store_refs: Option<Vec<StoreRef>>,
    /// Format of the source's CSV files.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub csv: Option<Format>,
    /// Whether the source's files are still imported.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub state: Option<State>,
}
