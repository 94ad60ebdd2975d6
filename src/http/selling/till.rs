//! Data of the shop that a till needs before the first sale, and of head office while it sells.

use crate::http::Answered;
use crate::http::Request;
use crate::http::failure::{failed, stored};
use ::actors::view::LinkStatus;
use domain::model::base::figures::{BasisPoints, Money};
use domain::model::base::ids::{RegisterId, ShiftId, StoreId};
use domain::model::base::settings::{PriceOverride, RoundingMode};
use domain::model::base::time::UtcMs;
use domain::model::books::register::{MAIN, Register};
use domain::rules::books::register::RegisterView;
use edge::{Doc, Reply, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use storage::{Storage, StorageError};

pub const SETTINGS: Doc = Doc::of(
    "Point of sale",
    "Retrieve the settings of a till: its register and shift, currency, tax, payment methods, rounding, notes and coins, limits",
)
.answers::<TillSettings>(
    r#"{"store_id": "S001", "name": "Menteng", "currency": "IDR", "currency_exponent": 0, "timezone": "Asia/Jakarta",
        "business_date": "2026-11-20", "register": {"register_id": "till-1", "name": "Front till", "state": "active"},
        "registers": [{"register_id": "till-1", "name": "Front till", "state": "active",
            "open_shift": {"cashier_name": "Sari", "opened_at": "2026-11-20T01:03:12.000Z"}}],
        "shift_id": "shf_019aa0b1f6e27d1c9f0b1a2b3c4d5e6f",
        "tax": {"prices_include_tax": false, "default_rate_bp": 1100},
        "payments": {"methods": ["cash", "card"], "cash_rounding": 100, "cash_rounding_mode": "nearest",
            "denominations": [100000, 50000, 20000]},
        "points": {"earn_per": 1000, "redeem_value": 1},
        "pricing": {"override": "flag", "discount_limit_bp": 1000},
        "returns": {"window_days": 30, "cashier_limit": 500000},
        "shifts": {"blind": false, "variance_tolerance": 0},
        "printing": {"characters": 42, "auto_print": false, "register_ids": ["till-1"]}}"#,
);

pub const STATUS: Doc = Doc::of(
    "Point of sale",
    "Retrieve the state of the link to head office: last answer, records to send, age of prices, clock difference",
)
.answers::<LinkStatus>(
    r#"{"hub_state": "online", "hub_seen_at": "2026-11-20T02:06:40.002Z", "pending": 3,
        "oldest_pending_at": "2026-11-20T02:06:12.000Z", "as_of": "2026-11-20T02:06:00.000Z", "clock_skew_ms": 12}"#,
);

/// Settings in force, by the names of their sections and keys.
#[derive(Serialize, JsonSchema)]
struct TillSettings<'a> {
    /// ID of the store.
    store_id: &'a StoreId,
    /// Name of the shop on receipts.
    name: &'a str,
    /// ISO 4217 code of the currency.
    currency: &'a str,
    /// Number of decimals of the currency. An amount of 1250 is 12.50 if it is 2.
    currency_exponent: u32,
    /// IANA time zone of the store.
    timezone: &'a str,
    /// Current business date.
    business_date: Date,
    /// The register that `X-Register-Id` names, or else that of the caller's open shift, or else `main`. Null if it is
    /// not registered and the store refuses unknown registers.
    register: Option<RegisterView>,
    /// Registers that may sell.
    registers: Vec<TillRegister>,
    /// ID of the open shift in which the caller works: the own one, or the one that the register shares. Null if there
    /// is none.
    shift_id: Option<ShiftId>,
    /// Settings of tax.
    tax: Tax,
    /// Settings of payments.
    payments: Payments<'a>,
    /// Settings of points.
    points: Points,
    /// Settings of prices and discounts.
    pricing: Pricing,
    /// Settings of returns.
    returns: Returns,
    /// Settings of shifts.
    shifts: Shifts,
    /// Settings of printing.
    printing: Paper<'a>,
}

/// A register that may sell, and who sells there now.
#[derive(Serialize, JsonSchema)]
struct TillRegister {
    /// The register.
    #[serde(flatten)]
    register: RegisterView,
    /// Its open shift. Null if it has none.
    open_shift: Option<OpenShift>,
}

/// An open shift of a register.
#[derive(Serialize, JsonSchema)]
struct OpenShift {
    /// Name of the person who opened it.
    cashier_name: String,
    /// When it was opened.
    opened_at: UtcMs,
}

/// Settings of tax.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TillTax")]
struct Tax {
    /// Whether prices contain tax.
    prices_include_tax: bool,
    /// Tax rate in basis points for products without a rate of their own.
    default_rate_bp: u32,
}

/// Settings of payments.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TillPayments")]
struct Payments<'a> {
    /// Accepted payment methods.
    methods: &'a [String],
    /// Smallest cash step in minor currency units; 0 if cash is not rounded.
    cash_rounding: Money,
    /// How cash is rounded: `nearest`, `customer` (in the customer's favour) or `shop`.
    #[schemars(extend("enum" = ["nearest", "customer", "shop"]))]
    #[schemars(with = "String")]
    cash_rounding_mode: RoundingMode,
    /// Values of notes and coins, in minor currency units.
    denominations: &'a [Money],
}

