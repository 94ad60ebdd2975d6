//! Points from head office: its balance, with this store's later entries on top.

use super::State;
use crate::message::{Origin, PointsPage};
use crate::runtime::failure::Failure;
use domain::model::base::event::{Event, Rows, fact};
use domain::model::base::ids::MemberId;
use domain::model::base::time::UtcMs;
use domain::model::people::points::{PointsAccount, PointsEntry};
use domain::wire::feed::{Coverage, PointsDown};
use std::collections::BTreeMap;
use storage::{Commit, Storage, StorageError};

impl PointsPage {
    /// Reads the journal: off the async threads.
    pub(crate) fn read(
        storage: &Storage,
        points: Vec<PointsDown>,
        coverage: Coverage,
        origin: Origin,
    ) -> Result<Self, StorageError> {
        let lsn = storage.head().lsn;
        let read = |down: PointsDown| {
            let member = MemberId(down.member_id.clone());
            uncovered(storage, &member, &coverage, (0, lsn)).map(|uncovered| (down, uncovered))
        };
        let balances = points.into_iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self { lsn, balances, coverage, origin })
    }
}

/// The own entries that a member's balance does not contain, including those of members merged into it. A merged member
/// has none: they belong to the other one.
fn uncovered(
    storage: &Storage,
    member: &MemberId,
    coverage: &Coverage,
    span: (u64, u64),
) -> Result<Vec<PointsEntry>, StorageError> {
    let known = storage.members().member(member)?;
    if known.as_ref().is_some_and(|member| member.merged_into.is_some()) {
        return Ok(Vec::new());
    }
    let others = known.map(|member| member.merged).unwrap_or_default();
    let mut entries = Vec::new();
    for member in std::iter::once(member).chain(&others) {
        entries.extend(storage.members().uncovered_points(member, coverage, span)?);
    }
    Ok(entries)
}

impl State {
    /// Adopts the balances of a page, in one commit. Pending commits are durable first, so that no own entry is
    /// missed; nothing else is decided meanwhile.
    pub(super) async fn merge_points(&mut self, page: PointsPage) -> Result<(), Failure> {
        let storage = self.context.storage.clone();
        storage.barrier().await?;
        let permit = storage.own_permit().await?;
        storage.writable().map_err(|why| Failure::StorageFull(why.to_string()))?;
        let at = self.context.stamps.now();
        let events = self.merged_accounts(page, at)?;
        if events.is_empty() {
            return Ok(());
        }
        let commit = Commit { events: events.clone(), records: Vec::new(), keyed: None, at, hlc: None };
        let submitted = storage.submit_with(permit, commit);
        if submitted.is_ok() {
            events.iter().for_each(|event| self.ledger.book.evolve(event));
        }
        storage.confirm(submitted).await?;
        Ok(())
    }

    /// Events of the page for the accounts. The book stays as it is: a page that can't be read to its end has no
    /// effect.
    fn merged_accounts(&mut self, page: PointsPage, at: UtcMs) -> Result<Vec<Event>, Failure> {
        let (mut met, mut events) = (BTreeMap::<MemberId, PointsAccount>::new(), Vec::new());
        for (down, mut uncovered) in page.balances {
            let member = MemberId(down.member_id);
            let since = (page.lsn, u64::MAX);
            uncovered.extend(self::uncovered(&self.context.storage, &member, &page.coverage, since)?);
            self.ledger.load_account(&member)?;
            let known = met.get(&member).or_else(|| self.ledger.book.points.get(&member));
            if known.is_some() && page.origin == Origin::LookUp {
                continue;
            }
            let mut account = known.cloned().unwrap_or_else(|| PointsAccount::new(member.clone()));
            account.meet(down.balance, &uncovered, at);
            if known != Some(&account) {
                events.push(
                    Event::new(
                        fact::PointsMoved {},
                        Rows { account: Some(Box::new(account.clone())), ..Rows::default() },
                    )
                    .into(),
                );
                met.insert(member, account);
            }
        }
        Ok(events)
    }
}
