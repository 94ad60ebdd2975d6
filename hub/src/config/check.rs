//! Rules over settings that types alone can't express.

use crate::config::{Config, Finance, Purchasing, Settlement};
use crate::db::Engine;
use domain::model::base::ids::{SHORT_ID_PROBLEM, is_short_id};
use domain::model::base::limits::FIGURE_MAX;
use domain::model::hub::sync::retention::BACKUPS_MIN;
use edge::settings::duration::Period;

/// As long as stores keep their sent records: with less, a store that returns in time would have to read everything
/// again.
const FEED_RETAIN_DAYS_MIN: u64 = 35;

/// Whether the address names one host, and does not ask for a choice among several, which this program can't make.
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

/// `(section.key, problem)` for every rule that does not hold.
pub fn problems(config: &Config) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let mut rule = |holds: bool, key: &'static str, problem: &str| {
        if !holds {
            found.push((key, problem.to_owned()));
        }
    };
    let id = &config.hub.id;
    rule(id.is_empty() || is_short_id(id), "hub.id", SHORT_ID_PROBLEM);
    let zone = jiff::tz::TimeZone::get(&config.hub.timezone).is_ok();
    rule(zone, "hub.timezone", "is not an IANA time zone");
    config.http.check(&mut rule);
    rule(
        Engine::of(&config.database.url).is_some(),
        "database.url",
        "must begin with sqlite:// or postgres://",
    );
    let one =
        Engine::of(&config.database.url) != Some(Engine::Postgres) || names_one_server(&config.database.url);
    rule(
        one,
        "database.url",
        "must name one server: name a proxy (HAProxy, for example) that leads to the primary of several",
    );
    let connections = (1..=1024).contains(&config.database.connections);
    rule(connections, "database.connections", "must be 1 to 1024");
    rule(!config.storage.path.as_os_str().is_empty(), "storage.path", "must not be empty");
    rule(config.auth.access_ttl >= Period::seconds(1), "auth.access_ttl", "must be at least 1s");
    let order = config.auth.refresh_ttl >= config.auth.access_ttl;
    rule(order, "auth.refresh_ttl", "must not be shorter than auth.access_ttl");
    if let Err(error) = config.auth.argon2.params() {
        rule(false, "auth.argon2", &error.to_string());
    }
    let keep = (BACKUPS_MIN..=1000).contains(&config.backup.keep);
    rule(keep, "backup.keep", "must be 2 to 1000: with fewer, stores could never delete records");
    rule(config.backup.drill_limit > Period::seconds(0), "backup.drill_limit", "must be more than 0s");
    rule((1..=1024).contains(&config.sync.batches_at_once), "sync.batches_at_once", "must be 1 to 1024");
    rule(config.sync.enrolment_ttl >= Period::seconds(1), "sync.enrolment_ttl", "must be at least 1s");
    office((&config.finance, &config.purchasing, &config.settlement), &mut rule);
    config.company.check(&mut rule);
    config.log.check(&mut rule);
    rule(config.jobs.time().is_some(), "jobs.at", "must be a time of day, HH:MM");
    let rows = (1..=1_000_000).contains(&config.limits.import_rows);
    rule(rows, "limits.import_rows", "must be 1 to 1000000");
    let bytes = (1024..=64 << 20).contains(&config.limits.import_bytes);
    rule(bytes, "limits.import_bytes", "must be 1024 to 67108864: 1 KiB to 64 MiB");
    let streams = (1..=10_000).contains(&config.limits.event_streams);
    rule(streams, "limits.event_streams", "must be 1 to 10000");
    let own = (1..=100).contains(&config.limits.event_streams_per_person);
    rule(own, "limits.event_streams_per_person", "must be 1 to 100");
    let buffer = (1..=100_000).contains(&config.limits.event_buffer);
    rule(buffer, "limits.event_buffer", "must be 1 to 100000");
    let retain = config.sync.feed_retain;
    let enough = retain >= Period::days(FEED_RETAIN_DAYS_MIN) || retain == Period::ZERO;
    rule(enough, "sync.feed_retain", "must be at least 35d, or 0s to keep no replaced changes");
    found
}

/// The longest time that is planned for, in days.
const PLAN_DAYS_MAX: u32 = 3650;

/// Checks of the settings that head office may change while it runs, from any source.
pub fn office(
    (finance, purchasing, settlement): (&Finance, &Purchasing, &Settlement),
    rule: &mut impl FnMut(bool, &'static str, &str),
) {
    rule(finance.first_month().is_some(), "finance.fiscal_year_start", "must be the first of a month, MM-01");
    for (key, amount) in
        [("finance.manual_limit", finance.manual_limit), ("finance.approval_limit", finance.approval_limit)]
    {
        rule((0..=FIGURE_MAX).contains(&amount), key, "must be 0 to 9007199254740991; 0: no limit");
    }
    rule(finance.points_redemption_bp <= 10_000, "finance.points_redemption_bp", "must be 0 to 10000");
    buying(purchasing, rule);
    rule(settlement.carry_days <= PLAN_DAYS_MAX, "settlement.carry_days", "must be 0 to 3650");
}

fn buying(config: &Purchasing, rule: &mut impl FnMut(bool, &'static str, &str)) {
    for (key, amount) in [
        ("purchasing.approval_limit", config.approval_limit),
        ("purchasing.accept_limit", config.accept_limit),
        ("purchasing.price_tolerance_amount", config.price_tolerance_amount),
        ("purchasing.invoice_rounding", config.invoice_rounding),
    ] {
        rule((0..=FIGURE_MAX).contains(&amount), key, "must be 0 to 9007199254740991");
    }
    rule(config.price_tolerance_bp <= 10_000, "purchasing.price_tolerance_bp", "must be 0 to 10000");
    rule((1..=366).contains(&config.rate_days), "purchasing.rate_days", "must be 1 to 366");
    for (key, days) in [
        ("purchasing.lead_days", config.lead_days),
        ("purchasing.safety_days", config.safety_days),
        ("purchasing.review_days", config.review_days),
    ] {
        rule(days <= PLAN_DAYS_MAX, key, "must be 0 to 3650");
    }
}
