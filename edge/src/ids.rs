//! New identifiers: a three-letter prefix and a UUIDv7, so that they sort by the time of their making.
//!
//! Random bytes come from a generator per thread, seeded and reseeded by the system, not from the system for each ID: a
//! sale makes a dozen.

use crate::clock;
use rand::Rng;
use std::sync::{Mutex, PoisonError};
use uuid::{Builder, Uuid};

/// Bits of the counter within one millisecond, the highest of which is free in the first ID.
const COUNTER_BITS: u32 = 42;

/// State of the last ID.
static LAST: Mutex<Last> = Mutex::new(Last { ms: 0, counter: 0 });

/// Time and counter of an ID. The next ID is always greater, even if the clock is set back.
#[derive(Clone, Copy)]
struct Last {
    ms: u64,
    counter: u64,
}

impl Last {
    /// Goes on: counts from `begin` in a new millisecond, else up.
    fn next(&mut self, ms: u64, begin: u64) -> Self {
        // Half of the range is free to count in.
        let begin = begin >> (u64::BITS - COUNTER_BITS + 1);
        if ms > self.ms {
            *self = Self { ms, counter: begin };
        } else if self.counter.saturating_add(1) >> COUNTER_BITS == 0 {
            self.counter += 1;
        } else {
            *self = Self { ms: self.ms.saturating_add(1), counter: begin };
        }
        *self
    }

    /// Builds a UUIDv7 with these random bytes behind the counter.
    fn uuid(self, chance: [u8; 4]) -> Uuid {
        let [_, _, c0, c1, c2, c3, c4, c5] = self.counter.to_be_bytes();
        let [r0, r1, r2, r3] = chance;
        // Four bits of the first byte and six of the third belong to the counter: the others mark a UUIDv7.
        let (high, middle) = (c0 << 2 | c1 >> 6, c1 << 2 | c2 >> 6);
        Builder::from_unix_timestamp_millis(self.ms, &[high, middle, c2, c3, c4, c5, r0, r1, r2, r3])
            .into_uuid()
    }
}

/// A new identifier, for example `new("trx_")`.
pub fn new(prefix: &str) -> String {
    let (begin, chance): (u64, [u8; 4]) = rand::rng().random();
    let ms = u64::try_from(clock::now().0).unwrap_or_default();
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).next(ms, begin);
    let mut buffer = Uuid::encode_buffer();
    let text = last.uuid(chance).hyphenated().encode_lower(&mut buffer);
    [prefix, text].concat()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_distinct_short_and_in_order() {
        let ids: Vec<String> = (0..10_000).map(|_| new("trx_")).collect();
        assert!(ids.is_sorted());
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
        assert!(
            ids.iter()
                .all(|id| id.starts_with("trx_") && id.len() <= domain::model::base::limits::ID_BYTES_MAX)
        );
    }

    #[test]
    fn an_id_is_a_uuid_of_its_time_and_version() {
        let before = clock::now().0;
        let id = Uuid::parse_str(&new("trx_")[4..]).unwrap();
        let (s, ns) = id.get_timestamp().unwrap().to_unix();
        // Other tests may have counted a millisecond on.
        assert!((before..=clock::now().0 + 1).contains(&(s as i64 * 1_000 + i64::from(ns) / 1_000_000)));
        assert_eq!((id.get_version_num(), id.get_variant()), (7, uuid::Variant::RFC4122));
    }

    #[test]
    fn ids_rise_when_the_clock_stands_goes_back_or_a_millisecond_is_full() {
        let full = (1 << COUNTER_BITS) - 1;
        let mut last = Last { ms: 5, counter: full - 1 };
        let mut made = vec![last.uuid([255; 4])];
        for (ms, begin, expected) in [
            (5, 9, (5, full)),
            (4, u64::MAX, (6, full / 2)),
            (6, 0, (6, full / 2 + 1)),
            (7, 0, (7, 0)),
            (1, 0, (7, 1)),
        ] {
            let next = last.next(ms, begin);
            assert_eq!((next.ms, next.counter), expected);
            made.push(next.uuid([0; 4]));
        }
        assert!(made.is_sorted());
        assert_eq!(made.iter().collect::<BTreeSet<_>>().len(), made.len());
    }
}
