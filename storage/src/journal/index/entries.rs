//! Entries of one segment in memory, while it is written and until its index is.

use super::filter::{Tag, tag};
use super::{Kind, hash, record_event_keys, record_keys};
use crate::journal::body::Body;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

/// No place: there is no earlier one.
const NONE: u32 = u32::MAX;

/// Hashes and offsets. Every commit adds a dozen, and every command looks one up: neither walks down a tree of a whole
/// segment's entries.
#[derive(Debug, Default)]
pub struct Entries {
    /// The latest place of each hash.
    latest: HashMap<u64, u32, BuildHasherDefault<Spread>>,
    /// Offsets as they came, each with the place before it of the same hash.
    places: Vec<(u32, u32)>,
    answers: Vec<u64>,
}

/// Keys are hashes already: evenly spread.
#[derive(Debug, Default)]
pub struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

impl Entries {
    /// Adds a frame's keys; it is behind all that were added.
    pub fn add(&mut self, keys: impl Iterator<Item = u64>, answer: Option<u64>, offset: u32) {
        keys.for_each(|key| self.add_key(key, offset));
        self.answers.extend(answer);
    }

    fn add_key(&mut self, key: u64, offset: u32) {
        // A segment is 16 MiB long: its entries are far fewer.
        let place = self.places.len() as u32;
        let before = match self.latest.entry(key) {
            Entry::Vacant(first) => {
                first.insert(place);
                NONE
            }
            // A frame may have a key more than once.
            Entry::Occupied(latest)
                if self.places.get(*latest.get() as usize).is_some_and(|place| place.0 == offset) =>
            {
                return;
            }
            Entry::Occupied(mut latest) => latest.insert(place),
        };
        self.places.push((offset, before));
    }

    fn at(&self, place: u32) -> (u32, u32) {
        self.places.get(place as usize).copied().unwrap_or((0, NONE))
    }

    /// Adds all that a stored frame is found by.
    pub fn add_body(&mut self, body: &Body, offset: u32) {
        let stamps = &body.stamps;
        let records = record_keys(&stamps.epoch, stamps.first_seq, stamps.hashes.len());
        let records = records.chain(record_event_keys(&body.content.texts));
        let answer = body.content.keyed.as_ref().map(|keyed| hash(Kind::Answer, &[&keyed.key]));
        self.add(body.content.keys.iter().copied().chain(records), answer, offset);
    }

    /// Offsets under a hash, in order.
    pub fn offsets(&self, hash: u64) -> Vec<u32> {
        let mut found: Vec<u32> =
            self.latest.get(&hash).into_iter().flat_map(|latest| self.back(*latest)).collect();
        found.reverse();
        found
    }

    /// Offsets of one hash, the latest first.
    fn back(&self, latest: u32) -> impl Iterator<Item = u32> {
        let at = |place: u32| (place != NONE).then(|| self.at(place));
        std::iter::successors(at(latest), move |(_, before)| at(*before)).map(|(offset, _)| offset)
    }

    /// All entries in order.
    pub fn sorted(&self) -> Vec<(u64, u32)> {
        let mut all = Vec::with_capacity(self.places.len());
        for (hash, latest) in &self.latest {
            all.extend(self.back(*latest).map(|offset| (*hash, offset)));
        }
        all.sort_unstable();
        all
    }

    /// Tags of the idempotency keys.
    pub fn tags(&self) -> Vec<Tag> {
        self.answers.iter().map(|hash| tag(*hash)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn they_are_a_set_in_order(frames in prop::collection::vec(prop::collection::vec(0..9_u64, 0..5), 0..60)) {
            let (mut entries, mut expected) = (Entries::default(), BTreeSet::new());
            for (offset, keys) in (0_u32..).zip(&frames) {
                entries.add(keys.iter().copied(), None, offset);
                expected.extend(keys.iter().map(|key| (*key, offset)));
            }
            prop_assert_eq!(entries.sorted(), expected.iter().copied().collect::<Vec<_>>());
            for key in 0..10 {
                let offsets: Vec<_> = expected.iter().filter(|entry| entry.0 == key).map(|entry| entry.1).collect();
                prop_assert_eq!(entries.offsets(key), offsets);
            }
        }
    }
}
