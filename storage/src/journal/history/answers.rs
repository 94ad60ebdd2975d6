//! The idempotency keys of sealed segments whose answers are still kept, in a few filters. They show for nearly every
//! new key that it is new, without a look at the segments.

use crate::journal::index::filter::{Filter, Tag, tag};

/// Keys of neighbouring segments in one filter, which is dropped as a whole when they expire.
#[derive(Debug)]
struct Generation {
    /// First LSN of its newest segment.
    newest: u64,
    filter: Filter,
}

/// The keys of sealed segments since a time.
#[derive(Debug)]
pub struct Answers {
    /// Oldest first.
    generations: Vec<Generation>,
    since: i64,
}

impl Answers {
    /// No keys yet, of segments since this time.
    pub fn since(since: i64) -> Self {
        Self { generations: Vec::new(), since }
    }

    /// Adds the keys of the newest segment. `segment`: its first LSN.
    pub fn add(&mut self, segment: u64, tags: &[Tag]) {
        match self.generations.last_mut() {
            Some(last) if !last.filter.is_full_with(tags.len()) => {
                last.filter.add(tags);
                last.newest = segment;
            }
            _ => {
                let mut filter = Filter::default();
                filter.add(tags);
                self.generations.push(Generation { newest: segment, filter });
            }
        }
    }

    /// Drops segments before `oldest`: answers before `since` are no longer kept.
    pub fn expire(&mut self, oldest: u64, since: i64) {
        self.generations.retain(|generation| generation.newest >= oldest);
        self.since = self.since.max(since);
    }

    /// Whether the filters have all keys since this time. They do not if the clock was set back.
    pub fn reach(&self, since: i64) -> bool {
        since >= self.since
    }

    /// Whether a key may be in a segment. `false` is certain.
    pub fn may_hold(&self, hash: u64) -> bool {
        self.generations.iter().any(|generation| generation.filter.may_hold(tag(hash)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::index::filter::KEYS_MAX;

    fn tags(segment: u64, count: u64) -> Vec<Tag> {
        (0..count)
            .map(|number| tag(crate::bytes::hash64([&(segment << 32 | number).to_le_bytes()[..]])))
            .collect()
    }

    #[test]
    fn keys_go_with_their_segments_and_not_before() {
        let mut answers = Answers::since(0);
        let half = KEYS_MAX as u64 / 2;
        for segment in 1..=6 {
            answers.add(segment, &tags(segment, half));
        }
        let known = |answers: &Answers, segment| {
            tags(segment, 100).iter().all(|tag| answers.may_hold(u64::from(*tag) << 32))
        };
        assert!((1..=6).all(|segment| known(&answers, segment)));
        // Two segments share a filter: the older one stays as long as the newer counts.
        answers.expire(4, 10);
        assert!(
            !known(&answers, 1) && !known(&answers, 2) && (3..=6).all(|segment| known(&answers, segment))
        );
        assert!(answers.reach(10) && !answers.reach(9));
        answers.expire(7, 20);
        assert!(!known(&answers, 6));
    }
}
