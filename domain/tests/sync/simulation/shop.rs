//! A copy of a store in memory: its journal by epoch, its books, its till.

use super::broken::Broken;
use super::fact::{self, Books, Fact};
use domain::model::base::time::UtcMs;
use domain::model::books::register::Counters;
use domain::model::hub::chain::{GENESIS, next};
use domain::model::hub::stamp::AckMark;
use domain::model::hub::sync::local::{DayFigures, Tally};
use domain::model::hub::sync::retention::Retention;
use domain::model::people::points::PointsAccount;
use domain::rules::hub::sync::session;
use domain::rules::hub::sync::session::Chain;
use domain::wire::sync::{EpochState, PushEvent};
use jiff::civil::Date;
use std::collections::BTreeMap;
use std::convert::Infallible;

/// The till of every copy.
pub const TILL: &str = "main";
/// A day, in milliseconds.
pub const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// An epoch's records, and the hashes at the ends of its holes.
#[derive(Debug, Clone, Default)]
pub struct Journal {
    pub events: BTreeMap<u64, PushEvent>,
    pub ends: BTreeMap<u64, String>,
}

impl Journal {
    pub fn seq(&self) -> u64 {
        let ends = self.ends.keys().next_back().copied().unwrap_or_default();
        self.events.keys().next_back().copied().unwrap_or_default().max(ends)
    }

    pub fn hash_at(&self, seq: u64) -> Option<String> {
        if seq == 0 {
            return Some(GENESIS.to_owned());
        }
        self.events.get(&seq).map(|event| event.hash.clone()).or_else(|| self.ends.get(&seq).cloned())
    }

    /// Returns the records after `after`, at most `most`.
    pub fn after(&self, after: u64, most: usize) -> Vec<PushEvent> {
        self.events.range(after + 1..).take(most).map(|(_, event)| event.clone()).collect()
    }
}

#[derive(Clone)]
pub struct Shop {
    pub number: usize,
    pub alive: bool,
    pub key: u64,
    pub current: String,
    pub epochs: BTreeMap<(u64, String), Journal>,
    pub marks: BTreeMap<String, AckMark>,
    pub kept: BTreeMap<String, Retention>,
    /// Every event whose effects are in this copy's books.
    pub books: Books,
    /// Epoch and number under which each event was first written here.
    pub places: BTreeMap<String, (String, u64)>,
    pub counters: Counters,
    pub shift: Option<String>,
    pub account: PointsAccount,
    pub tally: Tally,
    pub figures: BTreeMap<Date, DayFigures>,
    pub fenced: bool,
    pub apart: bool,
    /// The hub knows another key.
    pub rejected: bool,
    /// Number of the hub's current epoch at the last answer.
    pub hub_n: u64,
    /// Generation of the last hello, or `None` without a session.
    pub session: Option<String>,
    /// The pending request.
    pub waits: Option<u64>,
    /// Offset of its wall clock.
    pub off_days: i64,
    /// Time of the copy by its own clock.
    pub copied_at: UtcMs,
    /// Events that were moved to the current epoch.
    pub moved: Vec<String>,
    /// Whether something was sold on this machine.
    pub sold: bool,
    /// Whether its epoch was opened on the hub's request, not by a person.
    pub auto: bool,
    /// The pulled feed, and how far it was read.
    pub pulled: BTreeMap<u64, u64>,
    pub cursor: u64,
    /// Generation of the cursor.
    pub feed_of: u64,
    pub broken: Broken,
}

impl Chain for Shop {
    type Error = Infallible;

    fn hash_at(&self, epoch: &str, seq: u64) -> Result<Option<String>, Infallible> {
        let none = || (seq == 0).then(|| GENESIS.to_owned());
        Ok(self.epochs.get(&place(epoch)).map_or_else(none, |journal| journal.hash_at(seq)))
    }
}

/// Returns the place of an epoch in the lineage.
pub fn place(epoch: &str) -> (u64, String) {
    (session::number(epoch), epoch.to_owned())
}

