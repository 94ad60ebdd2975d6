//! Settings of the shop that the rules of a sale depend on.

use super::duration::Period;
use domain::model::base::currency::Currency;
use domain::model::base::figures;
use domain::model::base::figures::Money;
use domain::model::base::settings::{NegativeStock, PriceOverride, RoundingMode};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Store {
    /// Its ID at the hub and in receipt numbers; fixed by `init`.
    pub id: String,
    /// Its name on receipts.
    pub name: String,
    /// Its address on receipts.
    pub address: String,
    /// Its tax number on receipts.
    pub tax_id: String,
    /// The last lines of a receipt.
    pub receipt_footer: String,
    /// ISO 4217 code: amounts are in its smallest unit.
    pub currency: String,
    /// IANA name of the time zone that business dates are made in.
    pub timezone: String,
    /// `HH:MM`: before it, the business date is still yesterday's.
    pub day_start: String,
}

impl Default for Store {
    fn default() -> Self {
        Self {
            id: "S001".to_owned(),
            name: String::new(),
            address: String::new(),
            tax_id: String::new(),
            receipt_footer: String::new(),
            currency: "IDR".to_owned(),
            timezone: "Asia/Jakarta".to_owned(),
            day_start: "00:00".to_owned(),
        }
    }
}

impl Store {
    /// The currency of its code, which `config::check` has found to be one.
    pub fn money(&self) -> Currency {
        Currency::of(&self.currency).unwrap_or_default()
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tax {
    /// Tax rate in basis points for products without a rate of their own.
    pub default_rate_bp: u32,
    /// Whether prices contain tax.
    pub prices_include_tax: bool,
}

impl Default for Tax {
    fn default() -> Self {
        Self { default_rate_bp: 1100, prices_include_tax: false }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Payments {
    pub methods: Vec<String>,
    /// Smallest cash step in minor currency units; 0 if cash is not rounded.
    pub cash_rounding: Money,
    /// Mode of cash rounding.
    pub cash_rounding_mode: RoundingMode,
    /// Notes and coins for counting a drawer, as tills show them.
    pub denominations: Vec<Money>,
}

impl Default for Payments {
    fn default() -> Self {
        Self {
            methods: ["cash", "card", "qris", "bank_transfer", "voucher", "points"]
                .map(String::from)
                .to_vec(),
            cash_rounding: Money::ZERO,
            cash_rounding_mode: RoundingMode::Nearest,
            denominations: [100_000, 50_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500, 200, 100]
                .map(Money::new)
                .into(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Points {
    /// Amount for which one point is earned, in minor currency units.
    pub earn_per: Money,
    /// Value of one point as payment, in minor currency units.
    pub redeem_value: Money,
    /// Most points of one member that may be redeemed while the hub is away.
    pub offline_limit: figures::Points,
    /// Lifetime of points. They never expire if it is zero.
    pub expire_after: Period,
    /// Days for which given-back points of an expired lot live again.
    pub restore_days: u32,
}

impl Default for Points {
    fn default() -> Self {
        Self {
            earn_per: Money::new(1000),
            redeem_value: Money::new(1),
            offline_limit: figures::Points::new(1000),
            expire_after: Period::ZERO,
            restore_days: 30,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pricing {
    /// Policy for prices that differ from the catalogue's: `flag`, `manager` or `reject`.
    #[serde(rename = "override")]
    pub price_override: PriceOverride,
    /// Basis points of a basket above which discounts by hand need an approval; 0: no limit.
    pub discount_limit_bp: u32,
}

impl Default for Pricing {
    fn default() -> Self {
        Self { price_override: PriceOverride::default(), discount_limit_bp: 2000 }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Returns {
    /// Days after which a return needs an approval.
    pub window_days: u32,
    /// Refund in minor currency units above which a cashier needs an approval; 0 if there is no limit.
    pub cashier_limit: Money,
    /// Largest refund without a receipt; 0: no limit.
    pub unreceipted_max: Money,
    /// Whether more than today's price may go back for a piece without a receipt.
    pub unreceipted_any_price: bool,
}

impl Default for Returns {
    fn default() -> Self {
        Self {
            window_days: 30,
            cashier_limit: Money::new(1_000_000),
            unreceipted_max: Money::ZERO,
            unreceipted_any_price: false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Holds {
    /// Time after which the sale of a hold is voided. It is never voided if this is zero.
    pub expire_after: Period,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shifts {
    /// Variance in minor currency units above which a close needs an approval; 0 if none is needed.
    pub variance_tolerance: Money,
    /// Hide expected figures from the cashier until the shift is closed.
    pub blind: bool,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Registers {
    /// Refuse unregistered tills.
    pub closed: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Approval {
    /// Value above which an adjustment needs a manager; 0: no limit.
    pub adjustment_value: Money,
    /// Amount above which cash that a cashier pays out needs a manager; 0: no limit.
    pub pay_out_value: Money,
}

impl Default for Approval {
    fn default() -> Self {
        Self { adjustment_value: Money::new(1_000_000), pay_out_value: Money::new(500_000) }
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Receiving {
    /// Basis points by which more than ordered may be received.
    pub over_tolerance_bp: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Members {
    /// Country code of phone numbers written without one.
    pub country_code: String,
}

impl Default for Members {
    fn default() -> Self {
        Self { country_code: "62".to_owned() }
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stock {
    /// Whether the shop sells goods that are not in stock on paper.
    pub negative: NegativeStock,
}
