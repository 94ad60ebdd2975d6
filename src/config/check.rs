//! Rules over settings that types alone can't express.

use super::Config;
use domain::model::base::currency::Currency;
use domain::model::base::ids::{SHORT_ID_PROBLEM, is_short_id};
use domain::rules::base::store_settings::problem_of_methods;
use domain::rules::people::member::is_country_code;
use domain::wire::sync::PUSH_EVENTS_MAX;
use std::time::Duration;

/// Most notes and coins of a currency.
const DENOMINATIONS_MAX: usize = 50;
/// The highest tax rate: 100 %.
const RATE_BP_MAX: u32 = 10_000;

/// `(section.key, problem)` for every rule that does not hold.
pub fn problems(config: &Config) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let mut rule = |holds: bool, key: &'static str, problem: &str| {
        if !holds {
            found.push((key, problem.to_owned()));
        }
    };
    shop(config, &mut rule);
    money(config, &mut rule);
    config.printing.check(&mut rule);
    http(config, &mut rule);
    auth(config, &mut rule);
    pace(config, &mut rule);
    config.log.check(&mut rule);
    found
}

/// Takes a rule: whether it holds, its setting, and the problem if it does not.
type Rule<'a> = &'a mut dyn FnMut(bool, &'static str, &str);

fn shop(config: &Config, rule: Rule<'_>) {
    let store = &config.store;
    rule(is_short_id(&store.id), "store.id", SHORT_ID_PROBLEM);
    rule(jiff::tz::TimeZone::get(&store.timezone).is_ok(), "store.timezone", "is not an IANA time zone");
    rule(
        domain::model::base::business_date::day_start(&store.day_start).is_some(),
        "store.day_start",
        "must be HH:MM",
    );
    let is_known = Currency::of(&store.currency).is_some();
    rule(is_known, "store.currency", "must be a code of ISO 4217 in capital letters, such as IDR");
    let code = &config.members.country_code;
    rule(
        is_country_code(code),
        "members.country_code",
        "must be the calling code of a country without a plus, such as 62",
    );
}

fn money(config: &Config, rule: Rule<'_>) {
    rule(config.tax.default_rate_bp <= RATE_BP_MAX, "tax.default_rate_bp", "must be 0 to 10000");
    let methods = problem_of_methods(&config.payments.methods);
    rule(methods.is_none(), "payments.methods", methods.unwrap_or_default());
    let notes = &config.payments.denominations;
    rule(
        notes.len() <= DENOMINATIONS_MAX && notes.iter().all(|value| *value > 0),
        "payments.denominations",
        "must be at most 50 values above 0",
    );
    rule(config.payments.cash_rounding >= 0, "payments.cash_rounding", "must not be below 0");
    rule(config.points.earn_per >= 1, "points.earn_per", "must be at least 1");
    rule(config.points.redeem_value >= 1, "points.redeem_value", "must be at least 1");
    rule(config.pricing.discount_limit_bp <= RATE_BP_MAX, "pricing.discount_limit_bp", "must be 0 to 10000");
    rule(
        config.reasons.sound(),
        "reasons",
        "each list can have at most 50 different codes of 1 to 128 bytes",
    );
    for (value, key) in [
        (config.points.offline_limit.get(), "points.offline_limit"),
        (config.returns.cashier_limit.get(), "returns.cashier_limit"),
        (config.returns.unreceipted_max.get(), "returns.unreceipted_max"),
        (config.shifts.variance_tolerance.get(), "shifts.variance_tolerance"),
        (config.approval.adjustment_value.get(), "approval.adjustment_value"),
        (config.approval.pay_out_value.get(), "approval.pay_out_value"),
    ] {
        rule(value >= 0, key, "must not be below 0");
    }
}

fn http(config: &Config, rule: Rule<'_>) {
    config.http.check(rule);
    rule(!config.storage.path.as_os_str().is_empty(), "storage.path", "must not be empty");
}

fn auth(config: &Config, rule: Rule<'_>) {
    let (access, refresh) = (config.auth.access_ttl.duration(), config.auth.refresh_ttl.duration());
    rule(access >= Duration::from_secs(1), "auth.access_ttl", "must be at least 1s");
    rule(refresh >= access, "auth.refresh_ttl", "must not be shorter than auth.access_ttl");
    if let Err(error) = config.auth.argon2.params() {
        rule(false, "auth.argon2", &error.to_string());
    }
}

fn pace(config: &Config, rule: Rule<'_>) {
    rule(
        config.supervision.period >= super::duration::Period::seconds(1),
        "supervision.period",
        "must be at least 1s",
    );
    rule(
        (7..=400).contains(&config.idempotency.retention_days),
        "idempotency.retention_days",
        "must be 7 to 400",
    );
    rule((1..=100).contains(&config.backup.keep), "backup.keep", "must be 1 to 100");
    rule(!config.backup.drill_limit.duration().is_zero(), "backup.drill_limit", "must be more than 0s");
    let batch = (1..=PUSH_EVENTS_MAX).contains(&config.sync.batch_events);
    rule(batch, "sync.batch_events", "must be 1 to 500");
    rule(!config.sync.backoff_min.duration().is_zero(), "sync.backoff_min", "must be more than 0s");
    rule(
        config.sync.backoff_max >= config.sync.backoff_min,
        "sync.backoff_max",
        "must not be shorter than sync.backoff_min",
    );
    rule(
        config.hub.pull_wait <= super::duration::Period::seconds(60),
        "hub.pull_wait",
        "must be at most 60s",
    );
    let url = &config.hub.url;
    let http = url.is_empty() || url.starts_with("https://") || url.starts_with("http://");
    rule(http, "hub.url", "must begin with https:// or http://");
}
