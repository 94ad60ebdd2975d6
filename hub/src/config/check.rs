//! Rules over settings that types alone can't express.

use crate::config::{Config, Database, Finance, Hub, IMPORT_ROWS_MAX, Limits, Purchasing, Settlement};
use crate::db::Engine;
use domain::model::base::ids::{SHORT_ID_PROBLEM, is_short_id};
use domain::model::base::limits::FIGURE_MAX;
use domain::model::hub::sync::retention::BACKUPS_MIN;
use edge::settings::duration::Period;
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Least time that the feed keeps replaced changes, in days: as long as stores keep their sent records. With less, a
/// store that returns within that time would have to read everything again.
const FEED_RETAIN_DAYS_MIN: u64 = 35;

/// Whether the address of a PostgreSQL database names one server. This program can't choose among several.
fn names_one_server(url: &str) -> bool {
    let (server, query) = url.split_once('?').unwrap_or((url, ""));
    let host = server.rsplit_once('@').map_or(server, |(_, host)| host);
    let several = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        name == "target_session_attrs"
            || (matches!(name, "host" | "port" | "hostaddr")
                && (value.contains(',') || value.contains("%2C")))
    };
    !host.contains(',') && !query.split('&').any(several)
}

/// Takes a rule: whether it holds, its setting, and the problem if it does not.
type Rule<'a> = &'a mut dyn FnMut(bool, &'static str, &str);

/// Checks that a figure is within its bounds.
fn within<T: PartialOrd + Display>(rule: Rule<'_>, key: &'static str, value: T, bounds: RangeInclusive<T>) {
    let problem = format!("must be {} to {}", bounds.start(), bounds.end());
    rule(bounds.contains(&value), key, &problem);
}

/// `(section.key, problem)` for every rule that does not hold.
pub fn problems(config: &Config) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let mut rule = |holds: bool, key: &'static str, problem: &str| {
        if !holds {
            found.push((key, problem.to_owned()));
        }
    };
    hub(config, &mut rule);
    config.http.check(&mut rule);
    storage(config, &mut rule);
    auth(config, &mut rule);
    sync(config, &mut rule);
    office((&config.finance, &config.purchasing, &config.settlement), &mut rule);
    config.company.check(&mut rule);
    config.log.check(&mut rule);
    rule(config.jobs.time().is_some(), "jobs.at", "must be a time of day, HH:MM");
    limits(&config.limits, &mut rule);
    found
}

fn hub(config: &Config, rule: Rule<'_>) {
    let Hub { id, timezone } = &config.hub;
    rule(id.is_empty() || is_short_id(id), "hub.id", SHORT_ID_PROBLEM);
    rule(jiff::tz::TimeZone::get(timezone).is_ok(), "hub.timezone", "is not an IANA time zone");
}

fn storage(config: &Config, rule: Rule<'_>) {
    let Database { url, connections } = &config.database;
    let engine = Engine::of(url);
    rule(engine.is_some(), "database.url", "must begin with sqlite:// or postgres://");
    rule(
        engine != Some(Engine::Postgres) || names_one_server(url),
        "database.url",
        "must name one server: name a proxy (HAProxy, for example) that leads to the primary of several",
    );
    within(rule, "database.connections", *connections, 1..=1024);
    rule(!config.storage.path.as_os_str().is_empty(), "storage.path", "must not be empty");
    rule(
        (BACKUPS_MIN..=1000).contains(&config.backup.keep),
        "backup.keep",
        "must be 2 to 1000: with fewer, stores could never delete records",
    );
    rule(config.backup.drill_limit > Period::seconds(0), "backup.drill_limit", "must be more than 0s");
}

fn auth(config: &Config, rule: Rule<'_>) {
    let auth = &config.auth;
    rule(auth.access_ttl >= Period::seconds(1), "auth.access_ttl", "must be at least 1s");
    let is_longer = auth.refresh_ttl >= auth.access_ttl;
    rule(is_longer, "auth.refresh_ttl", "must not be shorter than auth.access_ttl");
    if let Err(error) = auth.argon2.params() {
        rule(false, "auth.argon2", &error.to_string());
    }
}

fn sync(config: &Config, rule: Rule<'_>) {
    let sync = &config.sync;
    within(rule, "sync.batches_at_once", sync.batches_at_once, 1..=1024);
    rule(sync.enrolment_ttl >= Period::seconds(1), "sync.enrolment_ttl", "must be at least 1s");
    let is_enough =
        sync.feed_retain >= Period::days(FEED_RETAIN_DAYS_MIN) || sync.feed_retain == Period::ZERO;
    rule(is_enough, "sync.feed_retain", "must be at least 35d, or 0s to keep no replaced changes");
}

fn limits(limits: &Limits, rule: Rule<'_>) {
    within(rule, "limits.import_rows", limits.import_rows, 1..=IMPORT_ROWS_MAX);
    rule(
        (1024..=64 << 20).contains(&limits.import_bytes),
        "limits.import_bytes",
        "must be 1024 to 67108864: 1 KiB to 64 MiB",
    );
    within(rule, "limits.event_streams", limits.event_streams, 1..=10_000);
    within(rule, "limits.event_streams_per_person", limits.event_streams_per_person, 1..=100);
    within(rule, "limits.event_buffer", limits.event_buffer, 1..=100_000);
}

/// Most days of a setting of head office that is a number of days.
const PLAN_DAYS_MAX: u32 = 3650;

/// Checks the settings that head office may change while the hub runs, whether they are from the file or were changed.
pub fn office((finance, purchasing, settlement): (&Finance, &Purchasing, &Settlement), rule: Rule<'_>) {
    rule(finance.first_month().is_some(), "finance.fiscal_year_start", "must be the first of a month, MM-01");
    for (key, amount) in
        [("finance.manual_limit", finance.manual_limit), ("finance.approval_limit", finance.approval_limit)]
    {
        rule((0..=FIGURE_MAX).contains(&amount), key, "must be 0 to 9007199254740991; 0: no limit");
    }
    within(rule, "finance.points_redemption_bp", finance.points_redemption_bp, 0..=10_000);
    buying(purchasing, rule);
    within(rule, "settlement.carry_days", settlement.carry_days, 0..=PLAN_DAYS_MAX);
}

fn buying(config: &Purchasing, rule: Rule<'_>) {
    for (key, amount) in [
        ("purchasing.approval_limit", config.approval_limit),
        ("purchasing.accept_limit", config.accept_limit),
        ("purchasing.price_tolerance_amount", config.price_tolerance_amount),
        ("purchasing.invoice_rounding", config.invoice_rounding),
    ] {
        within(rule, key, amount.get(), 0..=FIGURE_MAX);
    }
    within(rule, "purchasing.price_tolerance_bp", config.price_tolerance_bp, 0..=10_000);
    within(rule, "purchasing.rate_days", config.rate_days, 1..=366);
    for (key, days) in [
        ("purchasing.lead_days", config.lead_days),
        ("purchasing.safety_days", config.safety_days),
        ("purchasing.review_days", config.review_days),
    ] {
        within(rule, key, days, 0..=PLAN_DAYS_MAX);
    }
}
