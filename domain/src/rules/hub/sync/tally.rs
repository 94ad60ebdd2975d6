//! Running figures of business days: each record is counted once, when it arrives, and no day is counted a second time.

use crate::model::hub::chain::GENESIS;
use crate::model::hub::sync::DigestHead;
use crate::model::hub::sync::local::{DayFigures, Tally};
use crate::rules::hub::sync::counted;
use crate::rules::hub::sync::session::Chain;
use crate::wire::sync::EpochState;
use jiff::civil::Date;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Figures as they are being counted: the days that were touched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Count {
    /// By day.
    pub days: BTreeMap<Date, DayFigures>,
}

impl Count {
    /// Adds a record; `known` has a day's figures before it.
    ///
    /// # Errors
    /// What `known` says.
    pub fn add<E>(
        &mut self,
        tally: u64,
        record: &str,
        known: impl FnOnce(Date) -> Result<Option<DayFigures>, E>,
    ) -> Result<(), E> {
        let Some(counted) = counted(record) else { return Ok(()) };
        let business_date = counted.business_date;
        let day = match self.days.entry(business_date) {
            Entry::Occupied(day) => day.into_mut(),
            Entry::Vacant(vacant) => {
                let known = known(business_date)?.filter(|day| day.tally == tally);
                let none = || DayFigures { business_date, tally, types: BTreeMap::new() };
                vacant.insert(known.unwrap_or_else(none))
            }
        };
        let figure = day.types.entry(counted.kind).or_default();
        figure.count = figure.count.saturating_add(1);
        figure.total = figure.total.saturating_add(counted.total);
        Ok(())
    }
}

/// Records that are still to be counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Due {
    /// Nothing: every acknowledged record is in the figures.
    Nothing,
    /// Counts the whole epoch again, because the hub's copy has replaced it.
    Anew,
    /// These, epoch by epoch.
    Records(Vec<Span>),
}

/// Records of an epoch that are in no figures yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Name of the epoch.
    pub epoch: String,
    /// After this one …
    pub after: u64,
    /// … up to this one.
    pub to: u64,
}

impl Tally {
    /// Records that are still to be counted. An epoch may be as long as it was and hold other records.
    ///
    /// # Errors
    /// The own records can't be read.
    pub fn due<C: Chain>(&self, chain: &C, lineage: &[EpochState]) -> Result<Due, C::Error> {
        let mut spans = Vec::new();
        for state in lineage {
            let (after, hash) = self.place(&state.epoch);
            if chain.hash_at(&state.epoch, after)?.as_deref() != Some(hash) {
                return Ok(Due::Anew);
            }
            if after < state.acked_seq {
                spans.push(Span { epoch: state.epoch.clone(), after, to: state.acked_seq });
            }
        }
        Ok(if spans.is_empty() { Due::Nothing } else { Due::Records(spans) })
    }

    /// Whether an event whose record is about to be counted at `here` was counted at another of its places.
    pub fn counted_at(&self, places: &[(String, u64)], (epoch, seq): (&str, u64)) -> bool {
        places.iter().any(|(other, at)| if other == epoch { *at < seq } else { *at <= self.place(other).0 })
    }

    /// Seq up to which an epoch was counted, and the hash there.
    pub fn place(&self, epoch: &str) -> (u64, &str) {
        let head = self.heads.iter().find(|head| head.epoch == epoch);
        head.map_or((0, GENESIS), |head| (head.seq, &head.hash))
    }

