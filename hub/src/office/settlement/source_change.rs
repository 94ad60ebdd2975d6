//! Changes a source.

use domain::model::base::figures::{BasisPoints, Money};
use domain::model::base::limits::{ACCOUNT_DIGITS, SHORT_ID_BYTES_MAX};
use domain::model::base::patch::Given;
use domain::rules::books::settlement::{FeeOnRefunds, SourceKind};
use domain::wire::sync::ZONE_BYTES_MAX;
use edge::ApiError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statements::format::Format;

/// Longest name, in characters.
pub(super) const NAME_CHARS_MAX: usize = 128;
/// Longest method, terminal and number of an account, in bytes.
pub(super) const WORD_BYTES_MAX: usize = 64;
/// An ISO 4217 code, in characters.
pub(super) const CURRENCY_CHARS: usize = 3;
/// Methods and terminals of a source.
pub(super) const LIST_MAX: usize = 1_000;
/// Most days until a line is expected or overdue.
pub(super) const DAYS_MAX: i64 = 3_650;
/// The highest fee and tolerance.
pub(super) const AMOUNT_MAX: i64 = 1_000_000_000_000;

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
    #[schemars(length(min = 1, max = WORD_BYTES_MAX))]
    pub name: String,
    /// ID of the store.
    #[schemars(length(min = 1, max = SHORT_ID_BYTES_MAX))]
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
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    pub name: Option<String>,
    /// Payment methods that the source settles.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(max = LIST_MAX), inner(length(min = 1, max = WORD_BYTES_MAX)))]
    pub methods: Option<Vec<String>>,
    /// Asset account that receives the source's money.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(equal = ACCOUNT_DIGITS))]
    pub account: Option<String>,
    /// Number or IBAN of the account. Null to accept files of any account.
    #[serde(deserialize_with = "domain::model::base::patch::text_up_to::<WORD_BYTES_MAX, _>")]
    #[schemars(length(max = WORD_BYTES_MAX))]
    pub account_no: Given<String>,
    /// ISO 4217 code of the currency. Null to accept rows in any currency.
    #[serde(deserialize_with = "domain::model::base::patch::text_up_to::<CURRENCY_CHARS, _>")]
    #[schemars(length(max = CURRENCY_CHARS))]
    pub currency: Given<String>,
    /// Time zone of the times in the files. Null to use the files' days as they are.
    #[serde(deserialize_with = "domain::model::base::patch::text_up_to::<ZONE_BYTES_MAX, _>")]
    #[schemars(length(max = ZONE_BYTES_MAX))]
    pub timezone: Given<String>,
    /// Fee of each payment, in basis points. Null if the reported fees are accepted.
    #[schemars(range(min = 0, max = BasisPoints::WHOLE.get()))]
    pub fee_rate_bp: Given<BasisPoints>,
    /// Fixed fee of each payment, in addition to the rate, in minor currency units.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(range(min = 0, max = AMOUNT_MAX))]
    pub fee_fixed: Option<Money>,
    /// Amount by which a fee may differ from the expected one, in minor currency units.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(range(min = 0, max = AMOUNT_MAX))]
    pub fee_tolerance: Option<Money>,
    /// Treatment of the fee of a refunded payment.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub fee_on_refunds: Option<FeeOnRefunds>,
    /// Number of days after a payment within which its line is expected.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(range(min = 0, max = DAYS_MAX))]
    pub window_days: Option<i64>,
    /// Number of days after which a payment that was not reported is overdue.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(range(min = 0, max = DAYS_MAX))]
    pub lag_days: Option<i64>,
    /// Terminals and shops of the source, with their stores.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    #[schemars(length(max = LIST_MAX))]
    pub store_refs: Option<Vec<StoreRef>>,
    /// Format of the source's CSV files.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub csv: Option<Format>,
    /// Whether the source's files are still imported.
    #[serde(default, deserialize_with = "domain::model::base::patch::set")]
    pub state: Option<State>,
}

impl Change {
    /// 422 for a text that is too long with the spaces around it. They are not stored, but count all the same: the
    /// longest text of the request is then the longest of the source.
    pub(super) fn check(&self) -> Result<(), ApiError> {
        for (path, text, most) in [
            ("name", self.name.as_ref(), NAME_CHARS_MAX),
            ("account_no", self.account_no.value(), WORD_BYTES_MAX),
            ("currency", self.currency.value(), CURRENCY_CHARS),
            ("timezone", self.timezone.value(), ZONE_BYTES_MAX),
        ] {
            // Of a text that is too long without them the source's own checks say what is wrong.
            let by_spaces =
                |text: &String| text.trim().chars().count() <= most && text.chars().count() > most;
            if text.is_some_and(by_spaces) {
                return Err(ApiError::field(path, format!("must have at most {most} characters")));
            }
        }
        Ok(())
    }
}
