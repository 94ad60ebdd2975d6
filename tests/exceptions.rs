//! Exceptions from the rules for dependencies in `deny.toml` have a reason and an end.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Unit};
use std::path::Path;

/// Highest number of days until an exception must be reviewed.
const DAYS_MAX: i64 = 90;
/// Lowest number of words of a reason.
const WORDS_MIN: usize = 5;

/// Returns the problem of an exception on this day, if any.
fn problem(reason: &str, today: Date) -> Option<String> {
    let Some((why, dates)) = reason.rsplit_once("Since ") else {
        return Some("does not say since when".to_owned());
    };
    if why.split_whitespace().count() < WORDS_MIN {
        return Some("gives no reason".to_owned());
    }
    let dates = dates.split_once(", until ");
    let read = |text: &str| text.trim().parse::<Date>().ok();
    let Some((Some(since), Some(until))) = dates.map(|(since, until)| (read(since), read(until))) else {
        return Some("does not say until when".to_owned());
    };
    let days = i64::from(since.until((Unit::Day, until)).unwrap().get_days());
    if !(0..=DAYS_MAX).contains(&days) {
        return Some(format!("runs for {days} days, at most {DAYS_MAX} are allowed"));
    }
    (today > until).then(|| format!("ended on {until}: look at it again, then renew or remove it"))
}

#[test]
fn every_exception_says_why_and_has_not_run_out() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("deny.toml");
    let rules: toml::Table = std::fs::read_to_string(file).unwrap().parse().unwrap();
    let today = Timestamp::from_millisecond(edge::clock::now().0).unwrap().to_zoned(TimeZone::UTC).date();
    let exceptions = rules["advisories"]["ignore"].as_array().unwrap();
    assert!(!exceptions.is_empty());
    for exception in exceptions {
        let (id, reason) = (&exception["id"], exception["reason"].as_str().unwrap());
        assert_eq!(problem(reason, today), None, "{id}");
    }
    for banned in rules["bans"]["deny"].as_array().unwrap() {
        assert!(!banned["reason"].as_str().unwrap().is_empty(), "{banned}");
    }
    assert_eq!(rules["advisories"]["unmaintained"].as_str(), Some("all"));
    assert_eq!(rules["advisories"]["yanked"].as_str(), Some("deny"));
}

#[test]
fn one_that_is_too_long_over_or_unreasoned_is_found() {
    let day = |text: &str| text.parse::<Date>().unwrap();
    let good = "old, and read by us only. Since 2026-11-21, until 2027-02-19";
    assert_eq!(problem(good, day("2027-02-19")), None);
    assert!(problem(good, day("2027-02-20")).unwrap().contains("look at it again"));
    for wrong in [
        "old, and read by us only",
        "old, and read by us only. Since 2026-11-21",
        "old, and read by us only. Since 2026-11-21, until 2027-02-20",
        "old, and read by us only. Since 2026-11-21, until 2026-11-20",
        "Since 2026-11-21, until 2027-02-19",
    ] {
        assert!(problem(wrong, day("2026-12-01")).is_some(), "{wrong}");
    }
}
