//! The latest notices, for all streams together: each reads at its own pace.

use super::AppState;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use storage::Noticed;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;

/// Notices that are kept.
pub const NOTICES_MAX: usize = 4_096;
/// A commit with more notices than this (an import, a large document) is told as one reload.
pub const COMMIT_NOTICES_MAX: usize = 500;
/// Commits that a stream takes at once.
const CHUNK: usize = 32;

/// What was told lately.
#[derive(Debug)]
pub struct EventBuffer {
    kept: Mutex<Kept>,
    moved: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Kept {
    told: VecDeque<Arc<Noticed>>,
    notices: usize,
    /// Everything after this commit is here.
    floor: u64,
    /// The newest commit that told anything.
    head: u64,
}

/// A reader is further behind than what is kept: it goes on from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missed(pub u64);

impl EventBuffer {
    /// Of nothing that happened up to a commit.
    pub fn after_commit(lsn: u64) -> Self {
        let kept = Kept { floor: lsn, head: lsn, ..Kept::default() };
        Self { kept: Mutex::new(kept), moved: watch::Sender::new(lsn) }
    }

    /// Where a new reader begins.
    pub fn head(&self) -> u64 {
        self.lock().head
    }

    /// Whether a reader that heard everything up to this commit can go on.
    pub fn knows(&self, lsn: u64) -> bool {
        let kept = self.lock();
        (kept.floor..=kept.head).contains(&lsn)
    }

    /// Changes with every commit that told anything.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.moved.subscribe()
    }

    /// The next commits after one.
    pub fn after(&self, lsn: u64) -> Result<Vec<Arc<Noticed>>, Missed> {
        let kept = self.lock();
        if lsn < kept.floor {
            return Err(Missed(kept.head));
        }
        let from = kept.told.partition_point(|noticed| noticed.lsn <= lsn);
        Ok(kept.told.iter().skip(from).take(CHUNK).cloned().collect())
    }

    fn push(&self, noticed: Arc<Noticed>) {
        let lsn = noticed.lsn;
        if noticed.notices.len() > COMMIT_NOTICES_MAX {
            return self.forget(lsn);
        }
        let mut kept = self.lock();
        if lsn <= kept.head {
            return;
        }
        kept.head = lsn;
        kept.notices = kept.notices.saturating_add(noticed.notices.len());
        kept.told.push_back(noticed);
        while kept.notices > NOTICES_MAX {
            let Some(oldest) = kept.told.pop_front() else { break };
            kept.notices = kept.notices.saturating_sub(oldest.notices.len());
            kept.floor = oldest.lsn;
        }
        drop(kept);
        self.moved.send_replace(lsn);
    }

    /// Nothing up to this commit is known any more.
    fn forget(&self, lsn: u64) {
        let mut kept = self.lock();
        if lsn < kept.head {
            return;
        }
        *kept = Kept { floor: lsn, head: lsn, ..Kept::default() };
        drop(kept);
        self.moved.send_replace(lsn);
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Fills the buffer from what becomes durable, until the storage closes.
pub async fn tell(shop: Arc<AppState>) {
    let mut noticed = shop.store.storage().notices();
    // What became durable before this was heard by nobody here.
    shop.buffer.forget(shop.journal_head());
    loop {
        match noticed.recv().await {
            Ok(noticed) => shop.buffer.push(noticed),
            Err(RecvError::Lagged(commits)) => {
                tracing::warn!(commits, "screens could not keep up and load again");
                shop.buffer.forget(shop.journal_head());
            }
            Err(RecvError::Closed) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use domain::wire::screen::Notice;

    fn noticed(lsn: u64, notices: usize) -> Arc<Noticed> {
        Arc::new(Noticed { lsn, notices: vec![Notice::Access; notices] })
    }

    fn lsns(buffer: &EventBuffer, after: u64) -> Result<Vec<u64>, Missed> {
        buffer.after(after).map(|told| told.iter().map(|noticed| noticed.lsn).collect())
    }

    #[test]
    fn a_reader_hears_each_commit_once_and_learns_what_it_missed() {
        let buffer = EventBuffer::after_commit(10);
        assert_eq!((lsns(&buffer, 10), buffer.knows(10), buffer.knows(9)), (Ok(vec![]), true, false));
        for lsn in [12, 15, 15, 14] {
            buffer.push(noticed(lsn, 2));
        }
        assert_eq!((lsns(&buffer, 10), lsns(&buffer, 13)), (Ok(vec![12, 15]), Ok(vec![15])));
        assert_eq!((lsns(&buffer, 9), buffer.head()), (Err(Missed(15)), 15));
        assert!(!buffer.knows(16), "from before a restore, perhaps");
    }

    #[test]
    fn it_keeps_no_more_than_it_may() {
        let buffer = EventBuffer::after_commit(0);
        let commits = 2 * NOTICES_MAX / COMMIT_NOTICES_MAX;
        for lsn in 1..=commits as u64 {
            buffer.push(noticed(lsn, COMMIT_NOTICES_MAX));
        }
        assert!(buffer.lock().notices <= NOTICES_MAX);
        assert_eq!(lsns(&buffer, 0), Err(Missed(commits as u64)));
        assert_eq!(lsns(&buffer, commits as u64 - 1), Ok(vec![commits as u64]));
        buffer.push(noticed(1_000, COMMIT_NOTICES_MAX + 1));
        assert_eq!((lsns(&buffer, commits as u64), lsns(&buffer, 1_000)), (Err(Missed(1_000)), Ok(vec![])));
    }
}
