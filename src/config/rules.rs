//! The part of the settings that the rule book reads.

use super::Config;
use domain::ids::StoreId;
use domain::settings::Rules;

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
    })
}

/// `HH:MM`
pub fn day_start(text: &str) -> Option<jiff::civil::Time> {
    (text.len() == 5).then(|| jiff::civil::Time::strptime("%H:%M", text).ok()).flatten()
}
