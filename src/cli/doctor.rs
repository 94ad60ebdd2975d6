//! `doctor`: everything that an operator would check by hand, whether the daemon runs or not.

use super::carry_out::carry_out;
use crate::config::Config;
use crate::config::load::Loaded;
use crate::config::printing::PrinterAddress;
use crate::control::Order;
use crate::exit::{Exit, FAILED};
use crate::start::{self, Standing};
use crate::upkeep::{drill, kept};
use crate::{folder, hub_address};
use anyhow::Context;
use domain::model::base::time::UtcMs;
use edge::server::certificate;
use edge::server::command::words;
use edge::server::doctor::{CONNECT_TIMEOUT, Report, listens};
use edge::{clock, private};
use jiff::fmt::rfc2822::DateTimeParser;
use serde_json::Value;
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// The oldest last backup that is no problem: one night may be missed.
const BACKUP_AGE_MAX: Duration = Duration::from_secs(50 * 3600);
/// The largest difference between this clock and head office's that is no problem.
const CLOCK_DIFFERENCE_MAX: Duration = Duration::from_secs(60);
const GIB: u64 = 1024 * 1024 * 1024;

/// Prints a line for each check.
///
/// # Errors
/// Exit code 1 if a check found a problem.
pub fn run(loaded: &Loaded) -> anyhow::Result<()> {
    let config = &loaded.config;
    let mut report = Report::default();
    report.add("settings", text(config.http.tls()).map(|_| loaded.confirmation()));
    let is_initialised = folder::has_store(config).is_ok();
    certificate::report(&hub_address::certificates(config), clock::now().timestamp(), &mut report);
    report.add("data", data(config));
    report.add("disk", disk(config));
    let serves = listens(config.http.listen);
    report.add("daemon", daemon(config, serves.as_ref().err(), is_initialised));
    if is_initialised {
        report.add("backup", backup(config));
        report.add("drill", drilled(config));
        store(config, &mut report);
    }
    for (register, place) in config.printing.places() {
        report.add("printer", printer(&place).map_err(|why| format!("{register}: {why}")));
    }
    print!("{}", report.text());
    match report.problems() {
        0 => Ok(()),
        count => Err(Exit::new(FAILED, format!("problems: {count}")).into()),
    }
}

fn text<T, E: Into<anyhow::Error>>(result: Result<T, E>) -> Result<T, String> {
    result.map_err(|error| words(error.into().as_ref()))
}

fn data(config: &Config) -> Result<String, String> {
    let path = &config.storage.path;
    text(folder::has_store(config))?;
    text(private::check_folder(path))?;
    Ok(path.display().to_string())
}

fn disk(config: &Config) -> Result<String, String> {
    let path = config.storage.path.ancestors().find(|path| path.exists()).unwrap_or(&config.storage.path);
    let disk = text(rustix::fs::statvfs(path))?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let total = disk.f_blocks.saturating_mul(disk.f_frsize);
    let said = format!("{} of {} GiB are free", free / GIB, total / GIB);
    check_room(free, config.storage.min_free_bytes).map_err(|problem| format!("{said}: {problem}"))?;
    Ok(said)
}

/// Whether the store can write for a while.
fn check_room(free: u64, needed: u64) -> Result<(), String> {
    if free < needed {
        return Err(format!(
            "the store has stopped writing, because it keeps {needed} bytes free: free some space"
        ));
    }
    if free < needed.saturating_mul(4) {
        return Err(format!("the store stops writing at {needed} bytes: free some space"));
    }
    Ok(())
}

fn daemon(config: &Config, why: Option<&std::io::Error>, is_initialised: bool) -> Result<String, String> {
    let listen = config.http.listen;
    match why {
        None => Ok(format!("answers at {listen}")),
        Some(_) if !is_initialised => Err("not started: there is no store yet".to_owned()),
        Some(why) => Err(format!(
            "nothing answers at {listen} ({why}): systemctl start store-router, then journalctl -u store-router"
        )),
    }
}

fn backup(config: &Config) -> Result<String, String> {
    let folder = folder::backups(config);
    let Some(last) = text(kept::list(&folder))?.into_iter().next() else {
        return Err(format!("there is none in {}: run store-router backup", folder.display()));
    };
    let said = format!("the last one is of {}", last.made_at);
    if age(last.made_at) > BACKUP_AGE_MAX {
        return Err(format!("{said}: is store-router-backup.timer enabled?"));
    }
    Ok(said)
}

