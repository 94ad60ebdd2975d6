//! Points as head office has them: its balance, with what this store did since on top.

use super::State;
use crate::failure::Failure;
use domain::event::Event;
use domain::ids::MemberId;
use domain::points::PointsAccount;
use domain::sync::PointsDown;
use storage::Commit;

impl State {
    /// Takes the balances of a page over, in one commit. What is under way is durable first, so that no own
    /// entry is missed; nothing else is decided meanwhile.
    pub(super) async fn tell_points(&mut self, points: Vec<PointsDown>) -> Result<(), Failure> {
        let stopping = |_| Failure::Unavailable("the daemon is stopping");
        self.door.storage.barrier().await.map_err(stopping)?;
        self.door.storage.writable().map_err(|why| Failure::StorageFull(why.to_string()))?;
        let at = self.door.stamps.now();
        let mut events = Vec::new();
        for down in points {
            let uncovered = self.door.storage.uncovered_points(&down)?;
            let member = MemberId(down.member_id);
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
