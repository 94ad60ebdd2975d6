//! Settings of a store that head office overrides. They take precedence over the store's settings file.
//!
//! They apply at once, except for the terms of a shift ([`Terms`]): an open shift keeps the terms with which it was
//! opened, and the next shift gets the new ones.

use crate::model::base::figures::{BasisPoints, Money};
use crate::model::base::ids::{StoreId, is_short_id};
use crate::model::base::limits::REFERENCE_CHARS_MAX;
use crate::model::base::refusal::{FieldProblem, Refusal};
use crate::model::base::settings::{NegativeStock, Policy, PriceOverride, RoundingMode, Rules, Terms};
use crate::model::base::time::span_ms;
use crate::model::selling::payment::{CASH, EXCHANGE};
use crate::model::selling::reasons::Reasons;
use crate::wire::feed::{FieldDown, StoreSettingsDown};
use jiff::civil::Time;
use jiff::tz::TimeZone;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Their names, by section and key as in the store's settings file; `tiers` is in no file.
pub const SETTABLE: [&str; 28] = [
    "approval.adjustment_value",
    "approval.pay_out_value",
    "holds.expire_after",
    "payments.cash_rounding",
    "payments.cash_rounding_mode",
    "payments.methods",
    "points.earn_per",
    "points.expire_after",
    "points.offline_limit",
    "points.restore_days",
    "pricing.discount_limit_bp",
    "pricing.override",
    "reasons",
    "receiving.over_tolerance_bp",
    "returns.cashier_limit",
    "returns.unreceipted_any_price",
    "returns.unreceipted_max",
    "returns.window_days",
    "shifts.blind",
    "shifts.variance_tolerance",
    "stock.negative",
    "store.address",
    "store.name",
    "store.receipt_footer",
    "store.tax_id",
    "tax.default_rate_bp",
    "tax.prices_include_tax",
    "tiers",
];

/// Name of the setting of a point's value, in which stores may not differ.
const WORTH_OF_POINTS: &str = "points.redeem_value";
/// Sections of the terms of a shift.
const OF_SHIFTS: [&str; 3] = ["payments", "points", "tax"];
const METHODS_MAX: usize = 50;
const METHODS_PROBLEM: &str = "must be at most 50 different names, one of them cash";
/// A day, in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

const AMOUNT_MAX: i64 = 1_000_000_000_000;
/// All of it, in basis points.
const RATE_BP_MAX: u32 = 10_000;
/// The longest span of days.
const DAYS_MAX: u32 = 3_650;
const TIERS_MAX: usize = 50;
/// Most characters in each line of a text on receipts.
const LINE_CHARS_MAX: usize = 120;
const ADDRESS_LINES_MAX: usize = 5;
const FOOTER_LINES_MAX: usize = 10;
/// Ten times the points of a member without a tier, in basis points.
pub const MULTIPLIER_BP_MAX: BasisPoints = BasisPoints::new(100_000);

/// Whether a setting may have a value.
///
/// # Errors
/// `validation_failed` with its name.
pub fn check(name: &str, value: &Value) -> Result<(), Refusal> {
    set(&mut unset(), name, value)
}

/// Settings with some of them changed; null takes one back. `by` and `at` become the author and the stamp of each.
///
/// # Errors
/// `validation_failed` with each setting that can't be changed, and each value that is not possible.
pub fn change(
    before: StoreSettingsDown,
    asked: &BTreeMap<String, Option<Value>>,
    (by, at): (&str, &str),
) -> Result<StoreSettingsDown, Refusal> {
    let (mut settings, mut problems) = (before, Vec::new());
    for (name, value) in asked {
        let Some(value) = value else {
            if !SETTABLE.contains(&name.as_str()) {
                problems.push(FieldProblem { path: name.clone(), problem: unknown(name).to_owned() });
            }
            settings.fields.remove(name);
            continue;
        };
        match check(name, value) {
            Ok(()) => {
                let field = FieldDown { value: value.clone(), at: at.to_owned(), by: by.to_owned() };
                settings.fields.insert(name.clone(), field);
            }
            Err(Refusal::ValidationFailed(found)) => problems.extend(found),
            Err(other) => return Err(other),
        }
    }
    if problems.is_empty() { Ok(settings) } else { Err(Refusal::ValidationFailed(problems)) }
}

/// The rules of a store's file with the settings of head office over them, and the settings that can't apply, which are
/// left out.
pub fn in_force(file: &Rules, down: &StoreSettingsDown) -> (Rules, Vec<FieldProblem>) {
    let (mut rules, mut problems) = (file.clone(), Vec::new());
    for (name, FieldDown { value, .. }) in &down.fields {
        match set(&mut rules, name, value) {
            Ok(()) => {}
            Err(Refusal::ValidationFailed(found)) => problems.extend(found),
            Err(other) => problems.push(FieldProblem { path: name.clone(), problem: other.words() }),
        }
    }
    (rules, problems)
}

