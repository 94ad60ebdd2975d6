//! A moment on paper: its day in words, in the shop's language and by its clock.

use super::Language;
use domain::model::base::time::UtcMs;
use jiff::tz::TimeZone;

/// Days of a week from Monday on, and months.
type Names = ([&'static str; 7], [&'static str; 12]);
const ENGLISH: Names = (
    ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
);
const INDONESIAN: Names = (
    ["Sen", "Sel", "Rab", "Kam", "Jum", "Sab", "Min"],
    ["Jan", "Feb", "Mar", "Apr", "Mei", "Jun", "Jul", "Agu", "Sep", "Okt", "Nov", "Des"],
);

/// `Sat 28 Nov 2026 06:07`.
pub(super) fn moment(at: UtcMs, zone: &TimeZone, language: Language) -> String {
    let instant = jiff::Timestamp::from_millisecond(at.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let local = instant.to_zoned(zone.clone());
    let (days, months) = match language {
        Language::En => ENGLISH,
        Language::Id => INDONESIAN,
    };
    let name = |names: &[&'static str], place: i8| {
        usize::try_from(place).ok().and_then(|place| names.get(place)).copied().unwrap_or_default()
    };
    let day = name(&days, local.weekday().to_monday_zero_offset());
    let month = name(&months, local.month().saturating_sub(1));
    format!("{day} {} {month} {} {:02}:{:02}", local.day(), local.year(), local.hour(), local.minute())
}

#[cfg(test)]
mod tests {
    use super::moment;
    use crate::receipt::Language;
    use domain::model::base::time::UtcMs;
    use jiff::tz::{TimeZone, offset};

    #[test]
    fn a_day_is_read_by_the_shops_clock_and_in_its_language() {
        let jakarta = TimeZone::fixed(offset(7));
        // 2026-08-16T17:30:00Z.
        let at = UtcMs(1_786_901_400_000);
        assert_eq!(moment(at, &jakarta, Language::En), "Mon 17 Aug 2026 00:30");
        assert_eq!(moment(at, &jakarta, Language::Id), "Sen 17 Agu 2026 00:30");
    }
}
