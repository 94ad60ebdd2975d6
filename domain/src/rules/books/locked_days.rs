//! Locked days of a book (docs/arithmetic.md#locked-days): an entry gets the first day that is not locked.

use jiff::civil::{Date, date};
use std::collections::BTreeMap;

/// Beginning of the first lock of a book: no document is dated before it.
pub const BEGINNING: Date = date(0, 1, 1);

/// Days that follow one another, the first and the last.
pub type Span = (Date, Date);

/// The locked days of one book, as spans that do not touch: the first day of each span by its last day.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LockedDays(BTreeMap<Date, Date>);

impl LockedDays {
    /// Locks the days `from` to `to` as well.
    pub fn lock(&mut self, (from, to): Span) {
        let last = self.0.entry(to).or_insert(from);
        *last = from.min(*last);
    }

    /// Locks every day until one, whatever was locked before.
    pub fn close(&mut self, through: Date) {
        let over = self.span(through).map_or(through, |(_, to)| to);
        self.0.retain(|to, _| *to > over);
        self.lock((BEGINNING, over));
    }

    /// The span that locks a day.
    fn span(&self, day: Date) -> Option<Span> {
        self.0.range(day..).map(|(to, from)| (*from, *to)).find(|(from, _)| *from <= day)
    }

    /// Whether a day is locked.
    pub fn is_locked(&self, day: Date) -> bool {
        self.span(day).is_some()
    }

    /// The first day from this one on that is not locked: the one that an entry gets in the books.
    pub fn first_open(&self, day: Date) -> Date {
        // No book begins earlier, and no lock reaches further back.
        let mut open = day.max(BEGINNING);
        while let Some((_, to)) = self.span(open) {
            let Ok(next) = to.tomorrow() else { return open };
            open = next;
        }
        open
    }

    /// The days until this one that are not locked, as spans, the earliest first.
    pub fn open_until(&self, day: Date) -> Vec<Span> {
        let (mut open, mut from) = (Vec::new(), BEGINNING);
        while from <= day {
            match self.0.range(from..).next() {
                Some((to, first)) if *first <= day => {
                    if let Some(before) = first.yesterday().ok().filter(|before| *before >= from) {
                        open.push((from, before));
                    }
                    let Ok(next) = to.tomorrow() else { return open };
                    from = next;
                }
                _ => {
                    open.push((from, day));
                    return open;
                }
            }
        }
        open
    }

    /// Spans that stay locked when a day is opened again, with the span of that day. `None` if the day is open.
    pub fn without(&self, day: Date) -> Option<(Span, Vec<Span>)> {
        let (from, to) = self.span(day)?;
        let before = day.yesterday().ok().filter(|before| *before >= from).map(|before| (from, before));
        let after = day.tomorrow().ok().filter(|after| *after <= to).map(|after| (after, to));
        Some(((from, to), before.into_iter().chain(after).collect()))
    }

    /// The last day until which every day is locked; `None` if the first ones are open.
    pub fn through(&self) -> Option<Date> {
        self.first_open(BEGINNING).yesterday().ok().filter(|last| *last >= BEGINNING)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    fn november(day: i8) -> Date {
        date(2026, 11, day)
    }

    fn locked(spans: &[(i8, i8)]) -> LockedDays {
        let mut days = LockedDays::default();
        spans.iter().for_each(|(from, to)| days.lock((november(*from), november(*to))));
        days
    }

    #[test]
    fn an_entry_gets_the_first_day_that_is_open() {
        let days = locked(&[(18, 18), (19, 19), (22, 25)]);
        for (day, open) in [(17, 17), (18, 20), (19, 20), (20, 20), (21, 21), (22, 26), (25, 26), (26, 26)] {
            assert_eq!(days.first_open(november(day)), november(open), "{day}");
            assert_eq!(days.is_locked(november(day)), day != open, "{day}");
        }
        assert_eq!(LockedDays::default().first_open(november(18)), november(18));
    }

    #[test]
    fn a_lock_until_a_day_fills_only_the_gaps() {
        let mut days = locked(&[(18, 18), (22, 25)]);
        let open = days.open_until(november(23));
        assert_eq!(open, [(BEGINNING, november(17)), (november(19), november(21))]);
        open.into_iter().for_each(|span| days.lock(span));
        assert_eq!(days.open_until(november(23)), []);
        assert_eq!(days.through(), Some(november(25)));
        assert_eq!(days.first_open(BEGINNING), november(26));
        assert_eq!(locked(&[(18, 18)]).through(), None);
        assert_eq!(days.open_until(november(27)), [(november(26), november(27))]);
    }

    #[test]
    fn a_closed_month_takes_in_what_was_locked_before() {
        for (through, open) in [(21, 22), (23, 26), (27, 28)] {
            let mut days = locked(&[(18, 18), (22, 25)]);
            days.close(november(through));
            let until = november(open).yesterday().unwrap();
            assert_eq!(days.open_until(until), [], "{through}");
            assert!(days.is_locked(november(24)), "{through}");
            assert!(!days.is_locked(november(28)));
        }
    }

    #[test]
    fn a_day_that_is_opened_again_leaves_its_neighbours_locked() {
        let span = ((november(22), november(25)), 24);
        for (day, left) in [(22, vec![(23, 25)]), (span.1, vec![(22, 23), (25, 25)]), (25, vec![(22, 24)])] {
            let left: Vec<_> = left.into_iter().map(|(from, to)| (november(from), november(to))).collect();
            assert_eq!(locked(&[(22, 25)]).without(november(day)), Some((span.0, left)), "{day}");
        }
        assert_eq!(locked(&[(18, 18)]).without(november(18)), Some(((november(18), november(18)), vec![])));
        assert_eq!(locked(&[(18, 18)]).without(november(19)), None);
    }
}
