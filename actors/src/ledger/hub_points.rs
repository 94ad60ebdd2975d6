//! Points as head office has them: its balance, with what this store did since on top.

use super::State;
use crate::failure::Failure;
use domain::event::Event;
use domain::ids::MemberId;
use domain::points::{PointsAccount, PointsEntry};
use domain::sync::{Coverage, PointsDown};
use storage::{Commit, Storage, StorageError};

/// Balances of a page of the feed, with the own entries that are not in them. Those are looked for in the whole
/// history of a member: outside of the ledger, which holds up every till.
pub(crate) struct PointsPage {
    /// The last commit that was looked at.
    lsn: u64,
    balances: Vec<(PointsDown, Vec<PointsEntry>)>,
    /// What of the store's own records the balances include.
    coverage: Coverage,
}

impl PointsPage {
    /// Reads the journal: off the async threads.
    pub(crate) fn read(
        storage: &Storage,
        points: Vec<PointsDown>,
        coverage: Coverage,
    ) -> Result<Self, StorageError> {
        let lsn = storage.head().lsn;
        let read = |down: PointsDown| {
            let member = MemberId(down.member_id.clone());
            storage.uncovered_points(&member, &coverage, 0).map(|uncovered| (down, uncovered))
        };
        let balances = points.into_iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self { lsn, balances, coverage })
    }
}

impl State {
    /// Takes the balances of a page over, in one commit. What is under way is durable first, so that no own
    /// entry is missed; nothing else is decided meanwhile.
    pub(super) async fn tell_points(&mut self, page: PointsPage) -> Result<(), Failure> {
        let stopping = |_| Failure::Unavailable("the daemon is stopping");
        self.door.storage.barrier().await.map_err(stopping)?;
        self.door.storage.writable().map_err(|why| Failure::StorageFull(why.to_string()))?;
        let at = self.door.stamps.now();
        let mut events = Vec::new();
        for (down, mut uncovered) in page.balances {
            let member = MemberId(down.member_id);
            uncovered.extend(self.door.storage.uncovered_points(&member, &page.coverage, page.lsn)?);
            self.load_points(Some(&member))?;
            let known = self.book.points.get(&member).cloned();
            let mut account = known.clone().unwrap_or_else(|| PointsAccount::new(member));
            account.meet(down.balance, &uncovered, at);
            if known.as_ref() != Some(&account) {
                let event = Event::PointsChanged { entries: Vec::new(), account: Box::new(account) };
                self.book.evolve(&event);
                events.push(event);
            }
        }
        if events.is_empty() {
            return Ok(());
        }
        let commit = Commit { events, records: Vec::new(), keyed: None, at, hlc: None };
        self.door.storage.commit(commit).await.map(|_| ()).map_err(stopping)
    }
}
