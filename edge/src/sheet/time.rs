//! Times and zones as they stand behind days.

use jiff::civil::Time;
use jiff::tz::{Offset, TimeZone};

/// Short names of zones, and those that payment providers write out.
const NAMES: [(&str, &str); 15] = [
    ("Z", "UTC"),
    ("UTC", "UTC"),
    ("GMT", "UTC"),
    ("WIB", "Asia/Jakarta"),
    ("WITA", "Asia/Makassar"),
    ("WIT", "Asia/Jayapura"),
    ("SGT", "Asia/Singapore"),
    ("JST", "Asia/Tokyo"),
    ("CET", "Europe/Paris"),
    ("CEST", "Europe/Paris"),
    ("PST", "America/Los_Angeles"),
    ("PDT", "America/Los_Angeles"),
    ("EASTERN TIME (US & CANADA)", "America/New_York"),
    ("CENTRAL TIME (US & CANADA)", "America/Chicago"),
    ("PACIFIC TIME (US & CANADA)", "America/Los_Angeles"),
];

/// A zone by its short name, its offset (`+07:00`) or its name in the zone database.
pub fn zone(text: &str) -> Option<TimeZone> {
    let text = text.trim();
    let known = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, name)| *name);
    if let Some(name) = known {
        return TimeZone::get(name).ok();
    }
    let bare = text.strip_prefix("UTC").or_else(|| text.strip_prefix("GMT")).unwrap_or(text);
    offset(bare).map(TimeZone::fixed).or_else(|| TimeZone::get(text).ok().filter(|_| text.contains('/')))
}

/// `+7`, `+07`, `+0700` or `+07:00`.
fn offset(text: &str) -> Option<Offset> {
    let (sign, digits) = match text.strip_prefix('+') {
        Some(digits) => (1, digits),
        None => (-1, text.strip_prefix(['-', '\u{2212}'])?),
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some(both) => both,
        None if digits.len() == 4 => digits.split_at_checked(2)?,
        None => (digits, "0"),
    };
    let number = |text: &str, most: i32| {
        let plain = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| text.parse::<i32>().ok()).flatten().filter(|number| *number <= most)
    };
    let (hours, minutes) = (number(hours, 18)?, number(minutes, 59)?);
    let seconds = hours.checked_mul(3_600)?.checked_add(minutes.checked_mul(60)?)?;
    Offset::from_seconds(seconds.checked_mul(sign)?).ok()
}

/// The time that a text begins with, and the zone behind it: `23:45:10.5 +07:00`, `2:30 PM`, `09.12 WIB`.
pub(super) fn time(text: &str) -> Option<(Time, Option<TimeZone>)> {
    let text = text.trim().trim_start_matches(['T', 't', ',']).trim_start();
    let (hour, rest) = number(text)?;
    let rest = rest.strip_prefix([':', '.'])?;
    let (minute, rest) = number(rest)?;
    let (second, rest) = match rest.strip_prefix([':', '.']) {
        Some(rest) => number(rest)?,
        None => (0, rest),
    };
    // Parts of seconds change no day.
    let rest = rest
        .strip_prefix(['.', ','])
        .map_or(rest, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let (hour, rest) = meridiem(hour, rest.trim_start())?;
    let time = Time::new(hour, minute, second.min(59), 0).ok()?;
    match rest.trim().trim_matches(['(', ')', '[', ']']) {
        "" => Some((time, None)),
        named => Some((time, Some(zone(named)?))),
    }
}

/// One or two digits.
fn number(text: &str) -> Option<(i8, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    let number = (1..=2).contains(&digits.len()).then(|| digits.parse().ok()).flatten()?;
    Some((number, rest))
}

fn meridiem(hour: i8, text: &str) -> Option<(i8, &str)> {
    let mark = text.get(..2).map(str::to_ascii_uppercase);
    let rest = text.get(2..).unwrap_or_default();
    let afternoon = match mark.as_deref() {
        Some("AM") => false,
        Some("PM") => true,
        _ => return Some((hour, text)),
    };
    let hour = (1..=12).contains(&hour).then_some(if hour == 12 { 0 } else { hour })?;
    Some((if afternoon { hour.checked_add(12)? } else { hour }, rest))
}