    /// Seq up to which each epoch of the store was counted, including epochs without any counted record.
    pub fn named<'a>(&self, lineage: impl Iterator<Item = &'a str>) -> Vec<DigestHead> {
        let head = |epoch: &str| {
            let (seq, hash) = self.place(epoch);
            DigestHead { epoch: epoch.to_owned(), seq, hash: hash.to_owned() }
        };
        lineage.map(head).collect()
    }

    /// An epoch was counted up to here.
    pub fn reached(&mut self, head: DigestHead) {
        self.heads.retain(|known| known.epoch != head.epoch);
        self.heads.push(head);
    }

    /// Restarts the counting.
    pub fn anew(&self) -> Self {
        Self { number: self.number.saturating_add(1), heads: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
    use super::*;
    use crate::model::hub::sync::Figure;
    use std::convert::Infallible;

    fn record(day: &str, amount: i64) -> String {
        format!(
            r#"{{"event_id":"e","type":"cash.moved","schema":1,"at":"x","occurred_at":"2026-11-20T02:06:34.739Z",
            "about":{{"business_date":"{day}","amount":{amount}}},"payload":{{}}}}"#
        )
    }

    #[test]
    fn days_go_on_from_what_was_known_and_figures_of_an_earlier_count_do_not_matter() {
        let day: Date = "2026-11-20".parse().unwrap();
        let known = |number: u64| {
            let types = BTreeMap::from([("cash.moved".to_owned(), Figure { count: 2, total: 30 })]);
            move |business_date| Ok::<_, Infallible>(Some(DayFigures { business_date, tally: number, types }))
        };
        for (number, expected) in [(7, Figure { count: 4, total: 42 }), (6, Figure { count: 2, total: 12 })] {
            let mut count = Count::default();
            count.add(7, &record("2026-11-20", 5), known(number)).unwrap();
            count.add(7, &record("2026-11-20", 7), known(number)).unwrap();
            assert_eq!(count.days[&day].types["cash.moved"], expected);
        }
        let mut tally = Tally::default();
        tally.reached(DigestHead { epoch: "1-a".to_owned(), seq: 3, hash: "aa".to_owned() });
        assert_eq!((tally.place("1-a"), tally.place("1-b")), ((3, "aa"), (0, GENESIS)));
        assert_eq!(tally.anew(), Tally { number: 1, heads: Vec::new() });
    }

    /// Every record has the same hash.
    struct One(&'static str, u64);

    impl Chain for One {
        type Error = Infallible;

        fn hash_at(&self, _: &str, seq: u64) -> Result<Option<String>, Infallible> {
            let hash = if seq == 0 { GENESIS } else { self.0 };
            Ok((seq <= self.1).then(|| hash.to_owned()))
        }
    }

    #[test]
    fn replaced_records_are_counted_again_at_any_length() {
        let state = |acked_seq| EpochState {
            epoch: "1-a".to_owned(),
            head_seq: 9,
            head_hash: "own".to_owned(),
            acked_seq,
            acked_hash: "own".to_owned(),
            min_kept_seq: 1,
        };
        let mut tally = Tally::default();
        let spans = |after, to| Due::Records(vec![Span { epoch: "1-a".to_owned(), after, to }]);
        assert_eq!(tally.due(&One("own", 9), &[state(3)]), Ok(spans(0, 3)));
        tally.reached(DigestHead { epoch: "1-a".to_owned(), seq: 3, hash: "own".to_owned() });
        assert_eq!(tally.due(&One("own", 9), &[state(3)]), Ok(Due::Nothing));
        assert_eq!(tally.due(&One("own", 9), &[state(7)]), Ok(spans(3, 7)));
        for replaced in [One("other", 3), One("other", 9), One("own", 2)] {
            assert_eq!(tally.due(&replaced, &[state(3)]), Ok(Due::Anew));
        }
    }

    #[test]
    fn an_event_is_counted_at_the_first_of_its_places() {
        let mut tally = Tally::default();
        tally.reached(DigestHead { epoch: "2-b".to_owned(), seq: 4, hash: "b".to_owned() });
        let places = |list: &[(&str, u64)]| -> Vec<(String, u64)> {
            list.iter().map(|(epoch, seq)| ((*epoch).to_owned(), *seq)).collect()
        };
        let here = ("1-a", 5);
        assert!(!tally.counted_at(&places(&[here]), here));
        assert!(tally.counted_at(&places(&[here, ("1-a", 3)]), here));
        assert!(tally.counted_at(&places(&[here, ("2-b", 4)]), here));
        assert!(!tally.counted_at(&places(&[here, ("2-b", 5)]), here), "it is skipped there later");
    }
}
