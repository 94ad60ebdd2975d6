//! The settings that rules depend on; read once at start, passed as arguments.

use crate::model::base::business_date::business_date;
use crate::model::base::figures::Money;
use crate::model::base::ids::StoreId;
use crate::model::base::time::UtcMs;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

mod policy;
mod receipt_texts;
mod terms;
pub use policy::Policy;
pub use receipt_texts::ReceiptTexts;
pub use terms::Terms;

/// Policy for prices that differ from the catalogue's: `flag`, `manager` or `reject`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PriceOverride {
    /// Accepted, the line is marked.
    #[default]
    Flag,
    /// A manager has to approve it.
    Manager,
    Reject,
}

/// Whether a shop sells goods that are not in stock on paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NegativeStock {
    /// It does; the movement is flagged.
    #[default]
    Allow,
    /// 409 `insufficient_stock`.
    Reject,
}

/// Mode of cash rounding (docs/arithmetic.md#payment-change-and-cash-rounding).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundingMode {
    /// The nearest multiple, half up.
    #[default]
    Nearest,
    /// In the customer's favour.
    Customer,
    /// In the shop's favour.
    Shop,
}

/// Everything that `decide` and `settle` need to know about this shop.
#[derive(Debug, Clone)]
pub struct Rules {
    /// ID of the store.
    pub store_id: StoreId,
    /// Its clock on the wall.
    pub timezone: jiff::tz::TimeZone,
    /// Time of day at which the business day starts.
    pub day_start: jiff::civil::Time,
    /// Tax rate in basis points for products without a rate of their own.
    pub default_rate_bp: u32,
    /// Whether prices contain tax.
    pub prices_include_tax: bool,
    pub methods: Vec<String>,
    /// Smallest cash step in minor currency units; 0 if cash is not rounded.
    pub cash_rounding: Money,
    /// Mode of cash rounding.
    pub cash_rounding_mode: RoundingMode,
    /// Amount for which one point is earned, in minor currency units.
    pub earn_per: Money,
    /// Value of one point in minor currency units, at least 1.
    pub redeem_value: Money,
    pub price_override: PriceOverride,
    pub negative_stock: NegativeStock,
    /// Whether unknown tills are refused.
    pub registers_closed: bool,
    pub policy: Policy,
    /// Terms that head office has set; the next shift that is opened begins with them. `None` if it has set none: a
    /// shift then goes by the settings file.
    pub next_terms: Option<Terms>,
}

impl Rules {
    /// The shop's day at `at`.
    pub fn business_date(&self, at: UtcMs) -> Date {
        business_date(at, &self.timezone, self.day_start)
    }
}