/// Settings of points.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TillPoints")]
struct Points {
    /// Amount for which one point is earned, in minor currency units.
    earn_per: Money,
    /// Value of one point as payment, in minor currency units.
    redeem_value: Money,
}

/// Settings of prices and discounts.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TillPricing")]
struct Pricing {
    /// Policy for prices that differ from the catalogue's: `flag`, `manager` or `reject`.
    #[schemars(extend("enum" = ["flag", "manager", "reject"]))]
    #[serde(rename = "override")]
    #[schemars(with = "String")]
    price_override: PriceOverride,
    /// Manual discount, in basis points of the basket, above which an approval is needed; 0 if there is no limit.
    #[schemars(with = "u32")]
    discount_limit_bp: BasisPoints,
}

/// Settings of returns.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TillReturns")]
struct Returns {
    /// Days after which a return needs an approval.
    window_days: u32,
    /// Refund in minor currency units above which a cashier needs an approval; 0 if there is no limit.
    cashier_limit: Money,
}

/// Settings of shifts.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TillShifts")]
struct Shifts {
    /// Whether expected figures are hidden from the cashier until the shift is closed.
    blind: bool,
    /// Variance in minor currency units above which a close needs an approval; 0 if none is needed.
    variance_tolerance: Money,
}

/// Settings of printing.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TillPrinting")]
struct Paper<'a> {
    /// Number of characters in a line of paper: 42 or 32.
    characters: usize,
    /// Whether a till prints each receipt by itself.
    auto_print: bool,
    /// Registers with a printer of their own. The others print through the browser.
    register_ids: Vec<&'a RegisterId>,
}

/// `GET /api/pos/status`
pub async fn status(request: Request) -> Answered {
    Ok(Reply::ok(&request.state.store.link_status().map_err(failed)?))
}

/// `GET /api/pos/settings`
pub async fn settings(request: Request) -> Answered {
    let (shop, caller) = (&request.state, request.caller()?);
    let store = &shop.store;
    let shift = store.current_shift(&caller.user_id, request.register_id.as_ref()).ok();
    // In a shift its own terms; otherwise those of the next shift.
    let now = store.rules();
    let rules = &shift.as_ref().map_or_else(|| Arc::new(now.of_next_shift()), |shift| shift.rules(&now));
    let own = shift.as_ref().and_then(|shift| shift.registers().first().cloned());
    let id = request.register_id.clone().or(own).unwrap_or_else(|| RegisterId::from(MAIN));
    let known = store.storage().shifts().register(&id).map_err(stored)?;
    let unknown = || Register::new(id.clone(), id.0.clone());
    let register = known.or_else(|| (!rules.registers_closed).then(unknown));
    let registers = registers(store.storage()).map_err(stored)?;
    let (policy, head) = (&rules.policy, shop.receipt_header());
    Ok(Reply::ok(&TillSettings {
        store_id: &rules.store_id,
        name: &head.texts.name,
        currency: head.currency.code(),
        currency_exponent: head.currency.exponent().into(),
        timezone: rules.timezone.iana_name().unwrap_or("UTC"),
        business_date: rules.business_date(clock::now()),
        register: register.as_ref().map(RegisterView::from),
        registers,
        shift_id: shift.map(|shift| shift.shift_id),
        tax: Tax { prices_include_tax: rules.prices_include_tax, default_rate_bp: rules.default_rate_bp },
        payments: Payments {
            methods: &rules.methods,
            cash_rounding: rules.cash_rounding,
            cash_rounding_mode: rules.cash_rounding_mode,
            denominations: &policy.denominations,
        },
        points: Points { earn_per: rules.earn_per, redeem_value: rules.redeem_value },
        pricing: Pricing {
            price_override: rules.price_override,
            discount_limit_bp: policy.discount_limit_bp,
        },
        returns: Returns {
            window_days: policy.return_window_days,
            cashier_limit: policy.return_cashier_limit,
        },
        shifts: Shifts { blind: policy.blind, variance_tolerance: policy.variance_tolerance },
        printing: Paper {
            characters: shop.printers.columns(),
            auto_print: shop.printers.auto_print(),
            register_ids: shop.printers.registers(),
        },
    }))
}

/// Registers that may sell, each with its open shift.
fn registers(storage: &Storage) -> Result<Vec<TillRegister>, StorageError> {
    let open = storage.shifts().open_shifts()?;
    let of = |register: &Register| {
        let Some(shift) = open.iter().find(|shift| shift.stands_at(&register.register_id)) else {
            return Ok(None);
        };
        let person = storage.users().user(&shift.opened_by)?;
        let cashier_name = person.map(|person| person.name).unwrap_or_default();
        Ok::<_, StorageError>(Some(OpenShift { cashier_name, opened_at: shift.opened_at }))
    };
    let all = storage.shifts().registers()?;
    let selling = all.iter().filter(|register| !register.disabled);
    selling
        .map(|register| {
            Ok(TillRegister { register: RegisterView::from(register), open_shift: of(register)? })
        })
        .collect()
}