/// The rules of a warehouse of head office, which has no settings file: the defaults with the settings of head office.
pub fn without_file(store_id: StoreId, timezone: TimeZone, down: &StoreSettingsDown) -> Rules {
    in_force(&Rules { store_id, timezone, ..unset() }, down).0
}

/// Settings that count, by name.
pub fn sound(down: StoreSettingsDown) -> BTreeMap<String, Value> {
    let fields = down.fields.into_iter().map(|(name, field)| (name, field.value));
    fields.filter(|(name, value)| check(name, value).is_ok()).collect()
}

/// Puts one value into the rules; a value that can't apply changes nothing.
fn set(rules: &mut Rules, name: &str, value: &Value) -> Result<(), Refusal> {
    let policy = &mut rules.policy;
    match name {
        "approval.adjustment_value" => policy.adjustment_value = amount(name, value)?,
        "approval.pay_out_value" => policy.pay_out_value = amount(name, value)?,
        "holds.expire_after" => policy.hold_expire_after_ms = span(name, value)?,
        "pricing.discount_limit_bp" => policy.discount_limit_bp = up_to(name, value, RATE_BP_MAX)?.into(),
        "pricing.override" => {
            rules.price_override = one_of(name, value, "must be flag, manager or reject")?;
        }
        "reasons" => policy.reasons = reasons(name, value)?,
        "receiving.over_tolerance_bp" => policy.over_tolerance_bp = up_to(name, value, RATE_BP_MAX)?.into(),
        "returns.cashier_limit" => policy.return_cashier_limit = amount(name, value)?,
        "returns.unreceipted_any_price" => policy.unreceipted_any_price = switch(name, value)?,
        "returns.unreceipted_max" => policy.unreceipted_max = amount(name, value)?,
        "returns.window_days" => policy.return_window_days = up_to(name, value, DAYS_MAX)?,
        "shifts.blind" => policy.blind = switch(name, value)?,
        "shifts.variance_tolerance" => policy.variance_tolerance = amount(name, value)?,
        "stock.negative" => rules.negative_stock = one_of(name, value, "must be allow or reject")?,
        "store.address" => {
            Arc::make_mut(&mut policy.receipt).address = lines(name, value, ADDRESS_LINES_MAX)?
        }
        "store.name" => Arc::make_mut(&mut policy.receipt).name = lines(name, value, 1)?,
        "store.receipt_footer" => {
            Arc::make_mut(&mut policy.receipt).footer = lines(name, value, FOOTER_LINES_MAX)?
        }
        "store.tax_id" => Arc::make_mut(&mut policy.receipt).tax_id = lines(name, value, 1)?,
        "tiers" => policy.tiers = tiers(name, value)?,
        _ if name.split_once('.').is_some_and(|(section, _)| OF_SHIFTS.contains(&section)) => {
            let mut terms = rules.next_terms.clone().unwrap_or_else(|| rules.terms());
            set_term(&mut terms, name, value)?;
            rules.next_terms = Some(terms);
        }
        _ => return Err(Refusal::field(name, unknown(name))),
    }
    Ok(())
}

/// Puts one value into the terms of the next shift.
fn set_term(terms: &mut Terms, name: &str, value: &Value) -> Result<(), Refusal> {
    match name {
        "payments.cash_rounding" => terms.cash_rounding = amount(name, value)?,
        "payments.cash_rounding_mode" => {
            terms.cash_rounding_mode = one_of(name, value, "must be nearest, customer or shop")?;
        }
        "payments.methods" => terms.methods = methods(name, value)?,
        "points.earn_per" => terms.earn_per = at_least_1(name, value)?,
        "points.expire_after" => terms.points_expire_days = days(name, value)?,
        "points.offline_limit" => terms.points_offline_limit = figure(name, value)?.into(),
        "points.restore_days" => terms.points_restore_days = up_to(name, value, DAYS_MAX)?,
        "tax.default_rate_bp" => terms.default_rate_bp = up_to(name, value, RATE_BP_MAX)?,
        "tax.prices_include_tax" => terms.prices_include_tax = switch(name, value)?,
        _ => return Err(Refusal::field(name, unknown(name))),
    }
    Ok(())
}

fn unknown(name: &str) -> &'static str {
    if name == WORTH_OF_POINTS {
        "can't be changed here: set it in the settings file of each store"
    } else {
        "is not a setting that can be changed while the store runs"
    }
}

fn value_of<T: DeserializeOwned>(name: &str, value: &Value, problem: &str) -> Result<T, Refusal> {
    serde_json::from_value(value.clone()).map_err(|_| Refusal::field(name, problem))
}

fn one_of<T: DeserializeOwned>(name: &str, value: &Value, problem: &str) -> Result<T, Refusal> {
    value_of(name, value, problem)
}

fn switch(name: &str, value: &Value) -> Result<bool, Refusal> {
    value_of(name, value, "must be true or false")
}

fn amount(name: &str, value: &Value) -> Result<Money, Refusal> {
    figure(name, value).map(Money::new)
}