impl Shop {
    pub fn new(epoch: &str, key: u64, broken: Broken) -> Self {
        Self {
            number: 0,
            alive: true,
            key,
            current: epoch.to_owned(),
            epochs: BTreeMap::from([(place(epoch), Journal::default())]),
            marks: BTreeMap::new(),
            kept: BTreeMap::new(),
            books: Books::default(),
            places: BTreeMap::new(),
            counters: Counters::new(TILL.into()),
            shift: None,
            account: PointsAccount::new(super::keeping::MEMBER.into()),
            tally: Tally::default(),
            figures: BTreeMap::new(),
            fenced: false,
            apart: false,
            rejected: false,
            hub_n: 0,
            session: None,
            waits: None,
            off_days: 0,
            copied_at: UtcMs(0),
            moved: Vec::new(),
            sold: false,
            auto: false,
            pulled: BTreeMap::new(),
            cursor: 0,
            feed_of: 0,
            broken,
        }
    }

    pub fn journal(&self, epoch: &str) -> Journal {
        self.epochs.get(&place(epoch)).cloned().unwrap_or_default()
    }

    pub fn hash(&self, epoch: &str, seq: u64) -> Option<String> {
        match Chain::hash_at(self, epoch, seq) {
            Ok(hash) => hash,
        }
    }

    pub fn lineage(&self) -> Vec<EpochState> {
        let state = |((_, epoch), journal): (&(u64, String), &Journal)| {
            let mark = self.marks.get(epoch).cloned().unwrap_or_else(|| session::unacknowledged(epoch));
            let head_seq = journal.seq();
            EpochState {
                epoch: epoch.clone(),
                head_seq,
                head_hash: journal.hash_at(head_seq).unwrap(),
                acked_seq: mark.seq,
                acked_hash: mark.hash,
                min_kept_seq: self.kept.get(epoch).map_or(1, Retention::first),
            }
        };
        self.epochs.iter().map(state).collect()
    }

    /// Writes a record at the end of the current epoch.
    pub fn write(&mut self, record: String) {
        let journal = self.epochs.entry(place(&self.current)).or_default();
        let last = journal.seq();
        let (seq, hash) = (last + 1, next(&journal.hash_at(last).unwrap(), &record));
        self.took(&record, &self.current.clone(), seq);
        let journal = self.epochs.entry(place(&self.current)).or_default();
        journal.events.insert(seq, PushEvent { seq, hash, record });
    }

    /// Applies the effects of a received record once.
    pub fn took(&mut self, record: &str, epoch: &str, seq: u64) {
        let fact = fact::read(record);
        if !self.books.has(&fact.id) {
            self.places.insert(fact.id.clone(), (epoch.to_owned(), seq));
            self.books.count(&fact);
        }
    }

    /// Returns where an event is now: the hub's copy may have replaced it, it may have been moved, and another copy may
    /// have brought it too.
    pub fn all_places(&self, id: &str) -> Vec<(String, u64)> {
        let own = self
            .epochs
            .iter()
            .flat_map(|((_, epoch), journal)| journal.events.values().map(move |event| (epoch, event)));
        let same = own.filter(|(_, event)| fact::read(&event.record).id == id);
        same.map(|(epoch, event)| (epoch.clone(), event.seq)).collect()
    }

    /// Kills the process and starts it again with only the data on the disk.
    pub fn crash(&mut self) {
        (self.session, self.waits) = (None, None);
    }

    /// Returns another copy with the same disk.
    pub fn copied(&self, now: UtcMs) -> Self {
        let mut copy = Self { copied_at: self.wall(now), sold: false, ..self.clone() };
        copy.crash();
        copy
    }

    /// Returns the time by this copy's clock.
    pub fn wall(&self, now: UtcMs) -> UtcMs {
        UtcMs(now.0 + self.off_days * DAY_MS)
    }

    /// Returns the sales that count and were not voided.
    pub fn open_sales(&self) -> Vec<&Fact> {
        let taken: Vec<&str> = self.of(fact::VOIDED).map(|fact| fact.sale.as_str()).collect();
        self.of(fact::PAID).filter(|sale| !taken.contains(&sale.sale.as_str())).collect()
    }

    fn of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Fact> {
        self.books.facts().map(AsRef::as_ref).filter(move |fact: &&Fact| fact.kind == kind)
    }
}
