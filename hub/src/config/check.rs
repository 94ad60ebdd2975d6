//! Rules over settings that types alone can't say.

use super::Config;
use crate::db::Engine;
use domain::ids::{SHORT_ID_PROBLEM, is_short_id};
use domain::sync::kept::BACKUPS_MIN;
use edge::passwords::Params;
use edge::settings::duration::Period;

/// As long as stores keep what they have sent: with less, a store that comes back in time would have to read
/// everything anew.
const FEED_RETAIN_DAYS_MIN: u64 = 35;

/// `(section.key, what is wrong)` for every rule that does not hold.
pub fn problems(config: &Config) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let mut rule = |holds: bool, key: &'static str, problem: &str| {
        if !holds {
            found.push((key, problem.to_owned()));
        }
    };
    let id = &config.hub.id;
    rule(id.is_empty() || is_short_id(id), "hub.id", SHORT_ID_PROBLEM);
    config.http.check(&mut rule);
    rule(
        Engine::of(&config.database.url).is_some(),
        "database.url",
        "must begin with sqlite:// or postgres://",
    );
    let connections = (1..=1024).contains(&config.database.connections);
    rule(connections, "database.connections", "must be 1 to 1024");
    rule(!config.storage.path.as_os_str().is_empty(), "storage.path", "must not be empty");
    rule(config.auth.access_ttl >= Period::seconds(1), "auth.access_ttl", "must be at least 1s");
    let order = config.auth.refresh_ttl >= config.auth.access_ttl;
    rule(order, "auth.refresh_ttl", "must not be shorter than auth.access_ttl");
    let argon2 = config.auth.argon2;
    if let Err(error) = Params::new(argon2.memory_kib, argon2.iterations, argon2.parallelism) {
        rule(false, "auth.argon2", &error.to_string());
    }
    let keep = (BACKUPS_MIN..=1000).contains(&config.backup.keep);
    rule(keep, "backup.keep", "must be 2 to 1000: with fewer, stores could forget nothing");
    rule((1..=1024).contains(&config.sync.batches_at_once), "sync.batches_at_once", "must be 1 to 1024");
    rule(config.sync.enrolment_ttl >= Period::seconds(1), "sync.enrolment_ttl", "must be at least 1s");
    let retain = config.sync.feed_retain;
    let enough = retain >= Period::days(FEED_RETAIN_DAYS_MIN) || retain == Period::ZERO;
    rule(enough, "sync.feed_retain", "must be at least 35d, or 0s to keep nothing that is void");
    found
}
