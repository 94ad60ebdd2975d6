//! Times and zones after days.

use jiff::civil::Time;
use jiff::tz::{Offset, TimeZone};

/// Short names of zones, and those that payment providers write out.
const NAMES: [(&str, &str); 37] = [
    ("Z", "UTC"),
    ("UTC", "UTC"),
    ("GMT", "UTC"),
    ("WIB", "Asia/Jakarta"),
    ("WITA", "Asia/Makassar"),
    ("WIT", "Asia/Jayapura"),
    ("SGT", "Asia/Singapore"),
    ("JST", "Asia/Tokyo"),
    ("MYT", "Asia/Kuala_Lumpur"),
    ("HKT", "Asia/Hong_Kong"),
    ("KST", "Asia/Seoul"),
    ("AWST", "Australia/Perth"),
    ("ACST", "Australia/Adelaide"),
    ("ACDT", "Australia/Adelaide"),
    ("AEST", "Australia/Sydney"),
    ("AEDT", "Australia/Sydney"),
    ("NZST", "Pacific/Auckland"),
    ("NZDT", "Pacific/Auckland"),
    ("BST", "Europe/London"),
    ("WET", "Europe/Lisbon"),
    ("WEST", "Europe/Lisbon"),
    ("EET", "Europe/Helsinki"),
    ("EEST", "Europe/Helsinki"),
    ("MEZ", "Europe/Paris"),
    ("MESZ", "Europe/Paris"),
    ("EST", "America/New_York"),
    ("EDT", "America/New_York"),
    ("CDT", "America/Chicago"),
    ("MST", "America/Denver"),
    ("MDT", "America/Denver"),
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
    // `-5:EST` is how OFX writes an offset with its name.
    let unnamed =
        text.split_once(':').filter(|(_, name)| name.starts_with(|c: char| c.is_ascii_alphabetic()));
    let text = unnamed.map_or(text, |(offset, _)| offset);
    if text == "0" {
        return Some(TimeZone::UTC);
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
    let (hour, minute, second, rest) = compact(text).or_else(|| clock(text))?;
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

/// Hour, minute and second with marks between them, and the text behind them.
fn clock(text: &str) -> Option<(i8, i8, i8, &str)> {
    let (hour, rest) = number(text)?;
    let (minute, rest) = number(rest.strip_prefix([':', '.'])?)?;
    let (second, rest) = match rest.strip_prefix([':', '.']) {
        Some(rest) => number(rest)?,
        None => (0, rest),
    };
    Some((hour, minute, second, rest))
}

/// Hour, minute and second without marks: `234510`. Four digits may be a year.
fn compact(text: &str) -> Option<(i8, i8, i8, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end).filter(|(digits, _)| digits.len() == 6)?;
    let part = |from: usize, to: usize| digits.get(from..to)?.parse::<i8>().ok();
    Some((part(0, 2)?, part(2, 4)?, part(4, 6)?, rest))
}

/// One or two digits.
fn number(text: &str) -> Option<(i8, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    let number = (1..=2).contains(&digits.len()).then(|| digits.parse().ok()).flatten()?;
    Some((number, rest))
}

fn meridiem(hour: i8, text: &str) -> Option<(i8, &str)> {
    let lower = text.to_ascii_lowercase();
    let known = ["am", "pm", "a.m.", "p.m.", "a.m", "p.m"].into_iter().find(|mark| lower.starts_with(mark));
    let Some(mark) = known else { return Some((hour, text)) };
    let (afternoon, rest) = (mark.starts_with('p'), text.get(mark.len()..).unwrap_or_default());
    let hour = (1..=12).contains(&hour).then_some(if hour == 12 { 0 } else { hour })?;
    Some((if afternoon { hour.checked_add(12)? } else { hour }, rest))
}
