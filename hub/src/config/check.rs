//! Rules over settings that types alone can't say.

use super::Config;
use crate::db::Engine;
use edge::passwords::Params;
use edge::settings::duration::Period;

/// The longest hub id, in bytes.
const HUB_ID_BYTES_MAX: usize = 32;

/// `(section.key, what is wrong)` for every rule that does not hold.
pub fn problems(config: &Config) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let mut rule = |holds: bool, key: &'static str, problem: &str| {
        if !holds {
            found.push((key, problem.to_owned()));
        }
    };
    let id = &config.hub.id;
    rule(
        id.is_empty() || crate::store::is_name(id, HUB_ID_BYTES_MAX),
        "hub.id",
        "must be 1 to 32 of A-Z a-z 0-9 _ -",
    );
    let http = &config.http;
    rule(!http.allowed_networks.is_empty(), "http.allowed_networks", "must name at least one network");
    rule((1024..=64 << 20).contains(&http.max_body_bytes), "http.max_body_bytes", "must be 1 KiB to 64 MiB");
    let sensible = (Period::seconds(1)..=Period::seconds(300)).contains(&http.request_timeout);
    rule(sensible, "http.request_timeout", "must be 1s to 5m");
    rule((1..=65_536).contains(&http.max_connections), "http.max_connections", "must be 1 to 65536");
    let plain = http.tls_cert.as_os_str().is_empty() && http.tls_key.as_os_str().is_empty();
    rule(plain, "http.tls_cert", "this version speaks plain HTTP only: leave it empty");
    rule(
        Engine::of(&config.database.url).is_some(),
        "database.url",
        "must begin with sqlite:// or postgres://",
    );
    rule(!config.storage.path.as_os_str().is_empty(), "storage.path", "must not be empty");
    rule(config.auth.access_ttl >= Period::seconds(1), "auth.access_ttl", "must be at least 1s");
    let order = config.auth.refresh_ttl >= config.auth.access_ttl;
    rule(order, "auth.refresh_ttl", "must not be shorter than auth.access_ttl");
    let argon2 = config.auth.argon2;
    if let Err(error) = Params::new(argon2.memory_kib, argon2.iterations, argon2.parallelism) {
        rule(false, "auth.argon2", &error.to_string());
    }
    rule((1..=1024).contains(&config.sync.batches_at_once), "sync.batches_at_once", "must be 1 to 1024");
    rule(config.sync.enrolment_ttl >= Period::seconds(1), "sync.enrolment_ttl", "must be at least 1s");
    found
}