/// Whether the newest backups can be restored.
fn drilled(config: &Config) -> Result<String, String> {
    let Some(drill) = drill::last(&folder::backups(config)) else {
        return Err("no backup was ever restored to check it: run store-router drill".to_owned());
    };
    if let Some(problem) = drill.problem {
        return Err(format!("the last backup can't be restored: {problem}"));
    }
    let said = format!("a backup was restored and verified at {}", drill.finished_at);
    if age(drill.finished_at) > BACKUP_AGE_MAX {
        return Err(format!("{said}: is store-router-backup.timer enabled?"));
    }
    Ok(said)
}

fn age(at: UtcMs) -> Duration {
    Duration::from_millis(clock::now().0.saturating_sub(at.0).try_into().unwrap_or(0))
}

/// Checks that need the store's own answer.
fn store(config: &Config, report: &mut Report) {
    let status = match text(carry_out(config, Order::Status)) {
        Ok(status) => status,
        Err(why) => return report.add("store", Err(why)),
    };
    let at = |path: &str| status.pointer(path).and_then(Value::as_str);
    let problems = status.get("problems").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for problem in problems {
        report.add("store", Err(problem.get("message").and_then(Value::as_str).unwrap_or("?").to_owned()));
    }
    if problems.is_empty() {
        report.add("store", Ok(config.store.id.clone()));
    }
    report.add("start", starts(config, &status));
    match at("/hub/url") {
        None => report.add("hub", Ok("none: this store has no head office".to_owned())),
        Some(url) => {
            let waiting = status.pointer("/outbox/pending").and_then(Value::as_u64).unwrap_or(0);
            report.add("outbox", Ok(format!("{waiting} records wait for head office")));
            report.add("hub", text(hub(config, url)).and_then(|found| found));
        }
    }
}

/// Whether the store would start with these settings and keys.
fn starts(config: &Config, status: &Value) -> Result<String, String> {
    let standing = status.get("standing").cloned().map(serde_json::from_value).transpose();
    let standing: Standing = text(standing)?.unwrap_or_default();
    text(start::check(config, &standing))?;
    Ok("the store starts with these settings and keys".to_owned())
}

/// Asks the hub for its health and time; the inner result is a problem with its answer.
fn hub(config: &Config, url: &str) -> anyhow::Result<Result<String, String>> {
    let authority = hub_address::authority(config)?;
    let client = actors::trusting(reqwest::Client::builder(), authority.as_deref())?
        .timeout(CONNECT_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .build()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let answer = runtime.block_on(async { client.get(format!("{url}/health")).send().await });
    let answer = answer.with_context(|| format!("{url} does not answer; the shop sells on without it"))?;
    let status = answer.status();
    if !status.is_success() {
        return Ok(Err(format!("{url} answers {status}; the shop sells on without it")));
    }
    let date = answer.headers().get("date").and_then(|date| date.to_str().ok());
    let there = date.and_then(|date| DateTimeParser::new().parse_timestamp(date).ok());
    let Some(there) = there else { return Ok(Ok(format!("{url} answers"))) };
    let seconds = clock::now().timestamp().duration_since(there).as_secs().unsigned_abs();
    if seconds > CLOCK_DIFFERENCE_MAX.as_secs() {
        return Ok(Err(format!("this clock and that of {url} differ by {seconds} s: set up a time service")));
    }
    Ok(Ok(format!("{url} answers, and its clock agrees")))
}

fn printer(place: &PrinterAddress) -> Result<String, String> {
    match place {
        PrinterAddress::Device(path) if path.exists() => Ok(path.display().to_string()),
        PrinterAddress::Device(path) => Err(format!("{} is not there: is it switched on?", path.display())),
        PrinterAddress::Network(address) => {
            let found =
                text(address.to_socket_addrs())?.next().ok_or_else(|| format!("{address}: no address"))?;
            let connected = TcpStream::connect_timeout(&found, CONNECT_TIMEOUT);
            connected.map_err(|why| format!("{address} does not answer ({why}): is it switched on?"))?;
            Ok(address.clone())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check_room;

    #[test]
    fn a_store_that_has_stopped_writing_is_not_announced_as_one_that_will() {
        let problem = |free| check_room(free, 100).err().unwrap_or_default();
        assert!(problem(99).contains("has stopped writing"), "{}", problem(99));
        assert!(problem(100).contains("stops writing at 100 bytes"), "{}", problem(100));
        assert_eq!(problem(400), "");
    }
}