fn figure(name: &str, value: &Value) -> Result<i64, Refusal> {
    let figure = value.as_i64().filter(|figure| (0..=AMOUNT_MAX).contains(figure));
    figure.ok_or_else(|| Refusal::field(name, format!("must be 0 to {AMOUNT_MAX}")))
}

fn up_to(name: &str, value: &Value, most: u32) -> Result<u32, Refusal> {
    let number =
        value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number <= most);
    number.ok_or_else(|| Refusal::field(name, format!("must be 0 to {most}")))
}

fn span(name: &str, value: &Value) -> Result<i64, Refusal> {
    let ms = value.as_str().and_then(span_ms).and_then(|ms| i64::try_from(ms).ok());
    ms.ok_or_else(|| {
        Refusal::field(name, "must be a duration such as \"30m\", \"2h\" or \"1d\"; \"0s\" means for ever")
    })
}

fn at_least_1(name: &str, value: &Value) -> Result<Money, Refusal> {
    let number = amount(name, value).ok().filter(|number| *number >= 1);
    number.ok_or_else(|| Refusal::field(name, format!("must be 1 to {AMOUNT_MAX}")))
}

/// Whole days of a span, rounded up: points never die early.
fn days(name: &str, value: &Value) -> Result<u32, Refusal> {
    let days = span(name, value)?.saturating_add(DAY_MS - 1).div_euclid(DAY_MS);
    let days = u32::try_from(days).ok().filter(|days| *days <= DAYS_MAX);
    days.ok_or_else(|| Refusal::field(name, format!("must be at most {DAYS_MAX} days")))
}

/// A text on receipts of at most `most` lines.
fn lines(name: &str, value: &Value, most: usize) -> Result<String, Refusal> {
    let problem = || {
        Refusal::field(name, format!("must be a text of at most {most} lines of {LINE_CHARS_MAX} characters"))
    };
    let text = value.as_str().ok_or_else(problem)?;
    let printable = |line: &str| line.chars().count() <= LINE_CHARS_MAX && !line.contains(char::is_control);
    let is_possible = text.split('\n').count() <= most && text.split('\n').all(printable);
    if is_possible { Ok(text.to_owned()) } else { Err(problem()) }
}

fn methods(name: &str, value: &Value) -> Result<Vec<String>, Refusal> {
    let methods: Vec<String> = value_of(name, value, METHODS_PROBLEM)?;
    problem_of_methods(&methods).map_or(Ok(()), |problem| Err(Refusal::field(name, problem)))?;
    Ok(methods)
}

/// Why these can't be the payment methods of a store, if so.
pub fn problem_of_methods(methods: &[String]) -> Option<&'static str> {
    if methods.iter().any(|method| method == EXCHANGE) {
        return Some(
            "must not contain exchange: exchanges are paid by returns, whatever methods this setting lists",
        );
    }
    let once: BTreeSet<&String> = methods.iter().collect();
    let sound =
        methods.iter().all(|method| is_short_id(method)) && methods.iter().any(|method| method == CASH);
    let fits = sound && methods.len() <= METHODS_MAX && once.len() == methods.len();
    (!fits).then_some(METHODS_PROBLEM)
}

fn reasons(name: &str, value: &Value) -> Result<Reasons, Refusal> {
    let problem = "must have voids, discounts and returns (lists of codes), and enforced (true or false)";
    let reasons: Reasons = value_of(name, value, problem)?;
    if reasons.sound() {
        return Ok(reasons);
    }
    Err(Refusal::field(name, "each list can have at most 50 different codes of 1 to 128 characters"))
}

fn tiers(name: &str, value: &Value) -> Result<BTreeMap<String, BasisPoints>, Refusal> {
    let problem = "must have for each tier the points that its members earn, in basis points of the usual points: 0 to 100000";
    let tiers: BTreeMap<String, BasisPoints> = value_of(name, value, problem)?;
    let named = |tier: &str| {
        !tier.is_empty() && tier.chars().count() <= REFERENCE_CHARS_MAX && !tier.contains(char::is_control)
    };
    let sound = |(tier, bp): (&String, &BasisPoints)| {
        named(tier) && (BasisPoints::ZERO..=MULTIPLIER_BP_MAX).contains(bp)
    };
    if tiers.len() <= TIERS_MAX && tiers.iter().all(sound) {
        return Ok(tiers);
    }
    Err(Refusal::field(name, problem))
}

/// Rules of no store: values are tried on them, and a warehouse begins with them.
fn unset() -> Rules {
    Rules {
        store_id: StoreId(String::new()),
        timezone: TimeZone::UTC,
        day_start: Time::midnight(),
        default_rate_bp: 0,
        prices_include_tax: false,
        methods: Vec::new(),
        cash_rounding: Money::ZERO,
        cash_rounding_mode: RoundingMode::default(),
        earn_per: Money::new(1),
        redeem_value: Money::new(1),
        price_override: PriceOverride::default(),
        negative_stock: NegativeStock::default(),
        registers_closed: false,
        next_terms: None,
        policy: Policy::default(),
    }
}

#[cfg(test)]
mod tests;
