//! The part of the settings that the rule book reads.

use super::Config;
use super::duration::Period;
use super::shop::Store;
use domain::model::base::business_date::day_start;
use domain::model::base::ids::StoreId;
use domain::model::base::settings::{Policy, ReceiptTexts, Rules};
use std::sync::Arc;

/// The rules of this shop. The settings have been checked; a zone that vanished since is named.
pub fn rules(config: &Config) -> Result<Rules, jiff::Error> {
    Ok(Rules {
        store_id: StoreId(config.store.id.clone()),
        timezone: jiff::tz::TimeZone::get(&config.store.timezone)?,
        day_start: day_start(&config.store.day_start).unwrap_or_default(),
        default_rate_bp: config.tax.default_rate_bp,
        prices_include_tax: config.tax.prices_include_tax,
        methods: config.payments.methods.clone(),
        cash_rounding: config.payments.cash_rounding,
        cash_rounding_mode: config.payments.cash_rounding_mode,
        earn_per: config.points.earn_per,
        redeem_value: config.points.redeem_value,
        price_override: config.pricing.price_override,
        negative_stock: config.stock.negative,
        registers_closed: config.registers.closed,
        next_terms: None,
        policy: policy(config),
    })
}

/// Approvals, limits and lifetimes.
fn policy(config: &Config) -> Policy {
    Policy {
        hold_expire_after_ms: millis(config.holds.expire_after),
        discount_limit_bp: config.pricing.discount_limit_bp.into(),
        return_window_days: config.returns.window_days,
        return_cashier_limit: config.returns.cashier_limit,
        unreceipted_max: config.returns.unreceipted_max,
        unreceipted_any_price: config.returns.unreceipted_any_price,
        variance_tolerance: config.shifts.variance_tolerance,
        blind: config.shifts.blind,
        adjustment_value: config.approval.adjustment_value,
        pay_out_value: config.approval.pay_out_value,
        over_tolerance_bp: config.receiving.over_tolerance_bp.into(),
        country_code: config.members.country_code.clone(),
        points_offline_limit: config.points.offline_limit,
        points_expire_days: days(config.points.expire_after),
        points_restore_days: config.points.restore_days,
        reasons: config.reasons.clone(),
        denominations: config.payments.denominations.clone(),
        receipt: Arc::new(receipt(&config.store)),
        ..Policy::default()
    }
}

fn receipt(store: &Store) -> ReceiptTexts {
    ReceiptTexts {
        name: store.name.clone(),
        address: store.address.clone(),
        tax_id: store.tax_id.clone(),
        footer: store.receipt_footer.clone(),
    }
}

fn millis(period: Period) -> i64 {
    i64::try_from(period.duration().as_millis()).unwrap_or(i64::MAX)
}

/// Whole days, rounded up: points never die early.
fn days(period: Period) -> u32 {
    u32::try_from(period.duration().as_secs().div_ceil(24 * 60 * 60)).unwrap_or(u32::MAX)
}
