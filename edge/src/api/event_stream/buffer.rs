//! The latest notices, kept once for all streams; each stream reads them at its own pace.

use http::HeaderMap;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Commits that a stream takes at once.
const CHUNK: usize = 32;

/// Latest notices, commit by commit; the numbers of commits rise.
#[derive(Debug)]
pub struct EventBuffer<T> {
    kept: Mutex<Kept<T>>,
    moved: watch::Sender<u64>,
    /// Notices that are kept.
    notices_max: usize,
}

#[derive(Debug)]
struct Kept<T> {
    entries: VecDeque<Entry<T>>,
    notices: usize,
    /// All notices after this commit are kept.
    floor: u64,
    /// The newest commit with a notice.
    head: u64,
}

#[derive(Debug)]
struct Entry<T> {
    number: u64,
    notices: usize,
    content: Arc<T>,
}

/// A reader is further behind than the kept commits. It continues after the commit with this number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missed(pub u64);

impl<T> EventBuffer<T> {
    /// Empty buffer after a commit, for this many notices.
    pub fn after_commit(number: u64, notices_max: usize) -> Self {
        let kept = Kept { entries: VecDeque::new(), notices: 0, floor: number, head: number };
        Self { kept: Mutex::new(kept), moved: watch::Sender::new(number), notices_max }
    }

    /// Position at which a new reader begins.
    pub fn head(&self) -> u64 {
        self.lock().head
    }

    /// Position at which the reader of a request begins, and whether it continues where it was, by its `Last-Event-ID`.
    /// The position is `None` if that ID was never sent, or if notices after it are no longer kept.
    pub fn place(&self, headers: &HeaderMap) -> (Option<u64>, bool) {
        let Some(last) = headers.get("last-event-id") else { return (Some(self.head()), false) };
        let known = last.to_str().ok().and_then(|id| id.parse().ok()).filter(|id| self.knows(*id));
        (known, known.is_some())
    }

    /// Whether a reader that received everything up to this commit can continue.
    pub fn knows(&self, number: u64) -> bool {
        let kept = self.lock();
        (kept.floor..=kept.head).contains(&number)
    }

    /// Changes with every commit that has a notice.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.moved.subscribe()
    }

    /// The next commits after one, each with its number.
    ///
    /// # Errors
    /// [`Missed`]: not all of them are kept.
    pub fn after(&self, number: u64) -> Result<Vec<(u64, Arc<T>)>, Missed> {
        let kept = self.lock();
        if number < kept.floor {
            return Err(Missed(kept.head));
        }
        let from = kept.entries.partition_point(|entry| entry.number <= number);
        let chunk = kept.entries.iter().skip(from).take(CHUNK);
        Ok(chunk.map(|entry| (entry.number, Arc::clone(&entry.content))).collect())
    }

    /// Stores the notices of a commit. Commits that are not newer than the newest one are ignored.
    pub fn push(&self, number: u64, notices: usize, content: Arc<T>) {
        let mut kept = self.lock();
        if number <= kept.head {
            return;
        }
        kept.head = number;
        kept.notices = kept.notices.saturating_add(notices);
        kept.entries.push_back(Entry { number, notices, content });
        while kept.notices > self.notices_max {
            let Some(oldest) = kept.entries.pop_front() else { break };
            kept.notices = kept.notices.saturating_sub(oldest.notices);
            kept.floor = oldest.number;
        }
        drop(kept);
        self.moved.send_replace(number);
    }

    /// Forgets everything up to this commit.
    pub fn forget(&self, number: u64) {
        let mut kept = self.lock();
        if number < kept.head {
            return;
        }
        *kept = Kept { entries: VecDeque::new(), notices: 0, floor: number, head: number };
        drop(kept);
        self.moved.send_replace(number);
    }

    fn lock(&self) -> MutexGuard<'_, Kept<T>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    const NOTICES_MAX: usize = 100;

    fn numbers(buffer: &EventBuffer<()>, after: u64) -> Result<Vec<u64>, Missed> {
        buffer.after(after).map(|entries| entries.iter().map(|(number, _)| *number).collect())
    }

    fn push(buffer: &EventBuffer<()>, number: u64, notices: usize) {
        buffer.push(number, notices, Arc::new(()));
    }

    #[test]
    fn a_reader_receives_each_commit_once_and_learns_of_a_gap() {
        let buffer = EventBuffer::after_commit(10, NOTICES_MAX);
        assert_eq!((numbers(&buffer, 10), buffer.knows(10), buffer.knows(9)), (Ok(vec![]), true, false));
        for number in [12, 15, 15, 14] {
            push(&buffer, number, 2);
        }
        assert_eq!((numbers(&buffer, 10), numbers(&buffer, 13)), (Ok(vec![12, 15]), Ok(vec![15])));
        assert_eq!((numbers(&buffer, 9), buffer.head()), (Err(Missed(15)), 15));
        assert!(!buffer.knows(16), "it may be from before a restore");
    }

    #[test]
    fn a_reader_resumes_where_its_header_says() {
        let buffer = EventBuffer::after_commit(10, NOTICES_MAX);
        push(&buffer, 12, 1);
        assert_eq!(buffer.place(&HeaderMap::new()), (Some(12), false));
        for (id, place) in [("10", Some(10)), ("12", Some(12)), ("9", None), ("13", None), ("x", None)] {
            let headers = HeaderMap::from_iter([("last-event-id".parse().unwrap(), id.parse().unwrap())]);
            assert_eq!(buffer.place(&headers), (place, place.is_some()), "{id}");
        }
    }

    #[test]
    fn the_oldest_notices_are_dropped_at_the_limit() {
        let buffer = EventBuffer::after_commit(0, NOTICES_MAX);
        for number in 1..=8 {
            push(&buffer, number, 25);
        }
        assert!(buffer.lock().notices <= NOTICES_MAX);
        assert_eq!((numbers(&buffer, 3), numbers(&buffer, 4)), (Err(Missed(8)), Ok(vec![5, 6, 7, 8])));
        buffer.forget(1_000);
        assert_eq!((numbers(&buffer, 8), numbers(&buffer, 1_000)), (Err(Missed(1_000)), Ok(vec![])));
    }
}
